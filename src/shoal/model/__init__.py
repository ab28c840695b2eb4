"""What must hold in a release: one class per model, by the name that a plan uses."""

from shoal.model.alpha_k import AlphaK
from shoal.model.base import Bound, Model, Reach, SensitiveModel
from shoal.model.k_anonymity import KAnonymity
from shoal.model.k_e import KE
from shoal.model.l_diversity import LDiversity
from shoal.model.multi_level_k import MultiLevelK
from shoal.model.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.name: model for model in (KAnonymity, LDiversity, AlphaK, TCloseness, KE, MultiLevelK)
}

__all__ = [
    "KE",
    "MODELS",
    "AlphaK",
    "Bound",
    "KAnonymity",
    "LDiversity",
    "Model",
    "MultiLevelK",
    "Reach",
    "SensitiveModel",
    "TCloseness",
]
