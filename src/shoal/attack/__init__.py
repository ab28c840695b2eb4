"""What an adversary gains from a release, measured: one file for each attack."""

from shoal.attack.base import Attack, Crowd, Gain, Rate, Target
from shoal.attack.bucket import Bucket
from shoal.attack.inference import Inference
from shoal.attack.intersection import Intersection
from shoal.attack.linkage import Journalist, Linkage
from shoal.attack.reasoning import Reasoning

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (Linkage, Journalist, Inference, Reasoning, Bucket, Intersection)
}

__all__ = [
    "ATTACKS",
    "Attack",
    "Bucket",
    "Crowd",
    "Gain",
    "Inference",
    "Intersection",
    "Journalist",
    "Linkage",
    "Rate",
    "Reasoning",
    "Target",
]
