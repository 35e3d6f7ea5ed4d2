"""leadline: a team of agents sounds an incident; code checks every one of their findings."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("leadline")
except PackageNotFoundError:  # run from a tree that was never installed
    __version__ = "0+unknown"
