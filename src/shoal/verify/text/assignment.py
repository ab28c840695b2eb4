"""Is there an original row for every published one? An assignment in which every cell is true.

Labels must cover, unchanged cells must agree, and no row or person of the original may appear
twice. People and published rows that are alike count once, with their numbers, so that the search
for a maximum flow between them is small; where nobody fits two different rows, it is a matter of
counting.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from shoal.errors import Problem
from shoal.reading.cell import LARGEST_WHOLE, find_missing, whole_numbers
from shoal.reading.encoding import (
    Codes,
    Flags,
    Integers,
    combine_codes,
    dense_codes,
    encode_text,
    first_places,
)
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.text.candidate import candidate_rows, record_sets
from shoal.verify.text.join import (
    Axis,
    bounds_axis,
    bucket_axis,
    contained_pairs,
    equal_axis,
    label_axis,
)
from shoal.verify.text.structure import report_rows

HIERARCHY = "only the plan says what its labels cover: add --plan"
IN_BUCKETS = "only the private folder (--private) says whose value is whose in a bucket"
BY_CLASS = (
    "the release does not say which sensitive values of a class go with which other unchanged "
    "values"
)
NO_PEOPLE = "the original has no column that says whose each row is"
NOBODY = "only the private folder (--private) says which published rows are counterfeits"
TIES = "somebody has too many equally common values for all combinations to be tried"
SEVERAL = "people's rows show symbols or are in two tables"


@dataclass(frozen=True)
class Shown:
    """A published table against the original: what each row shows.

    `person` are the columns of people of the published and of the original table. `buckets` has for
    every attribute that points to buckets the bucket of each row (-1: none) and what buckets hold:
    bucket and value. `symbols` are the sensitive columns that show labels. Where `linked`, a row's
    sensitive cells are those of somebody in its class. `n_counterfeits` rows belong to nobody.
    """

    data: pl.DataFrame
    original: pl.DataFrame
    schema: Schema
    ranges: str = "tight"
    symbols: Collection[str] = ()
    person: tuple[str, str | None] | None = None
    linked: bool = False
    buckets: Mapping[str, tuple[Integers, Integers, pl.Series]] = field(default_factory=dict)
    n_counterfeits: int = 0


@dataclass(frozen=True)
class Assignment:
    """For every published row a row of the original, None where there is no such assignment.

    `doubts` say why it proves less than that the cells are true: then that it exists is only
    necessary. `counted` is one row for each different record of a person, where people have rows.
    """

    rows: Integers | None
    problems: tuple[Problem, ...] = ()
    doubts: tuple[str, ...] = ()
    counted: Integers | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the cells are true; None where it is not known."""
        if self.problems:
            return False
        return None if self.doubts else True


def find_assignment(shown: Shown) -> Assignment:
    """Assign a row of the original to every published row, if that can be done at all."""
    if shown.person is not None:
        return _assign_people(shown)
    open_cells = shown.linked and bool(shown.schema.of(Role.INSENSITIVE))
    doubts = [BY_CLASS] if open_cells else []
    doubts += [IN_BUCKETS] if _pointing(shown) else []
    doubts += [NOBODY] if shown.n_counterfeits else []
    found = None
    for roles in ((Role.SENSITIVE,), (Role.INSENSITIVE,)) if open_cells else (_UNCHANGED,):
        axes = [*known_axes(shown), *_cell_axes(shown, roles)]
        n_rows = shown.data.height
        rows, misfits = assign(axes, shown.original.height, n_rows, shown.n_counterfeits)
        if misfits is not None:
            return Assignment(None, tuple(misfits.report(np.arange(n_rows))))
        doubts += _unknown(axes)
        # Of two assignments the first counts: requirements are about sensitive cells.
        found = found or Assignment(rows)
    assert found is not None
    return replace(found, doubts=tuple(dict.fromkeys(doubts)))


_UNCHANGED = (Role.SENSITIVE, Role.INSENSITIVE)


