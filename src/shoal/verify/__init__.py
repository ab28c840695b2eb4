"""The independent check of releases, from published text; it shares nothing with what made it.

Only the schema and the errors are shared; labels, classes, requirements and files are all
read and judged here again from their definitions.
"""

from shoal.verify.model.personal import required_k
from shoal.verify.model.recount import Recount
from shoal.verify.release.audit import audit_table
from shoal.verify.release.audit_secret import bucket_contents
from shoal.verify.release.digest import RowDigest, VerifiedTable, verify_parts
from shoal.verify.release.files import verify_files, verify_manifest
from shoal.verify.release.tables import check_table, symbol_leaks, verify_release
from shoal.verify.release.version import verify_versions
from shoal.verify.secret.adversary import PersonRisk, Risks, adversary_risks, matching_rows
from shoal.verify.secret.leak import Leak
from shoal.verify.text.assignment import Assignment
from shoal.verify.text.people import Numbering, check_numbers
from shoal.verify.text.population import Population
from shoal.verify.text.published import Published

__all__ = [
    "Assignment",
    "Leak",
    "Numbering",
    "PersonRisk",
    "Population",
    "Published",
    "Recount",
    "Risks",
    "RowDigest",
    "VerifiedTable",
    "adversary_risks",
    "audit_table",
    "bucket_contents",
    "check_numbers",
    "check_table",
    "matching_rows",
    "required_k",
    "symbol_leaks",
    "verify_files",
    "verify_manifest",
    "verify_parts",
    "verify_release",
    "verify_versions",
]
