"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.errors import VerificationError
from shoal.folder.manifest import manifest_of, with_files
from shoal.folder.place import check_places
from shoal.folder.private import write_private
from shoal.folder.table import write_table
from shoal.reading.manifest import MANIFEST, Manifest
from shoal.release.outcome import Outcome, seal
from shoal.report import release_report
from shoal.verify import verify_files

_MARK = ".shoal-"
Progress = Callable[[str], AbstractContextManager[Any]]


def _silent(stage: str) -> AbstractContextManager[None]:
    return nullcontext()


def write_release(
    release: Outcome,
    folder: Path,
    *,
    private: str | Path | None = None,
    force: bool = False,
    format: str = "csv",
    progress: Progress | None = None,
) -> Path:
    """Write a release, read it again, compare, and only then give it its name.

    Raises VerificationError, and leaves nothing behind, where a requirement does not hold or what
    was written is not what was verified.
    """
    failing = [
        v
        for v in release.verdicts
        if v.holds is not True and v.requirement not in release.may_be_unmet
    ]
    if failing:
        raise VerificationError(
            f"{len(failing)} of {len(release.verdicts)} requirements do not hold; "
            "nothing was written."
        )
    if seal(release.coded) != release.verified:
        raise VerificationError(
            "The tables of this release are not those that were verified; nothing was written.",
            hint="Run the plan again.",
        )
    own = None if private is None else Path(private)
    check_places(folder, own, force)
    with _beside(folder) as fresh:
        manifest = _fill(release, fresh, format)
        with (progress or _silent)("verifying files"):
            verify_files(fresh, release.coded)
        fresh.chmod(0o777 & ~_umask())
        if own is None:
            _put(fresh, folder)
            return folder
        with _beside(own) as fresh_own:
            write_private(release, manifest, fresh_own)
            _keep_earlier(own, fresh_own)
            new = not own.exists()
            _put(fresh_own, own)
            try:
                _put(fresh, folder)
            except BaseException:
                if new:
                    shutil.rmtree(own, ignore_errors=True)
                raise
    return folder


def _fill(release: Outcome, folder: Path, format: str) -> Manifest:
    files = []
    for name, table in release.coded.items():
        path = folder / f"{name}.{format}"
        write_table(table, path)
        files.append(path)
    manifest = manifest_of(release)
    report = folder / "report.html"
    report.write_text(release_report(manifest, release.coded), encoding="utf-8")
    manifest = with_files(manifest, release, [*files, report])
    (folder / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    return manifest


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A temporary folder in the same place, readable by nobody else, gone afterwards."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    clear_stale(folder)
    prefix = f".{folder.name}{_MARK}{os.getpid()}-"
    fresh = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _keep_earlier(own: Path, fresh: Path) -> None:
    """What the private folder held goes along: it is the only map of an earlier release."""
    facts = own / "private.json"
    if not facts.is_file():
        return
    when = datetime.fromtimestamp(facts.stat().st_mtime_ns / 1e9, UTC)
    keep = fresh / "earlier"
    if (own / "earlier").is_dir():
        shutil.copytree(own / "earlier", keep, copy_function=os.link)
    shutil.copytree(
        own,
        keep / when.strftime("%Y%m%dT%H%M%S.%fZ"),
        ignore=shutil.ignore_patterns("earlier"),
        copy_function=os.link,
    )


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _put(fresh: Path, folder: Path) -> None:
    """Give a finished folder its name; an old one is moved aside first and then removed."""
    if not folder.exists():
        fresh.rename(folder)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}{_MARK}{os.getpid()}-", dir=folder.parent))
    old = aside / "old"
    try:
        folder.rename(old)
        fresh.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def clear_stale(folder: Path) -> None:
    """Remove what a run that was killed left beside this folder."""
    prefix = f".{folder.name}{_MARK}"
    for left in folder.parent.glob(f"{prefix}*"):
        pid = left.name.removeprefix(prefix).split("-")[0]
        if pid.isdigit() and not _runs(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
