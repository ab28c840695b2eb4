"""What a learner loses by learning from the release."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, ClassVar
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.table import Column
from shoal.table.partition import SUPPRESSED

_MOST_ROWS = 20_000
_MOST_VALUES = 50


class MLUtility(Measure):
    """The share of a decision tree's advantage that is lost by learning from the release.

    A tree predicts the first categorical sensitive attribute from the quasi-identifiers, three-fold
    cross-validated with a fixed seed on at most 20,000 published rows: once from the original
    values, once from the published ones (the first and last value that each covers). The measure is
    the drop in accuracy / the advantage of the original over always guessing the commonest value,
    between 0 and 1. Absent without scikit-learn (`shoal[sklearn]`).
    """

    name: ClassVar[str] = "ml-utility"
    limits: ClassVar[str] = "One learner, one target. Needs scikit-learn."
    cite: ClassVar[papers.Citations] = (papers.cite("iyengar"),)
    costly: ClassVar[bool] = True

    def applies(self, view: View) -> bool:
        return find_spec("sklearn") is not None and _target(view) is not None

    def summarise(self, view: View) -> NDArray[np.float64]:
        target = _target(view)
        assert target is not None
        rows = np.flatnonzero(view.row_class != SUPPRESSED)
        if len(rows) > _MOST_ROWS:
            rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_ROWS, replace=False))
        answers = target.codes[rows]
        names = [label.domain.attribute.name for label in view.labels]
        original = np.column_stack([view.table.columns[name].codes[rows] for name in names])
        classes = view.row_class[rows]
        ends = [(x.first[x.of_class[classes]], x.last[x.of_class[classes]]) for x in view.labels]
        published = np.column_stack([end for pair in ends for end in pair])
        guess = np.bincount(answers).max() / len(answers)
        before, after = _accuracy(original, answers), _accuracy(published, answers)
        advantage = max(before - guess, 0.0)
        return np.array([min(max(before - after, 0.0), advantage), advantage])


def _target(view: View) -> Column | None:
    """The first attribute with two values to tell apart, each common enough for three folds."""
    for column in view.exact_sensitive:
        if column.domain.numbers is None and 2 <= len(column.domain) <= _MOST_VALUES:
            counts = np.bincount(column.codes[view.row_class != SUPPRESSED], minlength=1)
            if np.count_nonzero(counts >= 3) >= 2:
                return column
    return None


def _accuracy(features: NDArray[Any], answers: NDArray[Any]) -> float:
    from sklearn.model_selection import KFold, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    learner = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    with catch_warnings():
        # It takes a target of nearly as many values as rows for a number that was forgotten.
        simplefilter("ignore", UserWarning)
        return float(np.mean(cross_val_score(learner, features, answers, cv=folds)))
