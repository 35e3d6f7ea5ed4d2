"""Run the named benchmarks, or all quick ones, and exit 1 where a bound was not kept."""

import importlib
import sys

from .table import show

QUICK = ("startup", "overhead", "critical_path", "checkpoint_bytes", "prompt_size")


def main(names: list[str]) -> int:
    kept = True
    for name in names or QUICK:
        module = importlib.import_module(f"{__package__}.{name}")
        kept &= show(f"{name}: {(module.__doc__ or '').splitlines()[0]}", module.measure())
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
