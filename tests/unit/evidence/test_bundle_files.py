"""What must not be followed, extracted or read is refused before a byte of it is."""

import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from leadline.contracts.errors import BundleError
from leadline.evidence import open_bundle


def test_a_link_inside_is_refused(make_bundle, tmp_path: Path) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("ts,metric,value\n")
    root = make_bundle()
    (root / "metrics.csv").symlink_to(outside)
    with pytest.raises(BundleError, match=r"metrics\.csv.*link"):
        open_bundle(root)


def test_a_linked_folder_is_refused(make_bundle, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    root = make_bundle()
    (root / "logs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="link"):
        open_bundle(root)


def test_a_linked_incident_file_is_refused(make_bundle, tmp_path: Path) -> None:
    root = make_bundle()
    (root / "incident.yaml").rename(tmp_path / "real.yaml")
    (root / "incident.yaml").symlink_to(tmp_path / "real.yaml")
    with pytest.raises(BundleError, match="link"):
        open_bundle(root)


def test_a_pipe_is_refused_and_never_opened(make_bundle) -> None:
    root = make_bundle()
    os.mkfifo(root / "logs.jsonl")
    with pytest.raises(BundleError, match="no plain file"):
        open_bundle(root)


@pytest.mark.parametrize(
    "name", ["metrics/*.csv", "metrics/a[1].csv", "metrics/a\nb.csv", 'metrics/a".csv', "metrics/a?.csv"]
)
def test_names_that_are_patterns_are_refused(make_bundle, name: str) -> None:
    with pytest.raises(BundleError, match=r"rename|pattern"):
        open_bundle(make_bundle({name: "ts,metric,value\n"}))


def test_folders_that_lie_too_deep_are_refused(make_bundle) -> None:
    with pytest.raises(BundleError, match="too deep"):
        open_bundle(make_bundle({"logs/a/b/c/d/e/f/g.jsonl": "{}\n"}))


def test_no_folder_at_all_says_so(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="no such folder"):
        open_bundle(tmp_path / "nothing")


def test_a_folder_without_incident_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"no incident\.yaml"):
        open_bundle(tmp_path)


def test_a_file_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(BundleError, match="a bundle is a folder"):
        open_bundle(tmp_path / "x.txt")


def test_a_zip_is_refused_whole_with_what_is_wrong_in_it(tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("incident.yaml", "id: x")
        archive.writestr("../../escaped.txt", "x")
        archive.writestr("/abs.txt", "x")
        link = zipfile.ZipInfo("logs")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BundleError) as refused:
        open_bundle(path)
    assert "never extracted" in refused.value.why
    for reason in ("leaves the folder", "absolute path", "link 'logs'"):
        assert reason in refused.value.why
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bundle.zip"]


def test_a_tar_is_refused_with_its_links_and_devices(tmp_path: Path) -> None:
    path = tmp_path / "bundle.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("logs")
        member.type, member.linkname = tarfile.SYMTYPE, "/tmp"
        archive.addfile(member)
        suid = tarfile.TarInfo("run.sh")
        suid.mode, suid.size = 0o4755, 1
        archive.addfile(suid, io.BytesIO(b"x"))
    with pytest.raises(BundleError) as refused:
        open_bundle(path)
    assert "link or device 'logs'" in refused.value.why
    assert "set-id bit on 'run.sh'" in refused.value.why


def test_an_archive_inside_is_left_alone_and_said(opened) -> None:
    bundle = opened({"logs/old.zip": b"PK\x03\x04", "logs/a.jsonl": [{"ts": "2026-01-01T00:00:00Z", "msg": "x"}]})
    logs = next(c for c in bundle.coverage() if c.source == "logs")
    assert logs.rows == 1
    assert logs.status == "cut"
    assert any("old.zip: archives are never extracted" in note for note in logs.notes)


def test_equal_bytes_give_equal_digests_and_a_name_matters(opened) -> None:
    rows = [{"ts": "2026-01-01T00:00:00Z", "msg": "x"}]
    one, two, three = opened({"logs.jsonl": rows}), opened({"logs.jsonl": rows}), opened({"logs/a.jsonl": rows})
    assert one.bundle_digest == two.bundle_digest
    assert one.bundle_digest != three.bundle_digest


def test_tables_reach_nothing_outside_the_bundle(opened) -> None:
    bundle = opened({"logs.jsonl": [{"ts": "2026-01-01T00:00:00Z", "msg": "x"}]})
    for sql in (
        "SELECT * FROM read_text('/etc/hostname')",
        f"SELECT * FROM read_text('{bundle.content.root}/../outside.txt')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "ATTACH '/tmp/x.db'",
    ):
        with pytest.raises(Exception, match=r"(?i)permission|disabled|locked|cannot"):
            bundle.tables().rows(sql)
