"""What an adversary gains from a release, measured: one file for each attack."""

from shoal.attack.base import Attack, Crowd, Gain, Rate, Target
from shoal.attack.bucket import Bucket
from shoal.attack.definetti import DeFinetti
from shoal.attack.downcoding import Downcoding
from shoal.attack.flag import Flag
from shoal.attack.inference import Inference
from shoal.attack.intersection import Intersection
from shoal.attack.linkage import Journalist, Linkage, Marketer
from shoal.attack.minimality import Minimality
from shoal.attack.personal import Personal
from shoal.attack.reasoning import Reasoning

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (
        Linkage,
        Marketer,
        Journalist,
        Inference,
        Reasoning,
        Bucket,
        DeFinetti,
        Flag,
        Personal,
        Minimality,
        Downcoding,
        Intersection,
    )
}

__all__ = [
    "ATTACKS",
    "Attack",
    "Bucket",
    "Crowd",
    "DeFinetti",
    "Downcoding",
    "Flag",
    "Gain",
    "Inference",
    "Intersection",
    "Journalist",
    "Linkage",
    "Marketer",
    "Minimality",
    "Personal",
    "Rate",
    "Reasoning",
    "Target",
]
