"""Sensitive cells that show a symbol: always an ancestor, never more than their flags allow.

`by-flag`: flag 0 shows the value, 1 its ancestor one level up, 2 the root. `interval`: a class
shows the lowest label above the values that all of them share, and flag 2 the root. `one-sided`:
a class shows the largest cut that all its values reach, or the smallest that none does. Where an
attribute is concealed, cells may be lifted above that, and what symbols reveal is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Coded, Codes, Flags, Integers, dense_codes, encode_text, is_text
from shoal.reading.label import Form, read_spans
from shoal.schema import Attribute, Kind
from shoal.schema.wording import counted
from shoal.verify.secret.flag import HIGH, Heights, read_flags
from shoal.verify.secret.leak import Exposure, Leak, expose
from shoal.verify.secret.path import Paths, find_paths
from shoal.verify.text.published import Published
from shoal.verify.text.structure import EXAMPLES, name_rows, report_rows

BY_FLAG, INTERVAL, ONE_SIDED = "by-flag", "interval", "one-sided"
# Means of shares are rounded; those of cells are compared as whole numbers.
_SLACK = 1e-9
_N_FLAGS = HIGH + 1


@dataclass(frozen=True)
class SymbolColumn:
    """A sensitive column as published, with its values and flags, by published row."""

    attribute: Attribute
    how: str
    paths: Paths
    labels: Coded
    values: Codes
    flags: Heights
    classes: Codes
    n_classes: int

    @cached_property
    def combos(self) -> tuple[Codes, Integers]:
        """The combination of value, flag and text of every row, and the distinct ones as keys."""
        key = (self.values.astype(np.int64) * _N_FLAGS + self.flags) * self.labels.n_codes
        return dense_codes(key + self.labels.codes)

    @cached_property
    def parts(self) -> tuple[Integers, Integers, Integers]:
        """Value, flag and text of every distinct combination."""
        rest, label = np.divmod(self.combos[1], self.labels.n_codes)
        value, flag = np.divmod(rest, _N_FLAGS)
        return value, flag, label

    @cached_property
    def height(self) -> Integers:
        """The highest level at which a combination's value has its label, -1 where none has."""
        value, _, label = self.parts
        found = np.full(len(value), -1, dtype=np.int64)
        # A label may repeat the one below it, and hides as much as the highest of them.
        for level, nodes in enumerate(self.paths.nodes):
            found[nodes[value] == self.paths.shown[label]] = level
        return found

    @cached_property
    def at_root(self) -> Flags:
        """Which distinct texts are the root."""
        root: Flags = self.paths.shown == self.paths.root
        return root

    @cached_property
    def exposure(self) -> Exposure:
        """What the published texts reveal of the values."""
        value, flag, label = self.parts
        counts = np.bincount(self.combos[0], minlength=len(value))
        return expose(
            self.labels.codes, self.values, self.classes, (label, value, flag > 0, counts)
        )


def _highest_of_records(published: Published, heights: Heights) -> Heights:
    """The flags of all rows; equal rows of a person are one record, which the highest protects."""
    if published.records is None:
        return heights
    # Any of the equal rows may be the one that is published, so all of them decide.
    codes, n_records = published.records
    highest = np.zeros(n_records, dtype=heights.dtype)
    np.maximum.at(highest, codes, heights)
    return np.asarray(highest[codes])


def cells_of(published: Published, name: str, how: str) -> tuple[SymbolColumn, tuple[Problem, ...]]:
    """What is published of an attribute, and which flags or values of it cannot be read."""
    attribute = published.schema[name]
    labels = encode_text(published.data[name])
    paths = find_paths(published.original[name], labels, attribute)
    flags = read_flags(published.original, attribute)
    of_row, numbers = published.dense_classes
    values = paths.of_row[published.origin]
    shown = _highest_of_records(published, flags.heights)[published.origin]
    text = f"Column {name!r} has {{n}} cells that are not in its hierarchy"
    lost = report_rows(text, paths.lost[paths.of_row], "original row")
    cells = SymbolColumn(attribute, how, paths, labels, values, shown, of_row, len(numbers))
    return cells, (*flags.problems, *lost)


def refuse_symbols(published: Published) -> Iterator[Problem]:
    """Flagged attributes that are not shown by symbols, and symbols that cannot be."""
    symbols = published.symbols
    there = {a.name: a for a in published.schema.sensitive}
    for attribute in published.schema.sensitive:
        personal = attribute.flag is not None or attribute.flags is not None
        if personal and attribute.name not in symbols:
            yield Problem(f"Column {attribute.name!r} has flags, but would be published unchanged.")
    for name, how in symbols.items():
        if name not in there:
            yield Problem(f"Column {name!r} shows symbols, but is not a sensitive attribute.")
        elif how not in (BY_FLAG, INTERVAL, ONE_SIDED):
            yield Problem(f"There is no independent check of symbols of form {how!r}.")
        elif how != BY_FLAG and not _is_ranged(there[name]):
            yield Problem(f"Column {name!r} has no numbers to show as symbols of form {how!r}.")
    for name, l in published.concealed.items():  # noqa: E741
        if name not in there:
            yield Problem(f"Column {name!r} is concealed, but is not a sensitive attribute.")
        if type(l) is not int or l < 1:
            yield Problem(f"The l that conceals column {name!r} must be an integer of at least 1.")


