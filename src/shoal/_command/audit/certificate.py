"""A certificate: what an audit found, bound to the files by their digests, and signed.

The statement is signed as canonical JSON with Ed25519 (RFC 8032), by the library `cryptography`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal._command.audit.outcome import Audit
from shoal.errors import DataError, Problem
from shoal.folder.private import digest_manifest
from shoal.reading.manifest import read_json
from shoal.schema.wording import VERDICTS
from shoal.verify.release.files import check_listed
from shoal.version import __version__

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

FORMAT = 1
UNSIGNED = "it is not signed: anybody could have written it"
UNKNOWN = "the key that signed it is not known: give the public key with --key"
_INSTALL = "Install it with: pip install 'shoal[certificate]'"


@dataclass(frozen=True)
class CertificateCheck:
    """Whether a certificate is genuine and of this very release; `holds` is None if open."""

    holds: bool | None
    problems: tuple[Problem, ...]
    note: str
    statement: dict[str, Any]


def certify(found: Audit, given: tuple[str, ...], key: Path | None = None) -> str:
    """The certificate of an audit as text, signed where a private key is given.

    It has digests, verdicts and figures, but no value, path or row number. `given` are
    the names of what the audit was given besides the release.
    """
    statement = {
        "format": FORMAT,
        "tool": "shoal",
        "version": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "release": {
            "manifest": digest_manifest(found.folder),
            "files": {name: file.sha256 for name, file in found.manifest.files.items()},
            "made": found.manifest.time,
            "by": found.manifest.version,
        },
        "given": sorted(given),
        "verdict": VERDICTS[found.verdict],
        "findings": len(found.findings) + len(found.unlike),
        "requirements": [{**asdict(one), "holds": VERDICTS[one.holds]} for one in found.claims],
        "checks": [{**asdict(one), "holds": VERDICTS[one.holds]} for one in found.checks],
        # The person most at risk is given by the number of a row.
        "attacks": [
            {k: v for k, v in asdict(gain).items() if k != "person"} for gain in found.gains
        ],
        "trusted": list(found.notes),
    }
    document: dict[str, Any] = {"statement": statement}
    if key is not None:
        private = _private_key(key)
        document["signature"] = _text(private.sign(canonical(statement)))
        document["public_key"] = _text(private.public_key().public_bytes_raw())
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def verify_certificate(
    folder: Path, certificate: Path, key: Path | None = None
) -> CertificateCheck:
    """Whether a certificate is signed, by this key where one is given, and is of this folder.

    Raises DataError where the file is no certificate.
    """
    document = _read(certificate)
    statement, problems = document["statement"], []
    holds: bool | None = True
    note = ""
    if "signature" not in document:
        holds, note = None, UNSIGNED
        if key is not None:
            problems.append(Problem("The certificate must be signed, but it is not."))
    else:
        own = None if key is None else _public_key(key)
        problems += _check_signature(document, own)
        if own is None:
            holds, note = None, UNKNOWN
    problems += _check_release(folder, statement)
    return CertificateCheck(False if problems else holds, tuple(problems), note, statement)


def canonical(statement: Any) -> bytes:
    """The bytes that are signed: the same for the same statement, however it is written.

    >>> canonical({"b": 1, "a": "é"})
    b'{"a":"\\xc3\\xa9","b":1}'
    """
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def _read(path: Path) -> dict[str, Any]:
    try:
        document = read_json(path)
    except (OSError, ValueError):
        document = None
    statement = document.get("statement") if isinstance(document, dict) else None
    if not isinstance(statement, dict) or statement.get("format") != FORMAT:
        raise DataError(
            "The file is not a certificate that this version can read.",
            hint="Name a file that 'shoal audit --certificate FILE' wrote.",
        )
    return dict(document)


def _check_release(folder: Path, statement: dict[str, Any]) -> list[Problem]:
    """The folder is the very one that was audited: its manifest, and with it every file."""
    named = statement.get("release")
    if not isinstance(named, dict) or named.get("manifest") != digest_manifest(folder):
        return [Problem("The certificate belongs to another release: the manifests differ.")]
    # The manifest has the digests of the files, but may still be there when they are not.
    return check_listed(folder)[1]


def _check_signature(document: dict[str, Any], own: Ed25519PublicKey | None) -> list[Problem]:
    with _Library():
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    try:
        said = Ed25519PublicKey.from_public_bytes(base64.b64decode(document["public_key"]))
        signature = base64.b64decode(document["signature"])
        (own or said).verify(signature, canonical(document["statement"]))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return [Problem("The signature does not match the statement and this key.")]
    return []


def _private_key(path: Path) -> Ed25519PrivateKey:
    with _Library():
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    key = _loaded(path, lambda pem: load_pem_private_key(pem, password=None))
    if not isinstance(key, Ed25519PrivateKey):
        raise DataError(
            f"The file {path} must have an Ed25519 private key in PEM, without a password.",
            hint="Make one with: openssl genpkey -algorithm ed25519 -out key.pem",
        )
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    with _Library():
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    key = _loaded(path, load_pem_public_key)
    if not isinstance(key, Ed25519PublicKey):
        raise DataError(
            f"The file {path} must have an Ed25519 public key in PEM.",
            hint="Make one with: openssl pkey -in key.pem -pubout -out public.pem",
        )
    return key


def _loaded(path: Path, load: Callable[[bytes], object]) -> object:
    """What a file holds; None where it cannot be read as a key."""
    try:
        return load(path.read_bytes())
    except (OSError, ValueError, TypeError):
        return None


class _Library:
    """Turns the absence of the library into words."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, ImportError):
            raise DataError("Signatures need the library cryptography.", hint=_INSTALL) from None


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
