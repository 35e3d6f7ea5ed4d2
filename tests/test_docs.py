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
from leadline.app.cli.main import run
from leadline.contracts.event import EventKind
from leadline.examples import DEMO, INCIDENTS
from leadline.runtime.settings import Settings

ROOT = Path(__file__).parent.parent
LEADLINE = Path(sys.executable).parent / "leadline"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
COMMANDS = {name for section in SECTIONS.values() for name in section}
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
    """Command (with its sub-command) to the options that the pages give it, in code of any kind."""
    told: dict[str, set[str]] = {}
    for path in PAGES:
        lines = [line for block in FENCE.findall(text(path)) for line in block.splitlines()]
        lines += re.findall(r"`(leadline [^`]+)`", re.sub(FENCE, "", text(path)))
        for line in lines:
            match = re.match(r"(?:\$ )?leadline ((?:(?:bundle|eval) )?[a-z][\w-]*)(.*)", line)
            if match:
                options = told.setdefault(match[1], set())
                options.update(re.findall(r"(?<!\S)(--[\w-]+|-[a-z])\b", match[2].partition("#")[0]))
    return told


def test_documented_commands_and_options_exist(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = []
    for command, options in told_commands().items():
        code = run([*command.split(), "--help"])
        page = capsys.readouterr().out
        wrong += [f"leadline {command}"] if code else []
        wrong += [f"leadline {command} {option}" for option in sorted(options) if option not in page]
    assert wrong == []


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a person types it in `folder`, whose runs stay there; no Ollama answers."""
    mine = {"PATH": f"{LEADLINE.parent}:{os.environ['PATH']}", "LEADLINE_DATABASE": str(folder / "runs.db")}
    env = {**os.environ, **mine, "OLLAMA_HOST": "http://127.0.0.1:9", "NO_COLOR": "1"}
    return subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which `leadline demo` was run, with `my-incident` in it; and what was printed."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(DEMO, folder / "my-incident")
    shutil.copytree(INCIDENTS, folder / "examples" / "incidents")
    done = shell("leadline demo", folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.mark.parametrize(
    ("path", "block"),
    [(path, block) for path in PAGES for block in RUNNABLE.findall(text(path))],
    ids=lambda value: value.name if isinstance(value, Path) else value.splitlines()[0],
)
@pytest.mark.timeout(300)
def test_commands_of_the_pages_run(path: Path, block: str, demonstrated: tuple[Path, str]) -> None:
    """In order; RUN and OBSERVATION are those of the newest run."""
    folder, _ = demonstrated
    for line in filter(None, block.splitlines()):
        command = line.partition("  #")[0]
        if "RUN" in command:
            (newest, *_) = json.loads(shell("leadline runs -o json", folder).stdout)["runs"]
            command = re.sub(r"\bRUN\b", newest["run"], command)
        if "OBSERVATION" in command:
            seen = json.loads(shell(f"leadline evidence {newest['run']} -o json", folder).stdout)["observations"]
            command = command.replace("OBSERVATION", seen[0]["observation"])
        done = shell(command, folder)
        assert done.returncode == (5 if "--no-wait" in command else 0), f"{command}\n{done.stdout}{done.stderr}"


def unnumbered(line: str) -> str:
    """What a better ranking may change without a word in the README: ids, numbers, confidence."""
    return re.sub(r"\b(run|obs)-[0-9a-f]+\b|\d+", "N", line).strip()


def test_the_readme_shows_what_the_demo_prints(demonstrated: tuple[Path, str]) -> None:
    block = re.compile(r"<!-- printed by leadline demo -->\n+```\n(.*?)^```", re.DOTALL | re.MULTILINE)
    (shown,) = block.findall(text(ROOT / "README.md"))
    printed = {unnumbered(line) for line in demonstrated[1].splitlines()}
    assert [line for line in shown.splitlines() if line != "…" and unnumbered(line) not in printed] == []
