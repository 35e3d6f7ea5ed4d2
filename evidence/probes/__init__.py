"""One file, one question. `registry.py` finds every module here that holds a `PROBE`."""
