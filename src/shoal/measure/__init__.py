"""What a release cost: one class per measure, by the name that a manifest uses."""

from shoal.measure.base import CellLoss, Measure, View
from shoal.measure.bound import LossBound
from shoal.measure.entropy import Entropy
from shoal.measure.heterogeneous import InfoLoss, InfoLossQuasi, InfoLossSensitive, PrivacyLoss
from shoal.measure.identity import NLoss, Vulnerable, VulnerableClusters
from shoal.measure.ladder import F1, IGR, ILR, ISR, Precision, Recall
from shoal.measure.lazy import Measures
from shoal.measure.learning import MLUtility
from shoal.measure.loss import GLM, NCP, Prec
from shoal.measure.query import QueryCount, QuerySum
from shoal.measure.size import DM, AverageClass, Suppression

_ALL: tuple[type[Measure], ...] = (
    GLM, NCP, Prec, DM, AverageClass, Entropy, Suppression,
    InfoLoss, InfoLossQuasi, InfoLossSensitive, PrivacyLoss, NLoss, Vulnerable,
    VulnerableClusters, ISR, IGR, ILR, F1, Precision, Recall, QueryCount, QuerySum, MLUtility,
    LossBound,
)  # fmt: skip
MEASURES: dict[str, type[Measure]] = {measure.name: measure for measure in _ALL}


def measures_of(view: View) -> Measures:
    """All measures that apply to a release, computed when they are read."""
    return Measures(MEASURES, view)


__all__ = ["MEASURES", "CellLoss", "Measure", "Measures", "View", "measures_of"]
