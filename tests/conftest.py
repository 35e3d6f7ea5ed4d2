"""What every test gets: a home of its own, so that no test reads or writes the data of whoever runs it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith("LEADLINE_") and n != "LEADLINE_SHARED"]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        for name in ("DATA", "CONFIG", "CACHE", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Public incident collections that are not part of the repository; tests that need them are skipped without."""
    folder = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("no shared data here; set LEADLINE_SHARED")
    return folder