def _is_ranged(attribute: Attribute) -> bool:
    return attribute.kind in (Kind.NUMERIC, Kind.DATE) and attribute.hierarchy is not None


def check_symbols(published: Published) -> Iterator[Problem]:
    """Every symbol is what its definition gives; where it may be lifted, none reveals too much.

    A concealed attribute that nobody flags shows its values: each is a symbol that hides nothing,
    so only its people's risks are left to check.
    """
    concealed = published.concealed
    for name, how in {**dict.fromkeys(concealed, BY_FLAG), **published.symbols}.items():
        if not published.has(published.schema[name]) or not is_text(published.data[name]):
            continue
        # A flag that cannot be read may be any: nothing can be said of what its cell shows.
        cells, unread = cells_of(published, name, how)
        yield from unread
        if unread:
            continue
        problems = [*_check_cells(cells, name in concealed), *_check_spelling(cells)]
        yield from problems
        # Two spellings of a label would count as two symbols here.
        if name in concealed and not problems:
            yield from _check_risks(cells, concealed[name], published.dense_classes[1])


def find_leaks(published: Published) -> dict[str, Leak]:
    """What the symbols of each attribute reveal; raises where flags or values cannot be read."""
    leaks: dict[str, Leak] = {}
    problems: list[Problem] = []
    for name in published.symbols:
        cells, unread = cells_of(published, name, BY_FLAG)
        problems += unread
        leaks[name] = cells.exposure.leak
    if problems:
        raise VerificationError(problems)
    return leaks


def _check_cells(cells: SymbolColumn, concealed: bool) -> Iterator[Problem]:
    name, of_row = cells.attribute.name, cells.combos[0]
    foreign = cells.height < 0
    if cells.how == ONE_SIDED:
        sided, wrong = _one_sided(cells, concealed)
        text = f"Column {name!r} has {{n}} cells that do not cover the original value"
        yield from report_rows(text, sided)
    else:
        text = f"Column {name!r} has {{n}} cells that do not cover the original value"
        yield from report_rows(text, foreign[of_row])
        low = ~foreign & (cells.height < _needed(cells))
        text = f"Column {name!r} has {{n}} cells that show more than their flags allow"
        yield from report_rows(text, low[of_row])
        exact = _by_flag if cells.how == BY_FLAG else _by_class
        wrong = exact(cells, concealed) & ~(foreign | low)[of_row]
    text = f"Column {name!r} has {{n}} cells that are not the symbol of their definition"
    yield from report_rows(text, wrong)


def _needed(cells: SymbolColumn) -> Integers:
    """The least level at which a combination may be shown: by its flag."""
    top = cells.paths.top
    # A value without anything above it is its own root, which is all that it can show.
    once = min(1, top)
    by_flag = [0 if cells.how == BY_FLAG else once, once, top]
    return np.array(by_flag, dtype=np.int64)[cells.parts[1]]


def _by_flag(cells: SymbolColumn, concealed: bool) -> Flags:
    """Which rows do not show what their flag alone gives, and may not be lifted to what they do."""
    value, flag, label = cells.parts
    shown, paths = cells.paths.shown[label], cells.paths
    wrong: Flags = shown != paths.nodes[_needed(cells), value]
    if concealed:
        lifted = cells.at_root[label] | ((flag > 0) & (cells.height > _needed(cells)))
        wrong &= ~lifted
    return wrong[cells.combos[0]]


def _by_class(cells: SymbolColumn, concealed: bool) -> Flags:
    """Which rows do not show the symbol of their class, or the root where they are flagged high.

    A lifted cell is two levels up at least, and one that is not flagged at the root: all others
    below the root show the symbol, which is formed over the cells that do.
    """
    shown = cells.paths.shown[cells.labels.codes]
    high, root = cells.flags == HIGH, cells.paths.root
    if not concealed:
        symbol = _lowest_shared(cells, np.ones(len(shown), dtype=np.bool_))
        wrong: Flags = shown != np.where(high, root, symbol[cells.classes])
        return wrong
    # Below the root these cannot have been lifted, so they show what the symbol of the class is.
    low = (cells.height == 1)[cells.combos[0]] | (cells.flags == 0)
    certain = low & ~high & (shown != root)
    sample = _sample(cells, certain)
    none = sample < 0
    symbol = np.where(none, root, shown[sample])
    wrong = certain & (shown != symbol[cells.classes])
    alike = ~high & (shown == symbol[cells.classes]) & ~none[cells.classes]
    formed = _lowest_shared(cells, alike)
    wrong |= alike & (formed != symbol)[cells.classes]
    return wrong


def _sample(cells: SymbolColumn, chosen: Flags) -> Integers:
    """One of the chosen rows of every class, -1 where there is none."""
    sample = np.full(cells.n_classes, -1, dtype=np.int64)
    rows = np.flatnonzero(chosen)
    sample[cells.classes[rows]] = rows
    return sample


