"""Releases that are written once, as for audits."""

from tests._command.audit.conftest import good as good
from tests._command.audit.conftest import release as release
