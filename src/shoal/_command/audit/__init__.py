"""Is a written release what it says it is, and what does it give away of one person?"""

from shoal._command.audit.outcome import Audit, Claim, Inspection
from shoal._command.audit.person import PersonAtRisk, person_risk, published_rows
from shoal._command.audit.release import audit

__all__ = ["Audit", "Claim", "Inspection", "PersonAtRisk", "audit", "person_risk", "published_rows"]
