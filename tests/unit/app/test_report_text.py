import io

from rich.console import Console

from leadline.app.report.as_text import print_report
from leadline.app.visible import visible


def printed(report, width=80, **options):
    stream = io.StringIO()
    print_report(Console(file=stream, width=width, markup=False, emoji=False, highlight=False, **options), report)
    return stream.getvalue()


def test_it_fits_eighty_columns_but_for_commands(rich):
    lines = printed(rich).splitlines()
    assert max(len(line) for line in lines if not line.startswith("  leadline ")) <= 80
    assert lines[0] == "CAUSE FOUND  81 % confidence, high"
    assert "  13:40:00   -1 min 20 s  change    c62e9dec catalogservice: tune cache [1]" in lines
    assert "  leadline evidence run-20260711-134900-4f2a obs-000001000000 --rerun" in lines


def test_nothing_hostile_reaches_the_terminal(hostile):
    plain = printed(hostile)
    assert visible(plain) == plain
    assert "[bold red]markup[/bold]" in plain


def test_on_a_colour_terminal_the_only_escapes_are_colours(hostile):
    import re

    coloured = printed(hostile, force_terminal=True, color_system="standard")
    stripped = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert stripped != coloured
    assert visible(stripped) == stripped


def test_an_empty_report_says_what_it_cannot(empty):
    plain = printed(empty)
    assert plain.startswith("INCONCLUSIVE  (draft, not approved)\n")
    assert "- metrics: not in the bundle" in plain