def _assign_people(shown: Shown) -> Assignment:
    """The same for people: all rows of a person under one number, each different one once."""
    assert shown.person is not None
    published, column = shown.person
    if column is None or column not in shown.original.columns:
        alone = find_assignment(replace(shown, person=None))
        return replace(alone, doubts=(*alone.doubts, NO_PEOPLE))
    ids, numbers = dense_codes(encode_text(shown.data[published]).codes.astype(np.int64))
    who, names = dense_codes(encode_text(shown.original[column]).codes.astype(np.int64))
    individual = shown.schema.individual
    conflict = individual.conflict if individual else "error"
    known = known_axes(shown)
    same = [alike(shown.original[a.name], a) for a in shown.schema.quasi]
    rows, owner, are_all = candidate_rows(same, who, conflict)
    # The audit checks that all rows of a person are in one class, so that one shows the labels.
    one_row = first_places(ids, len(numbers))
    # Symbols, and cells of a class, do not say which records of the original they are.
    hidden = shown.linked or bool(shown.symbols)
    cells = [] if hidden else _unchanged(shown)
    codes = [same_codes(shown.original[a.name], shown.data[a.name], a) for a in cells]
    n_own = shown.original.height
    both, n_records = combine_codes(
        [(np.append(left, right), n) for left, right, n in codes], n_own + len(ids)
    )
    own_records = who.astype(np.int64) * n_records + both[:n_own]
    counted = np.unique(own_records, return_index=True)[1]
    axes = [
        replace(axis, values=axis.values[own], labels=axis.labels[one_row])
        for axis, own in zip(known, rows, strict=True)
    ]
    if not hidden:
        sets = record_sets(np.append(who, len(names) + ids), both)
        axes.append(equal_axis(sets[: len(names)][owner], sets[len(names) :], len(sets)))
    found, misfits = assign(axes, len(owner), len(numbers), shown.n_counterfeits, owner)
    doubts = [*_unknown(axes), *([SEVERAL] if hidden else [])]
    if misfits is not None and not are_all:
        return Assignment(None, (), (*doubts, TIES))
    if misfits is not None:
        return Assignment(None, tuple(misfits.report(one_row, published)))
    if found is None:
        return Assignment(None, (), (*doubts, NOBODY), None if hidden else counted)
    of_person = owner[found]
    origin = None
    if not hidden:
        origin = _same_record(both, who, of_person[ids], n_own, n_records)
    return Assignment(origin, (), tuple(doubts), None if hidden else counted)


def _same_record(records: Codes, who: Codes, person: Codes, n_own: int, n_records: int) -> Integers:
    """For every published row the row of its person in the original with the same cells."""
    own = who.astype(np.int64) * n_records + records[:n_own]
    wanted = person.astype(np.int64) * n_records + records[n_own:]
    order = np.argsort(own, kind="stable")
    return order[np.searchsorted(own[order], wanted)]


def _pointing(shown: Shown) -> set[str]:
    """The attributes whose cells point to buckets, even to some that cannot be read."""
    there = {a.name for a in shown.schema.secret if f"{a.name}_BID" in shown.data.columns}
    return there | set(shown.buckets)


def _unchanged(shown: Shown, roles: tuple[Role, ...] = _UNCHANGED) -> list[Attribute]:
    pointing = _pointing(shown)
    return [a for a in shown.schema.of(*roles) if a.name not in pointing]


def known_axes(shown: Shown) -> list[Axis]:
    """Quasi-identifiers, and what is in buckets."""
    axes = []
    for a in shown.schema.of(Role.QUASI, Role.SEMI_SENSITIVE, Role.SENSITIVE):
        if a.role is Role.SENSITIVE and a.name not in shown.buckets:
            continue
        axes.append(_axis(shown, a))
    return axes


def _axis(shown: Shown, attribute: Attribute) -> Axis:
    name, original = attribute.name, shown.original[attribute.name]
    data = shown.data
    split = f"{name}_low" in data.columns and name not in data.columns
    if split:
        axis = bounds_axis(data[f"{name}_low"], data[f"{name}_high"], original, attribute)
    else:
        empty = pl.Series(name, [None] * data.height, dtype=pl.String)
        labels = data[name] if name in data.columns else empty
        axis = label_axis(encode_text(labels), original, attribute)
    if attribute.role is Role.SEMI_SENSITIVE and not split:
        # An empty cell may be withheld.
        axis = _with_open_cells(axis)
    if name not in shown.buckets:
        return axis
    inside, owners, values = shown.buckets[name]
    # The codes of values are those of the axis, found again by their cells.
    before, after, _ = same_codes(original, values, attribute)
    at, codes = _spellings(axis, before, after)
    return bucket_axis(axis, inside, (owners[at], codes))


