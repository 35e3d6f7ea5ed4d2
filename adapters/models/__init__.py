"""Those who fill forms: a local model, the rules alone, a script."""
