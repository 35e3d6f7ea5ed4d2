"""leadline: a team of agents sounds an incident; code checks every one of their findings."""


def __getattr__(name: str) -> str:
    """The version is looked up when it is asked for: that costs more than the rest of a start."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("leadline")
    except PackageNotFoundError:  # run from a tree that was never installed
        return "0+unknown"