def _spellings(axis: Axis, before: Codes, after: Codes) -> tuple[Integers, Codes]:
    """Of listed values all codes that the axis has: a number may be written in two ways."""
    spelt = np.unique(before.astype(np.int64) * axis.n_values + axis.values)
    keys, codes = spelt // axis.n_values, spelt % axis.n_values
    first, last = np.searchsorted(keys, after), np.searchsorted(keys, after, side="right")
    n = last - first
    at = np.repeat(first, n) + _within(n)
    return np.repeat(np.arange(len(after)), n), codes[at].astype(np.int32)


def _with_open_cells(axis: Axis) -> Axis:
    """The same, where the last label, that of an empty cell, covers everything."""
    low, high, ragged = axis.low.copy(), axis.high.copy(), axis.ragged.copy()
    low[-1], high[-1], ragged[-1] = 0, axis.n_values - 1, False
    return replace(axis, low=low, high=high, ragged=ragged)


def _cell_axes(shown: Shown, roles: tuple[Role, ...]) -> Iterator[Axis]:
    """Cells that are published as they were, all at once, and symbols one by one."""
    columns = []
    n_own = shown.original.height
    for a in _unchanged(shown, roles):
        if a.name in shown.symbols:
            yield label_axis(encode_text(shown.data[a.name]), shown.original[a.name], a)
        else:
            left, right, n = same_codes(shown.original[a.name], shown.data[a.name], a)
            columns.append((np.append(left, right), n))
    if columns:
        both, n_both = combine_codes(columns, n_own + shown.data.height)
        yield equal_axis(both[:n_own], both[n_own:], n_both)


def _unknown(axes: Sequence[Axis]) -> list[str]:
    return [] if all(axis.exact for axis in axes) else [HIERARCHY]


def same_codes(
    original: pl.Series, published: pl.Series, attribute: Attribute
) -> tuple[Codes, Codes, int]:
    """The codes of two columns, equal where the published cell is the original one."""
    types = (original.dtype, published.dtype)
    number = attribute.kind is Kind.NUMERIC or any(t.is_numeric() for t in types)
    nothing = pl.Series([None], dtype=pl.String)
    texts = []
    for cells, missing in ((original, attribute.missing), (published, ())):
        there = ~pl.Series(find_missing(cells, missing), dtype=pl.Boolean)
        text = comparable(cells, number, original.dtype)
        texts.append(text.zip_with(there, nothing))
    coded = encode_text(pl.concat(texts))
    n_own = original.len()
    return coded.codes[:n_own], coded.codes[n_own:], coded.n_codes


def alike(original: pl.Series, attribute: Attribute) -> Codes:
    """Codes of the values of a column, equal where they count as equal."""
    return same_codes(original, original.clear().cast(pl.String), attribute)[0]


def comparable(cells: pl.Series, number: bool, given: pl.DataType) -> pl.Series:
    """Cells as text; numbers alike however they are written, as precise as the original column."""
    text = cells.cast(pl.String)
    if not number:
        return text.alias("")
    parsed = text.str.strip_chars().cast(pl.Float64, strict=False)
    if given == pl.Float32:
        parsed = parsed.cast(pl.Float32).cast(pl.Float64)
    # -0.0 and 0.0 are one number with two texts.
    unsigned = parsed.zip_with((parsed != 0).fill_null(True), pl.Series([0.0]))
    alike = unsigned.cast(pl.String).fill_null(text).alias("")
    if given.is_float():
        return alike
    # A double does not tell such whole numbers from their neighbours.
    digits = whole_numbers(text)
    exact = digits.is_not_null() & (parsed.abs() >= LARGEST_WHOLE)
    return digits.zip_with(exact, alike).alias("")


@dataclass(frozen=True)
class Misfits:
    """Published ones that nobody fits, and how many of the others are too many."""

    strange: Flags
    n_over: int

    def report(self, rows: Integers, people: str | None = None) -> Iterator[Problem]:
        """What is wrong, by `rows`, where each one is published; of `people` the first rows."""
        what, nobody = "published rows", "row"
        if people is not None:
            what, nobody = f"people of {people!r}", "person"
        text = f"{{n}} {what} can be no {nobody} of the original: a label does not cover, or a "
        yield from report_rows(text + "cell differs", np.bincount(rows[self.strange]) > 0)
        if self.n_over:
            yield Problem(
                f"More {what} show certain values than the original has: {self.n_over} too many. "
                "It is not known which of them are at fault."
            )


