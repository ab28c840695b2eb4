"""Writing a release: the folder, its manifest, the publisher's own side, all or nothing."""

from shoal.publish.folder import clear_stale, write_release
from shoal.publish.place import check_places
from shoal.publish.text import escape_table

__all__ = ["check_places", "clear_stale", "escape_table", "write_release"]
