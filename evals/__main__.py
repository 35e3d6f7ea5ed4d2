"""`python -m leadline.evals FOLDER`: the table of the public collections."""

import sys

from ..runtime.settings import seal_process


def main() -> int:
    seal_process()
    from .public import main as public  # noqa: PLC0415 - LangGraph may only be imported once the process is sealed

    return public()


if __name__ == "__main__":
    sys.exit(main())
