"""A certificate is bound to the release and to a key, and says what was found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from shoal._command.audit.certificate import UNKNOWN, UNSIGNED, certify, verify_certificate
from shoal.errors import DataError
from tests._command.audit.forge import Forged


def keys(place: Path) -> tuple[Path, Path]:
    private = Ed25519PrivateKey.generate()
    own, public = place / "key.pem", place / "public.pem"
    own.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    known = private.public_key()
    public.write_bytes(known.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return own, public


def write(place: Path, release: Forged, key: Path | None) -> Path:
    path = place / "certificate.json"
    path.write_text(certify(release.audit("original", "private"), ("original", "private"), key))
    return path


def test_a_signed_certificate_is_verified_with_the_public_key(
    release: Forged, tmp_path: Path
) -> None:
    own, public = keys(tmp_path)
    path = write(tmp_path, release, own)
    found = verify_certificate(release.folder, path, public)
    assert (found.holds, found.problems, found.note) == (True, (), "")
    assert found.statement["verdict"] == "holds"
    assert {gain["attack"] for gain in found.statement["attacks"]} >= {"linkage", "inference"}
    assert "person" not in found.statement["attacks"][0]
    alone = verify_certificate(release.folder, path)
    assert (alone.holds, alone.note) == (None, UNKNOWN)


def test_what_was_changed_is_found(release: Forged, tmp_path: Path) -> None:
    own, public = keys(tmp_path)
    path = write(tmp_path, release, own)
    document = json.loads(path.read_text())
    document["statement"]["verdict"] = "holds for ever"
    path.write_text(json.dumps(document))
    assert verify_certificate(release.folder, path, public).holds is False
    assert verify_certificate(release.folder, path).holds is False


@pytest.mark.parametrize("name", ["data.csv", "report.html", "names.csv"])
def test_files_that_were_changed_beside_the_manifest_are_found(
    release: Forged, tmp_path: Path, name: str
) -> None:
    """The certificate is bound to the manifest, and only the manifest to the files."""
    own, public = keys(tmp_path)
    path = write(tmp_path, release, own)
    with (release.folder / name).open("a") as file:
        file.write("x")
    found = verify_certificate(release.folder, path, public)
    assert found.holds is False
    assert [problem.where for problem in found.problems] == [name]


def test_another_key_and_another_release(release: Forged, tmp_path: Path) -> None:
    own, public = keys(tmp_path)
    path = write(tmp_path, release, own)
    (tmp_path / "other").mkdir()
    other = keys(tmp_path / "other")[1]
    assert verify_certificate(release.folder, path, other).holds is False
    release.manifest(lambda m: m.update(time="2001-01-01T00:00:00+00:00"))
    found = verify_certificate(release.folder, path, public)
    assert "belongs to another release" in str(found.problems[0])


def test_without_a_key_anybody_could_have_written_it(release: Forged, tmp_path: Path) -> None:
    path = write(tmp_path, release, None)
    found = verify_certificate(release.folder, path)
    assert (found.holds, found.note) == (None, UNSIGNED)
    assert verify_certificate(release.folder, path, keys(tmp_path)[1]).holds is False


def test_a_signature_needs_its_library_with_a_key_and_without(
    release: Forged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, public = keys(tmp_path)
    path = write(tmp_path, release, own)
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    for key in (public, None):
        with pytest.raises(DataError, match="need the library cryptography"):
            verify_certificate(release.folder, path, key)


def test_what_is_no_key_and_what_is_no_certificate(release: Forged, tmp_path: Path) -> None:
    wrong = tmp_path / "rsa.pem"
    rsa = generate_private_key(65537, 2048)
    wrong.write_bytes(rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    for path in (wrong, tmp_path / "nothing.pem"):
        with pytest.raises(DataError, match="Ed25519 private key"):
            write(tmp_path, release, path)
    with pytest.raises(DataError, match="not a certificate"):
        verify_certificate(release.folder, release.folder / "manifest.json")
