"""Where actions are carried out: nothing at all, a program, a web service, a Kubernetes API."""
