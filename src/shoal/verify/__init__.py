"""The independent check of releases: over published text, with nothing shared with what made it.

Only the schema and the errors are common ground; labels, classes, requirements and files are all
read and judged here again from their definitions.
"""

from shoal.verify.audit import audit_table, verify_manifest
from shoal.verify.files import read_table, verify_files
from shoal.verify.release import check_table, verify_release

__all__ = [
    "audit_table",
    "check_table",
    "read_table",
    "verify_files",
    "verify_manifest",
    "verify_release",
]
