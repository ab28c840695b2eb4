"""The values that a coded column can take, in the order of their codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.schema import Attribute, Kind


def number_text(number: float) -> str:
    """A number as it is published: the shortest text that reads back as the same number.

    >>> number_text(36.0), number_text(0.1), number_text(-2.5e-7)
    ('36', '0.1', '-2.5e-07')
    """
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


@dataclass(frozen=True)
class Domain:
    """What the codes 0 … n-1 of an attribute stand for.

    `texts[c]` is the value as published, None for missing. Numbers and dates have `numbers` (days
    for dates, nan for missing) in ascending order unless a hierarchy orders them otherwise; with a
    hierarchy, every node of `tree` is a range of codes. `missing` is the code of missing, or -1.
    """

    attribute: Attribute
    texts: tuple[str | None, ...]
    numbers: NDArray[np.float64] | None
    tree: Tree | None
    missing: int

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def is_range(self) -> bool:
        """Whether a class publishes a range, from the least to the largest of its values."""
        return self.tree is None and self.attribute.kind in (Kind.NUMERIC, Kind.DATE)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number: declared, else of the values present."""
        if self.attribute.domain is not None:
            return self.attribute.domain
        if self.numbers is None or not np.isfinite(self.numbers).any():
            return 0.0, 0.0
        return float(np.nanmin(self.numbers)), float(np.nanmax(self.numbers))

    @property
    def span(self) -> float:
        """The length of the domain."""
        return self.ends[1] - self.ends[0]

    @cached_property
    def natural(self) -> NDArray[np.int32]:
        """The codes in the natural order of their values, missing last."""
        if self.numbers is not None:
            return np.argsort(self.numbers, kind="stable").astype(np.int32)
        if self.attribute.kind is Kind.ORDINAL:
            place = {text: i for i, text in enumerate(self.attribute.values or ())}
            keys = [(t is None, place.get(t or "", 0)) for t in self.texts]
        else:
            keys = [(t is None, t or "") for t in self.texts]  # type: ignore[misc]
        return np.array(sorted(range(len(self)), key=keys.__getitem__), dtype=np.int32)

    def ordered_by(self, tree: Tree) -> Domain:
        """The same values with codes in the depth-first order of a hierarchy."""
        order = tree.order
        texts = tuple(self.texts[i] for i in order)
        numbers = None if self.numbers is None else self.numbers[order]
        missing = -1 if self.missing < 0 else int(np.flatnonzero(order == self.missing)[0])
        return replace(self, texts=texts, numbers=numbers, tree=tree, missing=missing)
