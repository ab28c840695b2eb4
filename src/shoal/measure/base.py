"""A measure says what a release cost; it is a fold over the shards of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.method.mhsa.symbol import ShownColumn
from shoal.model import Model
from shoal.recode import Generalised
from shoal.schema.specification import Specification
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition


@dataclass(frozen=True)
class View:
    """What a measure looks at: the table, its classes, and what each class publishes.

    `asked` is the k that each unit asks for, where one is asked; `models` are what the plan asks;
    `buckets` the bucket of every row by attribute (-1: none), where the method keeps secrets;
    `shown` the sensitive columns that show symbols in place of values.
    """

    table: Table
    partition: Partition
    labels: Sequence[Generalised]
    asked: NDArray[np.int32] | None = None
    models: Sequence[Model] = ()
    buckets: Mapping[str, NDArray[np.int32]] | None = None
    shown: Mapping[str, ShownColumn] = field(default_factory=dict)

    @cached_property
    def row_class(self) -> NDArray[np.int32]:
        """The class of every input row, SUPPRESSED where there is none."""
        if self.table.people is None:
            return self.partition.unit_class
        return self.partition.unit_class[self.table.people.person]

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """How many rows each class has."""
        kept = self.row_class[self.row_class != SUPPRESSED]
        return np.bincount(kept, minlength=self.partition.n_classes)

    @cached_property
    def published_class(self) -> NDArray[np.int64]:
        """For every class the number of its published values; classes may coincide.

        Where secrets are kept the number of the class is published, which tells all classes apart.
        """
        if self.buckets is not None:
            return np.arange(self.partition.n_classes)
        same = np.zeros(self.partition.n_classes, dtype=np.int64)
        for label in self.labels:
            texts = np.unique([text or "" for text in label.texts], return_inverse=True)[1]
            missing = np.array([text is None for text in label.texts])
            shown = (2 * texts + missing)[label.of_class]
            same = np.unique(same * (int(shown.max(initial=0)) + 1) + shown, return_inverse=True)[1]
        return same

    @property
    def n_published(self) -> int:
        """How many different descriptions are published."""
        return int(self.published_class.max(initial=-1)) + 1

    @cached_property
    def published_rows(self) -> NDArray[np.int64]:
        """How many rows each published description has."""
        return np.bincount(self.published_class, weights=self.class_rows).astype(np.int64)

    @cached_property
    def published_sizes(self) -> NDArray[np.int64]:
        """The units that share each class's published values."""
        sizes = np.bincount(self.published_class, weights=self.partition.sizes())
        return np.asarray(sizes.astype(np.int64)[self.published_class])

    @cached_property
    def sizes_at_level_1(self) -> NDArray[np.int64]:
        """For every unit, how many in the whole table have the same original values."""
        vectors = np.column_stack([self.table.unit_codes(a.name) for a in self.table.schema.quasi])
        _, same = np.unique(vectors, axis=0, return_inverse=True)
        return np.asarray(np.bincount(same)[same])

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def n_suppressed(self) -> int:
        return self.n_rows - int(self.class_rows.sum())


class Measure(Specification):
    """A number that says what a release cost; a part of another measure is not in the manifest."""

    unit: ClassVar[str] = "share"
    costly: ClassVar[bool] = False
    part_of: ClassVar[str] = ""
    with_buckets: ClassVar[bool] = False

    def applies(self, view: View) -> bool:
        """Whether the measure is defined for this release."""
        return True

    def summarise(self, view: View) -> NDArray[np.float64]:
        """Sums over one shard; sums of several shards are added."""
        raise NotImplementedError

    def finish(self, sums: NDArray[np.float64]) -> float:
        """The measure, from the sums over all shards."""
        return float(sums[0] / sums[1]) if sums[1] else 0.0

    def value(self, view: View) -> float:
        """The measure of a release that is one shard."""
        return self.finish(self.summarise(view))


class CellLoss(Measure):
    """The mean loss of a quasi-identifier's cell; a suppressed row loses all of each."""

    def of_labels(self, label: Generalised) -> NDArray[np.float64]:
        """What each label of a quasi-identifier loses."""
        raise NotImplementedError

    def by_attribute(self, view: View) -> dict[str, float]:
        """The mean loss of each quasi-identifier."""
        total = max(view.n_rows, 1)
        return {
            label.domain.attribute.name: self._lost(view, label) / total for label in view.labels
        }

    def _lost(self, view: View, label: Generalised) -> float:
        of_label = self.of_labels(label)
        if label.secret >= 0:
            of_label[[label.secret, label.withheld]] = self.of_secrets(view, label), 1.0
        return float((of_label[label.of_class] * view.class_rows).sum()) + view.n_suppressed

    def of_secrets(self, view: View, label: Generalised) -> float:
        """What a secret cell of a quasi-identifier loses in the mean: it keeps its exact value."""
        return 0.0

    def summarise(self, view: View) -> NDArray[np.float64]:
        lost = sum(self._lost(view, label) for label in view.labels)
        return np.array([lost, view.n_rows * len(view.labels)], dtype=np.float64)


def range_share(label: Generalised) -> NDArray[np.float64]:
    """Length of a range by the length of its domain; 1 for a star, at most 1 for a round range."""
    span = label.domain.span
    width = np.nan_to_num(label.width)
    share = np.minimum(width / span, 1.0) if span else np.zeros_like(width)
    return np.where(label.leaves > 1, 1.0, share)