def assign(
    axes: Sequence[Axis], n_left: int, n_right: int, spare: int, owner: Codes | None = None
) -> tuple[Integers | None, Misfits | None]:
    """For every right one a left one that fits it, none twice; else what does not fit.

    `owner`: left ones of one owner are candidates, of which one at most may be taken. `spare` right
    ones need none; nobody knows which, so no one is assigned then.
    """
    left, n_lefts = combine_codes([(a.values, a.n_values) for a in axes], n_left)
    right, n_rights = combine_codes([(a.labels, len(a.low)) for a in axes], n_right)
    samples = [np.zeros(n, dtype=np.int64) for n in (n_lefts, n_rights)]
    samples[0][left], samples[1][right] = np.arange(n_left), np.arange(n_right)
    distinct = [replace(a, values=a.values[samples[0]], labels=a.labels[samples[1]]) for a in axes]
    pairs = list(contained_pairs(distinct, n_lefts, n_rights))
    edges = [np.concatenate([np.zeros(0, np.int64), *(p[i] for p in pairs)]) for i in (0, 1)]
    alone = owner is None or len(np.unique(owner)) == n_left
    if alone:
        units, unit_type = np.arange(n_left), left
    else:
        assert owner is not None
        edges, unit_type, units = _by_owner(edges, left, owner)
    supply = np.bincount(unit_type)
    demand = np.bincount(right, minlength=n_rights)
    flow = _flow(edges[0], edges[1], supply, demand)
    short = demand - np.bincount(edges[1], flow, minlength=n_rights).astype(np.int64)
    if spare and int(short.sum()) <= spare:
        return None, None
    if short.any():
        fits = np.bincount(edges[1], minlength=n_rights) > 0
        return None, Misfits(~fits[right], int(short[fits].sum()))
    chosen = _deal(edges, flow, unit_type, right)
    return units[chosen], None


def _by_owner(
    edges: list[Integers], left: Codes, owner: Codes
) -> tuple[list[Integers], Codes, Integers]:
    """Edges of owners in place of edges of their candidates, each owner of a type of its own.

    Also the type of every owner, and a candidate of each.
    """
    ends = pl.DataFrame({"type": edges[0], "right": edges[1]})
    members = pl.DataFrame({"type": left.astype(np.int64), "owner": owner.astype(np.int64)})
    found = members.join(ends, on="type").select("owner", "right").unique()
    people, first = np.unique(owner, return_index=True)
    return [found["owner"].to_numpy(), found["right"].to_numpy()], people.astype(np.int32), first


def _flow(one: Integers, other: Integers, supply: Integers, demand: Integers) -> Integers:
    """How many units go along each edge, as many in all as possible."""
    n_left, n_right = len(supply), len(demand)
    # Where everybody fits one kind at most, nobody is of use elsewhere, and counting is enough.
    if (np.bincount(one) <= 1).all():
        order = np.argsort(other, kind="stable")
        room = supply[one[order]]
        owner = other[order]
        before = np.cumsum(room) - room
        starts = np.searchsorted(owner, owner)
        taken = np.clip(demand[owner] - (before - before[starts]), 0, room)
        flow = np.empty(len(one), dtype=np.int64)
        flow[order] = taken
        return flow
    source, sink = n_left + n_right, n_left + n_right + 1
    tails = np.concatenate([np.full(n_left, source), one, np.arange(n_right) + n_left])
    heads = np.concatenate([np.arange(n_left), other + n_left, np.full(n_right, sink)])
    most = np.concatenate([supply, supply[one], demand])
    graph = csr_array((most.astype(np.int32), (tails, heads)), shape=(sink + 1, sink + 1))
    found = maximum_flow(graph, source, sink).flow.tocsr()
    return np.asarray(found[one, other + n_left]).ravel().astype(np.int64)


def _deal(edges: Sequence[Integers], flow: Integers, left: Codes, right: Codes) -> Integers:
    """A left one for every right one, as many of each type as flow along the edge."""
    used = np.flatnonzero(flow)
    one, other, n = edges[0][used], edges[1][used], flow[used]
    found = np.empty(len(right), dtype=np.int64)
    sides = []
    for ends, types in ((one, left), (other, right)):
        members = np.argsort(types, kind="stable")
        first = np.searchsorted(types[members], ends)
        order = np.argsort(ends, kind="stable")
        before = np.empty(len(n), dtype=np.int64)
        total = np.cumsum(n[order]) - n[order]
        before[order] = total - total[np.searchsorted(ends[order], ends[order])]
        place = np.repeat(first + before, n) + _within(n)
        sides.append(members[place])
    found[sides[1]] = sides[0]
    return found


def _within(n: Integers) -> Integers:
    """0, 1, … for every number."""
    return np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n)