def _lowest_shared(cells: SymbolColumn, chosen: Flags) -> NDArray[np.int64]:
    """The label, at level 1 or above, that the chosen rows of every class share; else the root."""
    rows = np.flatnonzero(chosen)
    classes, values = cells.classes[rows], cells.values[rows]
    # A class without chosen rows has the sample -1, so any value; what is found there is not used.
    sample = cells.values[_sample(cells, chosen)]
    found = np.full(cells.n_classes, cells.paths.root, dtype=np.int64)
    # From the top down: the last that is found is the lowest.
    for level in range(cells.paths.top, 0, -1):
        nodes = cells.paths.nodes[level]
        uneven = np.zeros(cells.n_classes, dtype=np.bool_)
        uneven[classes[nodes[values] != nodes[sample][classes]]] = True
        found = np.where(uneven, found, nodes[sample])
    return found


def _one_sided(cells: SymbolColumn, concealed: bool) -> tuple[Flags, Flags]:
    """Which rows show what is not true of their value, and which not what their class gives.

    Symbols are numbered: `>=` each cut, `<` each cut, the root; a text that is none has -1.
    """
    spec, numbers = cells.attribute.hierarchy, cells.paths.numbers
    cuts = np.sort(np.array(() if spec is None else spec.cuts, dtype=np.float64))
    # Dates have no numbers here, so no cut is known to be reached or missed: all show the root.
    if numbers is None:
        numbers = np.full(cells.paths.n_values, np.nan)
    shown = _sides(cells, cuts)[cells.labels.codes]
    root = 2 * len(cuts)
    own, ends = numbers[cells.values], np.concatenate([cuts, cuts, [np.nan]])[shown]
    true = np.where(shown < len(cuts), own >= ends, own < ends)
    false = (shown < 0) | ((shown < root) & ~true)
    # A lifted cell shows the root, and is left out when the symbol of its class is formed.
    chosen = shown != root if concealed else np.ones(len(shown), dtype=np.bool_)
    least = np.full(cells.n_classes, np.inf)
    most = np.full(cells.n_classes, -np.inf)
    known = chosen & ~np.isnan(own)
    np.minimum.at(least, cells.classes[known], own[known])
    np.maximum.at(most, cells.classes[known], own[known])
    reached = np.searchsorted(cuts, least, side="right") - 1
    missed = np.searchsorted(cuts, most, side="right")
    # Where all cuts are missed, the one after them is the root.
    symbol = np.where(reached >= 0, reached, len(cuts) + missed)
    symbol[cells.classes[chosen & ~known]] = root
    return false, chosen & ~false & (shown != symbol[cells.classes])


def _sides(cells: SymbolColumn, cuts: NDArray[np.float64]) -> Integers:
    """The number of the one-sided symbol that each distinct text is."""
    spans = read_spans(cells.labels.texts, read_numbers, frozenset({Form.FROM, Form.BELOW}))
    place = np.searchsorted(cuts, spans.first)
    # Null and the star are bare.
    is_tail = (spans.form != Form.BARE) & ~spans.malformed
    on_cut = is_tail & (np.append(cuts, np.nan)[place] == spans.first)
    sides = np.where(on_cut, place + np.where(spans.form == Form.FROM, 0, len(cuts)), -1)
    return np.where(cells.at_root, 2 * len(cuts), sides).astype(np.int64)


def _check_spelling(cells: SymbolColumn) -> Iterator[Problem]:
    """A label has one text: a second spelling would distinguish its cells."""
    shown = cells.paths.shown
    used = np.zeros(len(shown), dtype=np.bool_)
    # A value shown as it is keeps the spelling of its original.
    used[cells.parts[2][cells.height != 0]] = True
    nodes = shown[used]
    # Backwards, so that the first text of each label is the one that stays.
    first = np.zeros(int(shown.max(initial=0)) + 1, dtype=np.int64)
    first[nodes[::-1]] = np.flatnonzero(used)[::-1]
    again = used & (first[shown] != np.arange(len(shown)))
    text = f"Column {cells.attribute.name!r} has {{n}} cells that spell a label differently"
    yield from report_rows(text, again[cells.labels.codes])


def _check_risks(cells: SymbolColumn, l: int, numbers: Integers) -> Iterator[Problem]:  # noqa: E741
    """No flagged cell and no person is known with a probability above 1/l."""
    name, exposure = cells.attribute.name, cells.exposure
    # Above the number of cells all l are alike, and the product has to fit into 64 bits.
    least = min(l, int(exposure.total.max(initial=0)) + 1)
    open_symbols = exposure.commonest * least > exposure.total
    risky = open_symbols[exposure.symbol_of_row] & (cells.flags > 0)
    text = f"Column {name!r} has {{n}} flagged cells that are known with a probability above 1/{l}"
    yield from report_rows(text, risky)
    exposed = numbers[exposure.person > 1 / l + _SLACK]
    if len(exposed):
        yield Problem(
            f"The values of people in column {name!r} are known with a probability above 1/{l} in "
            f"{counted(len(exposed), 'class', 'classes')} "
            f"({name_rows(exposed[: EXAMPLES + 1] - 1, 'class number')})."
        )
