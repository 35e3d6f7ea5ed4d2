"""What an installed leadline is made of, and that it works away from the checkout."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from leadline import examples
from leadline.examples import generate

ROOT = Path(__file__).parent.parent
ROOMS = tuple(sorted(link.name for link in (ROOT / "src" / "leadline").iterdir() if link.is_symlink()))
NOT_SHIPPED = shutil.ignore_patterns(".git", ".venv", "*cache*", ".hypothesis", "build", "dist", "*.egg-info", "tests")

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"


def build(kind: str, source: Path, out: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD, kind, str(out)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that no build is left behind in the tree, and none found there gets in."""
    copy = tmp_path_factory.mktemp("packaging") / "checkout"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=NOT_SHIPPED)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", checkout, tmp_path_factory.mktemp("wheel"))


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_leadline_alone(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"leadline"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names(wheel))


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_of_a_room_travels(room: str, wheel: Path) -> None:
    """Code, templates, migrations, team file, examples: all that stands in the room."""
    here = {
        f"leadline/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here - names(wheel) == set()


def test_the_sdist_builds_the_same_wheel(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", checkout, tmp_path)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path)
    assert names(again) == names(wheel)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked as an installer would, with the dependencies of the environment that runs the tests."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


@pytest.mark.timeout(300)
def test_the_demo_works_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    script = (
        "import sys, leadline; from leadline.app.cli import main\n"
        f"assert leadline.__file__.startswith({str(installed)!r}), leadline.__file__\n"
        "sys.argv[1:] = ['demo']; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seatmap" in done.stdout


def test_the_shipped_incidents_are_what_the_generator_writes(tmp_path: Path) -> None:
    generate.main(tmp_path)
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    shipped = {p.relative_to(examples.INCIDENTS): p.read_bytes() for p in examples.INCIDENTS.rglob("*") if p.is_file()}
    assert written.keys() == shipped.keys()
    assert [str(name) for name, content in written.items() if shipped[name] != content] == []


def test_a_shipped_incident_is_small_and_keeps_its_answer_apart() -> None:
    for case in examples.INCIDENTS.iterdir():
        assert sum(p.stat().st_size for p in case.rglob("*") if p.is_file()) < 400_000
        assert (case / "expected.yaml").is_file()
        assert not list((case / "bundle").rglob("expected*"))
