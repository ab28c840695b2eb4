"""What an adversary gains from a release, measured: one file for each attack."""

from shoal.attack.base import Attack, Crowd, Gain, Rate, Target
from shoal.attack.inference import Inference
from shoal.attack.linkage import Journalist, Linkage

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack for attack in (Linkage, Journalist, Inference)
}

__all__ = [
    "ATTACKS",
    "Attack",
    "Crowd",
    "Gain",
    "Inference",
    "Journalist",
    "Linkage",
    "Rate",
    "Target",
]
