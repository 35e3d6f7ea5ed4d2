"""Archives are never extracted; this says what one holds that makes it unfit, without writing a byte."""

import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ...contracts.errors import BundleError

_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".7z", ".rar")
MAX_MEMBERS = 1000


def is_archive(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES)


def refuse_archive(path: Path) -> None:
    """Always raises BundleError, with what is wrong inside where that can be told."""
    found = sorted(set(_problems(path)))
    shown = "; ".join(found[:8]) + (f"; and {len(found) - 8} more" if len(found) > 8 else "")
    raise BundleError(
        f"{str(path)!r} is an archive",
        why="archives are never extracted" + (f", and this one is unsafe: {shown}" if found else ""),
        hint="unpack it yourself in a safe place and name the folder",
    )


def _problems(path: Path) -> Iterable[str]:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()[:MAX_MEMBERS]
                yield from _names(m.filename for m in members)
                yield from (f"link {m.filename!r}" for m in members if (m.external_attr >> 28) == 0o12)
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as tar:
                for number, member in enumerate(tar):
                    if number >= MAX_MEMBERS:
                        break
                    yield from _names([member.name])
                    if not (member.isreg() or member.isdir()):
                        yield f"link or device {member.name!r}"
                    elif member.mode & 0o6000:
                        yield f"set-id bit on {member.name!r}"
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, ValueError) as error:
        yield f"it cannot be listed ({type(error).__name__})"


def _names(names: Iterable[str]) -> Iterable[str]:
    seen: set[str] = set()
    for name in names:
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if ".." in parts:
            yield f"path leaves the folder: {name[:80]!r}"
        if name.startswith(("/", "\\")) or name[1:2] == ":":
            yield f"absolute path: {name[:80]!r}"
        if len(name) > 255:
            yield f"name of {len(name)} characters"
        if name.casefold() in seen:
            yield f"same name twice: {name[:80]!r}"
        seen.add(name.casefold())
