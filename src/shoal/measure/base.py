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
from shoal.recode.label import number_looks
from shoal.schema.specification import Specification
from shoal.table import Column, Table
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import packed_rows


@dataclass(frozen=True)
class View:
    """What a measure looks at: the table, its classes, and what each class publishes.

    `required_k` is the k required for each unit, where the plan requires one; `models` are those
    of the plan; `buckets` has the bucket of every row by attribute (-1: none), where the method
    keeps secrets; `symbols` the sensitive columns that show symbols in place of values. `polished`:
    the plan spends time on little loss, so how far it is from the least is worth some too.
    """

    table: Table
    partition: Partition
    labels: Sequence[Generalised]
    required_k: NDArray[np.int32] | None = None
    models: Sequence[Model] = ()
    buckets: Mapping[str, NDArray[np.int32]] | None = None
    symbols: Mapping[str, ShownColumn] = field(default_factory=dict)
    polished: bool = False

    @cached_property
    def row_class(self) -> NDArray[np.int32]:
        """The class of every input row, SUPPRESSED where there is none."""
        return self.table.by_row(self.partition.unit_class)

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """How many rows each class has."""
        kept = self.row_class[self.row_class != SUPPRESSED]
        return np.bincount(kept, minlength=self.partition.n_classes)

    @cached_property
    def published_class(self) -> NDArray[np.int64]:
        """The number of each class's published description; classes that look alike share one.

        Where secrets are kept, the number of the class is published, so no two look alike.
        """
        if self.buckets is not None:
            return np.arange(self.partition.n_classes)
        return number_looks(self.labels, self.partition.n_classes)

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
        _, same = np.unique(packed_rows(self.table), axis=0, return_inverse=True)
        return np.asarray(np.bincount(same)[same])

    @property
    def exact_sensitive(self) -> list[Column]:
        """The sensitive columns that are published with their values, not with symbols."""
        return [c for c in self.table.sensitive if c.attribute.name not in self.symbols]

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def n_suppressed(self) -> int:
        return self.n_rows - int(self.class_rows.sum())


class Measure(Specification):
    """A number that says what a release cost.

    `costly` ones are computed only when they are read, and those that are `part_of` another are not
    in the manifest. Only those `with_buckets` are defined for releases that keep secrets.
    """

    unit: ClassVar[str] = "share"
    costly: ClassVar[bool] = False
    part_of: ClassVar[str] = ""
    with_buckets: ClassVar[bool] = False

    def applies(self, view: View) -> bool:
        """Whether the measure is defined for this release."""
        return True

    def summarise(self, view: View) -> NDArray[np.float64]:
        """The sums over one shard; those of several shards add up."""
        raise NotImplementedError

    def finish(self, sums: NDArray[np.float64]) -> float:
        """The measure, from the sums over all shards."""
        return float(sums[0] / sums[1]) if sums[1] else 0.0

    def value(self, view: View) -> float:
        """The measure of a release that is one shard."""
        return self.finish(self.summarise(view))


class CellLoss(Measure):
    """The mean loss of a quasi-identifier's cell; a suppressed row loses 1 in each."""

    def of_nodes(self, label: Generalised) -> NDArray[np.float64]:
        """What each node or set of a quasi-identifier loses."""
        raise NotImplementedError

    def by_attribute(self, view: View) -> dict[str, float]:
        """The mean loss of each quasi-identifier."""
        total = max(view.n_rows, 1)
        return {
            label.domain.attribute.name: self._lost(view, label) / total for label in view.labels
        }

    def _lost(self, view: View, label: Generalised) -> float:
        of_label = range_share(label) if label.domain.is_range else self.of_nodes(label)
        if label.secret >= 0:
            of_label[[label.secret, label.withheld]] = self.of_secrets(view, label), 1.0
        return float((of_label[label.of_class] * view.class_rows).sum()) + view.n_suppressed

    def of_secrets(self, view: View, label: Generalised) -> float:
        """The mean loss of a secret cell: 0, since its exact value is in a bucket."""
        return 0.0

    def summarise(self, view: View) -> NDArray[np.float64]:
        lost = sum(self._lost(view, label) for label in view.labels)
        return np.array([lost, view.n_rows * len(view.labels)], dtype=np.float64)


def range_share(label: Generalised) -> NDArray[np.float64]:
    """Length of a range / length of its domain; 1 for a star, at most 1 for a snapped range."""
    span = label.domain.span
    width = np.nan_to_num(label.width)
    share = np.minimum(width / span, 1.0) if span else np.zeros_like(width)
    return np.where(label.leaves > 1, 1.0, share)
