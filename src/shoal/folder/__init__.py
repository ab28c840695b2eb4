"""Writing a release: the folder, its manifest, the publisher's own side, all or nothing."""

from shoal.folder.escape import escape_table
from shoal.folder.history import (
    digest_people,
    earlier_releases,
    extend_history,
    warn_of_overlap,
)
from shoal.folder.writing import Progress, claim_places, write_release

__all__ = [
    "Progress",
    "claim_places",
    "digest_people",
    "earlier_releases",
    "escape_table",
    "extend_history",
    "warn_of_overlap",
    "write_release",
]
