"""The documentation says what the product does: its tables, names, links and commands are checked against it."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from leadline.app.cli.commands import SECTIONS
from leadline.app.cli.exit_codes import EXIT_CODES
from leadline.contracts.event import EventKind
from leadline.examples import DEMO
from leadline.runtime.settings import Settings

ROOT = Path(__file__).parent.parent
LEADLINE = Path(sys.executable).parent / "leadline"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
COMMANDS = {name for section in SECTIONS.values() for name in section}
GROUPS = {"bundle": ("check", "pack", "import")}
FENCE = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUNNABLE = re.compile(r"<!-- runs -->\n+```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def first_cells(path: Path) -> set[str]:
    """The code in the first column of a page's tables."""
    return set(re.findall(r"^\| `?([\w.-]+)`? +\|", text(path), re.MULTILINE))


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_tables_are_as_the_code_has_them(path: Path) -> None:
    """`make docs` writes them anew."""
    renewed = runpy.run_path(str(ROOT / "docs" / "tables.py"))["renewed"]
    assert renewed(text(path)) == text(path)


def test_every_setting_is_documented() -> None:
    assert set(Settings.model_fields) <= first_cells(ROOT / "docs" / "settings.md")


def test_every_kind_of_event_is_documented() -> None:
    kinds = {cell for cell in first_cells(ROOT / "docs" / "events.md") if "." in cell or cell == "transition"}
    assert kinds == set(get_args(EventKind))


def test_every_exit_code_is_documented() -> None:
    told = {int(cell) for cell in first_cells(ROOT / "docs" / "exit-codes.md") if cell.isdigit()}
    assert told == {code.code for code in EXIT_CODES}


def test_every_command_is_documented() -> None:
    page = text(ROOT / "docs" / "cli.md")
    assert [name for name in sorted(COMMANDS) if f"leadline {name}" not in page] == []


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    page = re.sub(FENCE, "", text(path))
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        found = (path.parent / file) if file else path
        headings = (
            re.findall(r"^#+ (.*)$", text(found), re.MULTILINE) if found.suffix == ".md" and found.is_file() else []
        )
        anchors = {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}
        if not found.exists() or (anchor and anchor not in anchors):
            dead.append(target)
    assert dead == []


def told_commands() -> dict[str, set[str]]:
    """Command to the options that a page gives it, in code of any kind."""
    told: dict[str, set[str]] = {}
    for path in PAGES:
        lines = [line for block in FENCE.findall(text(path)) for line in block.splitlines()]
        lines += re.findall(r"`(leadline [^`]+)`", re.sub(FENCE, "", text(path)))
        for line in lines:
            match = re.match(r"(?:\$ )?leadline ([a-z][\w-]*)(.*)", line)
            if match:
                options = told.setdefault(match[1], set())
                options.update(re.findall(r"(?<!\S)(--[\w-]+|-[a-z])\b", match[2].partition("#")[0]))
    return told


def test_documented_commands_and_options_exist() -> None:
    wrong = []
    for command, options in told_commands().items():
        words = [[command], *([command, sub] for sub in GROUPS.get(command, ()))]
        helps = [subprocess.run([LEADLINE, *w, "--help"], capture_output=True, text=True, check=False) for w in words]
        wrong += [" ".join(w) for w, done in zip(words, helps, strict=True) if done.returncode]
        wrong += [f"{command} {option}" for option in sorted(options) if not any(option in h.stdout for h in helps)]
    assert wrong == []


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "OLLAMA_HOST": "http://127.0.0.1:9", "NO_COLOR": "1", "COLUMNS": "120"}
    return subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("path", "block"),
    [(path, block) for path in PAGES for block in RUNNABLE.findall(text(path))],
    ids=lambda value: value.name if isinstance(value, Path) else value.splitlines()[0],
)
def test_commands_of_the_pages_run(path: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in a folder that holds `my-incident`; RUN and OBSERVATION are those of the run before."""
    monkeypatch.setenv("LEADLINE_DATABASE", str(tmp_path / "runs.db"))
    shutil.copytree(DEMO, tmp_path / "my-incident")
    assert shell("leadline demo", tmp_path).returncode == 0
    for line in filter(None, block.splitlines()):
        (run, *_) = json.loads(shell("leadline runs -o json", tmp_path).stdout)["runs"]
        observations = json.loads(shell(f"leadline evidence {run['run']} -o json", tmp_path).stdout)["observations"]
        command = line.partition("  #")[0].replace(
            "OBSERVATION", observations[0]["observation"] if observations else ""
        )
        done = shell(re.sub(r"\bRUN\b", run["run"], command), tmp_path)
        wanted = 5 if "--no-wait" in command else 0
        assert done.returncode == wanted, f"{path.name}: {command}\n{done.stdout}{done.stderr}"


def unnumbered(line: str) -> str:
    """What a better ranking may change without a word in the README: ids, numbers, confidence."""
    return re.sub(r"\b(run|obs)-[0-9a-f]+\b|\d+", "N", line).strip()


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_DATABASE", str(tmp_path / "runs.db"))
    (shown,) = re.findall(
        r"<!-- printed by leadline demo -->\n+```\n(.*?)^```", text(ROOT / "README.md"), re.DOTALL | re.MULTILINE
    )
    printed = {unnumbered(line) for line in shell("leadline demo", tmp_path).stdout.splitlines()}
    assert [line for line in shown.splitlines() if line != "…" and unnumbered(line) not in printed] == []
