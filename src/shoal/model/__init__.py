"""What must hold in a release: one class per model, by the name that a plan uses."""

from shoal.model.alpha_k import AlphaK
from shoal.model.base import Bound, Model, Reach, SensitiveModel
from shoal.model.combination import KM, LKC
from shoal.model.identity import EIRAlphaBeta, EIRl, IRAlphaBeta, IRk, IRkl
from shoal.model.k_anonymity import KAnonymity
from shoal.model.k_e import KE
from shoal.model.l_diversity import LDiversity
from shoal.model.likeness import BetaLikeness, DeltaDisclosure
from shoal.model.multi_level_k import MultiLevelK
from shoal.model.p_sensitive import PSensitive
from shoal.model.population import DeltaPresence, KMap, PopulationModel
from shoal.model.t_closeness import TCloseness

_ALL: tuple[type[Model], ...] = (
    KAnonymity, LDiversity, AlphaK, TCloseness, KE, MultiLevelK,
    IRk, IRkl, IRAlphaBeta, EIRl, EIRAlphaBeta,
    BetaLikeness, DeltaDisclosure, DeltaPresence, KMap, LKC, KM, PSensitive,
)  # fmt: skip
MODELS: dict[str, type[Model]] = {model.name: model for model in _ALL}

__all__ = [
    "KE",
    "KM",
    "LKC",
    "MODELS",
    "AlphaK",
    "BetaLikeness",
    "Bound",
    "DeltaDisclosure",
    "DeltaPresence",
    "EIRAlphaBeta",
    "EIRl",
    "IRAlphaBeta",
    "IRk",
    "IRkl",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "Model",
    "MultiLevelK",
    "PSensitive",
    "PopulationModel",
    "Reach",
    "SensitiveModel",
    "TCloseness",
]
