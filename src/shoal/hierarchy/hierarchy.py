"""The hierarchy that users declare: one class, several ways to build it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

from shoal.hierarchy.climb import climb
from shoal.hierarchy.declare import (
    declare_dates,
    declare_intervals,
    declare_mask,
    declare_rows,
    declare_tree,
    declare_width,
    redeclare,
)
from shoal.hierarchy.file import read_rows, write_rows
from shoal.hierarchy.level import Floats
from shoal.hierarchy.text import finest
from shoal.hierarchy.tree import Tree, grow
from shoal.schema import HierarchySpec, Kind


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """What each value may be published as, level by level, from the value itself upwards.

    Build one with a constructor below or with `from_spec`; all of them check their parameters and
    raise a `PlanError` (a `DataError` for the content of a file) that lists every problem.

    >>> Hierarchy.width(5, levels=2).labels(["20", "24.9"], Kind.NUMERIC)[1]
    ('24.9', '[20, 25[', '[20, 30[', '*')
    """

    spec: HierarchySpec

    @classmethod
    def from_spec(cls, spec: HierarchySpec) -> Self:
        """The hierarchy of a specification, once that is checked."""
        return cls(redeclare(spec))

    @classmethod
    def file(cls, path: str | PathLike[str], base: Path | None = None) -> Self:
        """Read a CSV without header, one row per leaf: original, coarser, …, coarsest.

        Separated by `;` or `,`, quoted by `"`, in UTF-8. It is used as it is: one column is one
        level, several tops are allowed, and no root is added. A shorter row is padded with its own
        top.
        """
        rows = read_rows((base or Path()) / path)
        return cls(HierarchySpec("file", rows=rows, path=str(path)))

    @classmethod
    def rows(cls, rows: Sequence[Sequence[object]]) -> Self:
        """The same as `file`, from a list of rows; None is the missing leaf.

        >>> Hierarchy.rows([["a", "A", "*"], ["b", "*"]]).spec.rows
        (('a', 'A', '*'), ('b', '*', '*'))
        """
        return cls(declare_rows(rows))

    @classmethod
    def tree(cls, tree: Mapping[Any, Any]) -> Self:
        """A nested mapping from the roots down to the leaves; shorter paths repeat their root.

        >>> Hierarchy.tree({"*": {"public": ["city", "state"], "private": None}}).spec.rows
        (('city', 'public', '*'), ('state', 'public', '*'), ('private', '*', '*'))
        """
        return cls(declare_tree(tree))

    @classmethod
    def intervals(cls, cuts: Sequence[float]) -> Self:
        """The value; `[a, b[` between consecutive cuts, `<a` and `>=b` outside; `*`.

        >>> Hierarchy.intervals([18, 65]).labels(["18", "70"], Kind.NUMERIC)
        [('18', '[18, 65[', '*'), ('70', '>=65', '*')]
        """
        return cls(declare_intervals(cuts))

    @classmethod
    def width(cls, width: float, levels: int, origin: float = 0) -> Self:
        """The value; intervals `[a, b[` of widths w, 2w, 4w … from the origin; `*`."""
        return cls(declare_width(width, levels, origin))

    @classmethod
    def mask(cls, n_hidden: int) -> Self:
        """The value; then one more character from the right becomes `*` at each level.

        >>> Hierarchy.mask(2).labels(["13053"], Kind.CATEGORICAL)
        [('13053', '1305*', '130**')]
        """
        return cls(declare_mask(n_hidden))

    @classmethod
    def dates(cls, units: Sequence[str]) -> Self:
        """The date; then its month, quarter, year, decade as given; `*`. A day is the date itself.

        With minute or hour among the units, values are moments, and a minute is the moment itself.

        >>> Hierarchy.dates(["day", "quarter", "decade"]).labels(["2020-03-09"], Kind.DATE)
        [('2020-03-09', '2020-Q1', '2020-2029', '*')]
        >>> Hierarchy.dates(["minute", "hour", "day"]).labels(["2020-03-09 14:05"], Kind.DATE)
        [('2020-03-09 14:05', '2020-03-09 14h', '2020-03-09', '*')]
        """
        return cls(declare_dates(units))

    @classmethod
    def flat(cls) -> Self:
        """The value; `*`."""
        return cls(HierarchySpec("flat"))

    @property
    def height(self) -> int:
        """The number of levels, the original included."""
        spec = self.spec
        match spec.form:
            case "file" | "tree":
                return len(spec.rows[0])
            case "width":
                return spec.levels + 2
            case "mask":
                return spec.mask + 1
            case "dates":
                return sum(unit != finest(spec) for unit in spec.units) + 2
            case "intervals":
                return 3
            case "flat":
                return 2

    def bind(
        self,
        values: Sequence[str | None],
        kind: Kind,
        numbers: Floats | None = None,
        where: str = "",
    ) -> Tree:
        """The tree over these distinct values; None is the missing one.

        `numbers` are the values of a numeric kind, nan for missing; read from the texts if left
        out. `where` names the attribute in errors.
        """
        if len(set(values)) < len(values):
            raise ValueError("The values of a domain must be distinct.")
        climbed = climb(self.spec, values, kind, numbers, where)
        return grow(values, climbed.rank, climbed.upper)

    def labels(
        self, values: Sequence[str | None], kind: Kind = Kind.CATEGORICAL
    ) -> list[tuple[str | None, ...]]:
        """What each value would be published as, from the original up; None is empty."""
        upper = climb(self.spec, values, kind).upper
        columns = [[level.labels[code] for code in level.codes.tolist()] for level in upper]
        return list(zip(values, *columns, strict=True))

    def write(
        self,
        path: str | PathLike[str],
        values: Sequence[str | None],
        kind: Kind = Kind.CATEGORICAL,
    ) -> None:
        """Write the hierarchy of these values as a CSV that `file` reads, in natural order."""
        order = self.bind(values, kind).order.tolist()
        rows = self.labels(values, kind)
        write_rows(Path(path), (rows[place] for place in order))
