"""The `leadline` command: one file a command or group, loaded when it is used."""

from .main import main

__all__ = ["main"]
