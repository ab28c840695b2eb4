"""Compiled kernels that are out of date and that nobody has used for a month are removed.

Every edit of a kernel, and so every version, has folders of its own in the cache. The time of
change of a folder says when it was used last, to the day. Several processes may sweep at once, and
others use what is swept: a folder gets another name first, which one of them alone can give it, and
whoever misses it compiles again.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_DAY = 86_400.0
_UNUSED = 30 * _DAY
# As `cache_folder` names them; nothing else in the cache is touched.
_OWN = re.compile(r"[0-9a-f]{16}")
_GONE = re.compile(r"[0-9a-f]{16}\.gone-\d+")


def mark_used(folder: Path) -> None:
    """Remember that the kernels of a folder are in use; one that is not there yet will be new."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)


def sweep_once_a_day(kept: Path, current: Callable[[], set[str]]) -> None:
    """Remove what was not used for a month, unless somebody has looked today.

    Folders of these names stay: the kernels as they are now may be needed again at any time.
    """
    swept = kept / "swept"
    with suppress(OSError):
        if swept.exists() and time.time() - swept.stat().st_mtime < _DAY:
            return
        swept.touch()
        stay = current()
        for folder in kept.iterdir():
            if folder.name not in stay and not folder.is_symlink() and folder.is_dir():
                _remove_unused(folder)


def _remove_unused(folder: Path) -> None:
    gone = folder
    if _OWN.fullmatch(folder.name):
        if time.time() - folder.stat().st_mtime < _UNUSED:
            return
        gone = folder.with_name(f"{folder.name}.gone-{os.getpid()}")
        with suppress(OSError):
            folder.rename(gone)
    if _GONE.fullmatch(gone.name):
        shutil.rmtree(gone, ignore_errors=True)
