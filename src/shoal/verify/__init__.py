"""The independent check of releases: over published text, with nothing shared with what made it.

Only the schema and the errors are common ground; labels, classes, requirements and files are all
read and judged here again from their definitions.
"""

from shoal.verify.adversary import PersonRisk, Risks, adversary_risks, matching_rows
from shoal.verify.audit import audit_table, verify_manifest
from shoal.verify.files import read_table, verify_files
from shoal.verify.leak import Leak
from shoal.verify.release import check_table, symbol_leaks, verify_release

__all__ = [
    "Leak",
    "PersonRisk",
    "Risks",
    "adversary_risks",
    "audit_table",
    "check_table",
    "matching_rows",
    "read_table",
    "symbol_leaks",
    "verify_files",
    "verify_manifest",
    "verify_release",
]
