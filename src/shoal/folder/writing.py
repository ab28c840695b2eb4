"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.errors import VerificationError
from shoal.folder.exchange import (
    draft_for,
    drafts_of,
    exchange,
    locked,
    place_draft,
    recover_name,
    undisturbed,
)
from shoal.folder.manifest import file_of, stamped, state, write_described
from shoal.folder.place import check_places
from shoal.folder.private import digest_manifest, release_of, write_private
from shoal.folder.public import Public
from shoal.folder.table import write_table
from shoal.reading.manifest import Manifest
from shoal.release.outcome import Outcome, seal
from shoal.report import GroupSizes, release_report
from shoal.verify import verify_files

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

    Raises VerificationError, and leaves nothing behind, where a requirement does not hold or the
    files differ from what was verified.
    """
    check_verified(release)
    own = None if private is None else target_of(Path(private))
    place = target_of(folder)
    check_places(place, own, force)
    with draft_for(place) as fresh:
        salt = secrets.token_hex(16)
        manifest = _fill(release, fresh, format, salt)
        with (progress or _silent)("verifying files"):
            verify_files(fresh, release.coded)
        fresh.chmod(0o777 & ~umask())
        if own is None:
            with locked(place.parent), undisturbed():
                # Again, under the lock: another run may have taken the place in the meantime.
                check_places(place, None, force)
                place_draft(fresh, place)
            return folder
        # All that takes long is done before the locks, which are held for little but two renames.
        with draft_for(own) as fresh_own:
            write_private(release, manifest, fresh_own, salt)
            with locked(place.parent, own.parent), undisturbed():
                check_places(place, own, force)
                _keep_earlier(own, fresh_own)
                _place_both(fresh, place, fresh_own, own)
    return folder


def write_draft(release: Outcome, place: Path) -> Path:
    """Write a release durably, under a name that nobody looks for; the draft for `place`.

    Raises as `write_release` does. Whoever gives it its name has nothing left to do but that.
    """
    check_verified(release)
    fresh = Path(tempfile.mkdtemp(prefix=f".{place.name}.shoal-", dir=place.parent))
    try:
        _fill(release, fresh, release.format, secrets.token_hex(16))
        verify_files(fresh, release.coded)
        for path in fresh.iterdir():
            settle(path)
        fresh.chmod(0o777 & ~umask())
        settle(fresh)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return fresh


def settle(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_verified(release: Outcome) -> None:
    """Raise VerificationError unless every requirement holds in the very tables of a release."""
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
            "The tables of this release must be those that were verified, but they have changed; "
            "nothing was written.",
            hint="Run the plan again.",
        )


def target_of(folder: Path) -> Path:
    """Where a folder lies: a symbolic link is written through, and stays a link."""
    return folder.resolve() if folder.is_symlink() else folder


def _place_both(fresh: Path, folder: Path, fresh_own: Path, own: Path) -> None:
    """The release first, then the private side; `_recover` completes what a kill leaves between."""
    # The release first: a private side names the manifest that it belongs to, so after a kill
    # between the two the next run can tell which release a draft is for.
    replaced = place_draft(fresh, folder)
    try:
        place_draft(fresh_own, own)
    except OSError:
        if replaced:
            exchange(fresh, folder)
        else:
            folder.rename(fresh)
        raise


def claim_places(folder: Path | None, private: Path | None, force: bool) -> None:
    """Make sure, before any work, that both folders may be written.

    Raises as `check_places` does. What an earlier run left half done is completed first.
    """
    _recover(folder, private)
    check_places(folder, private, force)


def _recover(folder: Path | None, private: Path | None) -> None:
    """Complete what a kill left half done: a release that is there, with its private side a draft.

    The private side names the manifest that it belongs to.
    """
    if folder is None or private is None:
        return
    place, own = target_of(folder), target_of(private)
    if not place.is_dir() or not own.parent.is_dir():
        return
    with locked(own.parent):
        recover_name(own)
        wanted = digest_manifest(place)
        if wanted is None or release_of(own) == wanted:
            return
        for draft in drafts_of(own):
            if release_of(draft) == wanted:
                place_draft(draft, own)
                return


def _fill(release: Outcome, folder: Path, format: str, salt: str) -> Manifest:
    files = {}
    for name, table in release.coded.items():
        path = folder / f"{name}.{format}"
        # CSV is written from the text that was verified; parquet also has types.
        written = table if format == "csv" else release.with_types(name, table, plain=False)
        write_table(written, path)
        files[path.name] = file_of(path, table.height)
    public = Public.counted_of(release)
    manifest = stamped(state(public), release.plan_digest, salt)
    sizes = None if public.counted is None else GroupSizes(*public.counted.crowds)
    report = release_report(manifest, release.coded, sizes)
    return write_described(folder, manifest, report, files)


def _keep_earlier(own: Path, fresh: Path) -> None:
    """Keep what the private folder contained: the only map of an earlier release."""
    facts = own / "private.json"
    if not facts.is_file():
        return
    when = datetime.fromtimestamp(facts.stat().st_mtime_ns / 1e9, UTC)
    keep = fresh / "earlier"
    if (own / "earlier").is_dir():
        # Linked, not copied: what is kept here never changes.
        shutil.copytree(own / "earlier", keep, copy_function=os.link)
    shutil.copytree(
        own,
        keep / when.strftime("%Y%m%dT%H%M%S.%fZ"),
        ignore=shutil.ignore_patterns("earlier"),
        copy_function=os.link,
    )


def umask() -> int:
    """The mask of this process."""
    # It can only be read by setting it: a file that another thread makes meanwhile is private
    # rather than open to others.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
