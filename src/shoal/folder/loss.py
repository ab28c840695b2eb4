"""What published cells lose, as their readers can tell.

The measures of a run are over the values of the input, and so tell of those that are hidden: of a
suppressed person's age, say, by the length of the domain. Here a label is compared with what the
plan declares (domain, values, hierarchy) or, where it declares nothing, with all that the published
labels of its column cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.hierarchy import Hierarchy
from shoal.reading.encoding import Flags, Floats
from shoal.reading.label import STAR, Sets
from shoal.reading.line import Line, read_line
from shoal.schema import Attribute, HierarchySpec, Kind
from shoal.table import number_text
from shoal.table.cell import minute_text

MEASURES = ("glm", "ncp", "infoloss", "prec")
_RANGED = (Kind.NUMERIC, Kind.DATE)
_ON_A_LINE = ("intervals", "width", "dates")


@dataclass(frozen=True, eq=False)
class Losses:
    """What each label of a column loses, by measure; `n_values` is how many values there can be."""

    glm: Floats
    ncp: Floats
    infoloss: Floats
    prec: Floats
    n_values: int = 0

    @classmethod
    def alike(cls, share: Floats) -> Losses:
        """The same share by all measures."""
        return cls(share, share, share, share)


def is_declared(attribute: Attribute) -> bool:
    """Whether the plan declares what the labels of an attribute are compared with."""
    spec = attribute.hierarchy
    if attribute.kind in _RANGED and not (spec is not None and spec.rows):
        return attribute.domain is not None
    return attribute.values is not None or (spec is not None and bool(spec.rows or spec.mask))


def losses_of(
    attribute: Attribute,
    labels: Sequence[str | None],
    values: Sequence[str | None] = (),
    empty: float = 0.0,
) -> Losses:
    """What each of the different labels of an attribute loses.

    `values` are those in buckets; `empty` is what an empty cell loses, which may stand for more
    than a missing value.

    Numbers and dates lose their share of a length, categories (m - 1)/(n - 1) by `glm`, m/n by
    `ncp`, (m - 1)/n by `infoloss` for m of n values, masks their share of the characters that may
    be hidden. `*` loses all.

    >>> from shoal.schema import Role
    >>> age = Attribute("age", Role.QUASI, Kind.NUMERIC)
    >>> losses_of(age, ["[20, 40]", "30", "[30, 60]", "*", None]).glm
    array([0.5 , 0.  , 0.75, 1.  , 0.  ])
    """
    spec = attribute.hierarchy
    line = None
    if attribute.kind in _RANGED and (spec is None or spec.form in _ON_A_LINE):
        line = read_line(pl.Series(labels, dtype=pl.String), attribute.kind)
        found = Losses.alike(_of_ranges(line, attribute.domain))
    elif spec is not None and spec.form == "mask":
        found = Losses.alike(np.array([_masked(label, spec.mask) for label in labels]))
    else:
        found = _of_values(attribute, labels, values)
    if spec is not None:
        found = replace(found, prec=_heights(spec, attribute.kind, labels, line))
    null = np.array([label is None for label in labels], dtype=np.bool_)
    glm, ncp, infoloss, prec = (np.where(null, empty, getattr(found, m)) for m in MEASURES)
    return Losses(glm, ncp, infoloss, prec, found.n_values)


def _of_ranges(line: Line, domain: tuple[float, float] | None) -> Floats:
    """The share of each label of the domain, else of the span of all closed labels.

    Without a domain nothing bounds a label that is open on one side: it loses all.
    """
    low, high, known = line.low[:-1], line.high[:-1], line.known[:-1]
    open_ended = known & ~(np.isfinite(low) & np.isfinite(high))
    closed = known & ~open_ended
    ends = domain
    if ends is None:
        ends = (low[closed].min(), high[closed].max()) if closed.any() else (0.0, 0.0)
    span = ends[1] - ends[0]
    width = np.clip(high, *ends) - np.clip(low, *ends)
    share = width / span if span > 0 else np.zeros(len(low))
    if domain is None:
        share = np.where(open_ended, 1.0, share)
    return np.where(known, np.minimum(share, 1.0), 1.0)


def _masked(label: str | None, most: int) -> float:
    shown = label or ""
    return 1.0 if shown == STAR else min((len(shown) - len(shown.rstrip(STAR))) / most, 1.0)


def _of_values(
    attribute: Attribute, labels: Sequence[str | None], values: Sequence[str | None]
) -> Losses:
    under = _leaves(attribute.hierarchy)
    texts = pl.Series(labels, dtype=pl.String)
    sets = Sets.read(texts) if attribute.hierarchy is None else None
    star = np.array([label == STAR for label in labels], dtype=np.bool_)
    covered = np.array([len(under.get(label or "", ())) or 1 for label in labels])
    members: tuple[str, ...] = ()
    bare = ~star
    if sets is not None:
        covered, members, bare = np.maximum(covered, sets.sizes), sets.members, bare & ~sets.is_set
    every = {leaf for leaves in under.values() for leaf in leaves} or set(attribute.values or ())
    if not every:
        single = texts.filter(pl.Series(bare, dtype=pl.Boolean))
        every = {text or "" for text in (*single, *members, *values)}
    elif None in labels:
        every.add("")
    return _by_count(np.where(star, len(every), covered), star, len(every))


def _by_count(covered: Floats, star: Flags, n: int) -> Losses:
    """By how many of n values each label covers; `*` loses all, even where no value is shown."""
    glm = np.where(star, 1.0, (covered - 1) / max(n - 1, 1))
    ncp = np.where(star, 1.0, np.where(covered > 1, covered / max(n, 1), 0.0))
    infoloss = np.where(star & (n < 2), 1.0, (covered - 1) / max(n, 1))
    return Losses(glm, ncp, infoloss, (covered > 1).astype(np.float64), n)


def _leaves(spec: HierarchySpec | None) -> dict[str, set[str]]:
    """The leaves under each label of a hierarchy of rows, at whichever levels it stands."""
    under: dict[str, set[str]] = {}
    for row in spec.rows if spec is not None else ():
        for label in row:
            under.setdefault(label, set()).add(row[0])
    return under


def _heights(
    spec: HierarchySpec, kind: Kind | None, labels: Sequence[str | None], line: Line | None
) -> Floats:
    """The level of each label by the highest one."""
    hierarchy = Hierarchy(spec)
    top = max(hierarchy.height - 1, 1)
    if spec.rows:
        level: dict[str | None, int] = {}
        for row in spec.rows:
            level |= {x: max(level.get(x, 0), row.index(x)) for x in row}
        found = [level.get(x, 0) for x in labels]
    else:
        below = [_value_under(x, i, spec, kind, line) for i, x in enumerate(labels)]
        paths = hierarchy.labels(below, kind or Kind.CATEGORICAL)
        found = [p.index(x) if x in p else 0 for x, p in zip(labels, paths, strict=True)]
    return np.array([top if x == STAR else n for x, n in zip(labels, found, strict=True)]) / top


def _value_under(
    label: str | None, place: int, spec: HierarchySpec, kind: Kind | None, line: Line | None
) -> str | None:
    """A value that a label stands for; None for `*`, which stands for any."""
    if label is None or label == STAR:
        return None
    if line is None:
        bare = label.rstrip(STAR)
        # Any characters would do here: which of them a level hides depends on the length alone.
        return bare + "0" * (len(label) - len(bare))
    low, high = float(line.low[place]), float(line.high[place])
    value = low if np.isfinite(low) else high
    if spec.has_clock:
        return minute_text(value)
    return str(np.datetime64(int(value), "D")) if kind is Kind.DATE else number_text(value)
