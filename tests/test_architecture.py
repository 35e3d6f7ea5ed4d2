"""The house keeps its shape: floors, file sizes, and what no room may hold."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = (
    "contracts", "rules", "evidence", "prompts", "nodes", "graph", "adapters", "runtime", "evals", "app",
)  # fmt: skip
PUBLIC_SETS = (
    "rootcausebench", "nezha", "petshop", "opsbench", "changerca", "opensre", "holmesgpt", "rcaeval", "openrca",
)  # fmt: skip


def sources(*folders: str, ending: str = ".py") -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob(f"*{ending}"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Absolute imports only: (line, module)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def where(path: Path, line: int, text: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {text}"


def test_floors_only_point_down() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_rooms_import_each_other_relatively_and_tests_by_the_package_name() -> None:
    bare = [
        where(path, line, module)
        for path in sources(*ROOMS, "examples", "benchmarks", "tests")
        for line, module in imports(path)
        if module.partition(".")[0] in ROOMS or (path.parts[len(ROOT.parts)] in ROOMS and module.startswith("leadline"))
    ]
    assert bare == []


def test_nothing_is_patched() -> None:
    mocked = [
        where(path, line, module)
        for path in sources(*ROOMS, "tests", "benchmarks")
        for line, module in imports(path)
        if module.startswith("unittest")
    ]
    assert mocked == []


def test_files_are_small() -> None:
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in sources(*ROOMS, "examples", "benchmarks")}
    assert {str(p.relative_to(ROOT)): n for p, n in lengths.items() if n > 400} == {}
    ordered = sorted(lengths.values())
    assert ordered[len(ordered) // 2] < 120


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_holds(room: str) -> None:
    assert ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8")))
    assert (ROOT / "src" / "leadline" / room).is_symlink()


def test_public_sets_are_known_to_the_evaluation_alone() -> None:
    pattern = re.compile("|".join(PUBLIC_SETS), re.IGNORECASE)
    rooms = [room for room in ROOMS if room != "evals"]
    known = [
        where(path, n, line.strip())
        for ending in (".py", ".j2", ".yaml", ".csv", ".json", ".html", ".js")
        for path in sources(*rooms, "examples", ending=ending)
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert known == []


def test_no_rule_knows_a_public_incident_by_name(shared: Path) -> None:
    """A case's own name, from the collections where they are, stands in no room."""
    cases = {path.parent.name for path in (shared / "data").glob("*/datasets/*/*/task.toml")}
    assert cases
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources(*ROOMS))
    assert sorted(case for case in cases if case in text) == []


def test_the_environment_is_read_in_one_file() -> None:
    reads = [
        where(path, node.lineno, ast.unparse(node))
        for path in sources(*ROOMS)
        if path != ROOT / "runtime" / "settings.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    assert reads == []


def test_nothing_names_a_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no git here")
    private = re.compile(r"(?<![\w.])/(?:work|root|home)/\w")
    found = [
        where(path, n, line.strip())
        for path in (ROOT / name for name in listed.stdout.split("\0") if name)
        if path.is_file() and not path.is_symlink()
        for n, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if private.search(line)
    ]
    assert found == []
