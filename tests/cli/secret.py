"""A release with secret cells, and how one person is looked for in it."""

from __future__ import annotations

from typing import Any

from tests.cli.place import Place
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES

PERSON = ("audit", "release", "--original", "patients.csv", "--private", "own", "--person")


def plan(place: Place, **changes: Any) -> None:
    words = {
        "source": "patients.csv",
        "attributes": PATIENT_ATTRIBUTES,
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "method": "lgb-mdp",
    }
    place.plan(**{**words, **changes})
