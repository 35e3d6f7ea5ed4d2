"""How a run gets on, for who is waiting for it: live on a terminal, plain lines elsewhere, on stderr in both."""

from .following import Following, following

__all__ = ["Following", "following"]
