"""What people are in hospital for, and how that depends on age, sex and season."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

AGES = (15, 40, 65)  # the ages at which young, middle and old begin; below are children
N_GROUPS = 2 * (len(AGES) + 1)


class Illness(NamedTuple):
    """A diagnosis: its place in the tree, and how common it is among children, young, middle, old.

    `women` is the share of women among those who have it if there are as many men as women; `stay`
    the mean number of days; `stigma` how much people want to keep it to themselves; `winter`
    whether it is more common in winter.
    """

    name: str
    group: str
    chapter: str
    ward: str
    common: tuple[float, float, float, float]
    stay: float
    women: float = 0.5
    stigma: float = 0.1
    winter: bool = False


ILLNESSES = (
    Illness("angina", "heart", "circulatory", "cardiology", (0, 1, 6, 9), 5, 0.45),
    Illness("heart failure", "heart", "circulatory", "cardiology", (0, 0.5, 4, 14), 9),
    Illness("infarction", "heart", "circulatory", "cardiology", (0, 0.5, 5, 9), 8, 0.33),
    Illness("arrhythmia", "heart", "circulatory", "cardiology", (0.5, 2, 4, 9), 4),
    Illness("hypertension", "vessels", "circulatory", "internal medicine", (0, 2, 9, 14), 4),
    Illness("stroke", "vessels", "circulatory", "neurology", (0, 1, 4, 10), 12),
    Illness("pneumonia", "airway infection", "respiratory", "internal medicine",
            (8, 3, 4, 9), 8, winter=True),
    Illness("influenza", "airway infection", "respiratory", "internal medicine",
            (9, 4, 3, 5), 4, winter=True),
    Illness("bronchitis", "airway infection", "respiratory", "internal medicine",
            (12, 4, 3, 4), 4, winter=True),
    Illness("asthma", "chronic airway disease", "respiratory", "internal medicine",
            (9, 6, 3, 2), 3, 0.55),
    Illness("COPD", "chronic airway disease", "respiratory", "internal medicine",
            (0, 0.5, 6, 9), 8, 0.45),
    Illness("gastritis", "stomach", "digestive", "internal medicine", (3, 7, 6, 4), 3),
    Illness("stomach ulcer", "stomach", "digestive", "surgery", (0.5, 3, 5, 5), 6),
    Illness("appendicitis", "bowel", "digestive", "surgery", (9, 8, 3, 1), 4),
    Illness("hernia", "bowel", "digestive", "surgery", (2, 4, 7, 6), 3, 0.23),
    Illness("fracture", "bones", "injuries", "surgery", (14, 9, 7, 14), 6),
    Illness("concussion", "head", "injuries", "neurology", (10, 7, 3, 3), 2),
    Illness("type 1 diabetes", "diabetes", "metabolic", "internal medicine", (3, 3, 1, 1), 5),
    Illness("type 2 diabetes", "diabetes", "metabolic", "internal medicine", (0, 1, 7, 10), 6),
    Illness("epilepsy", "nerves", "nervous system", "neurology", (4, 4, 3, 3), 5, stigma=0.4),
    Illness("migraine", "nerves", "nervous system", "neurology", (1, 6, 4, 1), 2, 0.7),
    Illness("depression", "mood", "mental", "psychiatry", (1, 8, 8, 4), 24, 0.6, 0.8),
    Illness("anxiety", "mood", "mental", "psychiatry", (2, 8, 5, 2), 16, 0.6, 0.7),
    Illness("addiction", "substance use", "mental", "psychiatry", (0, 9, 7, 2), 18, 0.33, 0.95),
    Illness("HIV", "chronic infection", "infections", "internal medicine",
            (0.1, 2, 2, 0.5), 7, 0.3, 1.0),
    Illness("hepatitis", "chronic infection", "infections", "internal medicine",
            (0.2, 2, 3, 2), 8, 0.45, 0.6),
    Illness("breast cancer", "solid tumour", "cancer", "oncology", (0, 1, 7, 7), 7, 1.0, 0.5),
    Illness("prostate cancer", "solid tumour", "cancer", "oncology", (0, 0, 4, 10), 7, 0.0, 0.5),
    Illness("lung cancer", "solid tumour", "cancer", "oncology", (0, 0.3, 4, 7), 10, 0.4, 0.5),
    Illness("leukaemia", "blood cancer", "cancer", "oncology", (2, 1, 1, 2), 20, stigma=0.5),
    Illness("childbirth", "pregnancy", "pregnancy and birth", "obstetrics",
            (0, 34, 0.5, 0), 4, 1.0),
)  # fmt: skip


def diagnosis_rows() -> list[tuple[str, str, str, str]]:
    """The hierarchy of diagnoses, leaf first: diagnosis, group, chapter, root."""
    return [(i.name, i.group, i.chapter, "*") for i in ILLNESSES]


def ward_rows() -> list[tuple[str, str, str]]:
    """The hierarchy of wards, leaf first: ward, kind of ward, root."""
    operative = ("surgery", "obstetrics")
    wards = sorted({*(i.ward for i in ILLNESSES), "paediatrics"})
    return [(w, "operative" if w in operative else "conservative", "*") for w in wards]


def group_of(age: NDArray[np.float64], is_female: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of each person's group: the age group, once for men and once for women."""
    return np.asarray(np.searchsorted(AGES, age, side="right") * 2 + is_female)


def draw_illnesses(group: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """An illness for each person, drawn as often as it is common in the person's group."""
    heights = np.cumsum(_shares(), axis=1)
    # Rounding may leave a sum below 1, and a draw above it.
    heights[:, -1] = 1.0
    steps = (heights + np.arange(N_GROUPS)[:, None]).ravel()
    found = np.searchsorted(steps, rng.random(len(group)) + group, side="right")
    return np.asarray(np.minimum(found - group * len(ILLNESSES), len(ILLNESSES) - 1))


def _shares() -> NDArray[np.float64]:
    """The share of each illness (column) in each group (row)."""
    common = np.array([i.common for i in ILLNESSES]).T
    women = np.array([i.women for i in ILLNESSES])
    weights = np.stack([common * (1 - women), common * women], axis=1).reshape(N_GROUPS, -1)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
