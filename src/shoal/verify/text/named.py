"""Labels of names: sets, rows of a hierarchy, masks and bare values, by distinct pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from shoal.reading.cell import parse_number
from shoal.reading.encoding import (
    Coded,
    Codes,
    Flags,
    Floats,
    Integers,
    check_pairs,
    encode_text,
    find_starts,
)
from shoal.reading.label import STAR, Sets
from shoal.schema import Attribute, Kind
from shoal.verify.text.classes import find_absent
from shoal.verify.text.measured import Coverage

# The beginning of a band such as [70-80), 70-79, <18 or 80+: whether it has no lower end, the end.
_BAND = re.compile(r"\s*(?:(<)=?|>=?|[\[(\]])?\s*(\d+(?:\.\d+)?)", re.ASCII)
# The rank of a member that the declared order lacks.
_UNDECLARED = -1


@dataclass(frozen=True)
class Decision:
    """What distinct labels cover of distinct values, and which labels are malformed.

    `list_pairs` gives all pairs of a label and a value that it covers, as label times the number of
    values plus value.
    """

    decide: Callable[[Codes, Codes], Flags]
    malformed: Flags
    list_pairs: Callable[[], Integers]


def cover_named(
    labels: Coded, original: pl.Series, origin: Integers, attribute: Attribute
) -> Coverage:
    """Check labels of names: each distinct pair of a label and a value is decided once."""
    values = encode_text(original)
    rule, star, absent = _find_rule(labels, values, attribute)
    malformed = (rule.malformed | _empty_label(labels)) & ~star

    def decide(label: Codes, value: Codes) -> Flags:
        plain: Flags = star[label] | ((label == labels.null) & absent[value])
        plain |= rule.decide(label, value) & ~malformed[label]
        return plain

    covered = check_pairs(labels.codes, values.codes[origin], values.n_codes, decide)
    return Coverage(covered, malformed[labels.codes])


def accept_named(labels: Coded, values: Coded, attribute: Attribute) -> tuple[Integers, Flags]:
    """All pairs of a label and a value that it covers, as in `Decision`, and which are stars.

    A star covers all values, but has no pairs.
    """
    rule, star, absent = _find_rule(labels, values, attribute)
    pairs = rule.list_pairs()
    of_label = pairs // values.n_codes
    pairs = pairs[~(rule.malformed | star)[of_label]]
    missing = labels.null * values.n_codes + np.flatnonzero(absent)
    keys = np.sort(np.append(pairs, missing))
    return keys[find_starts(keys)], star


def _find_rule(labels: Coded, values: Coded, attribute: Attribute) -> tuple[Decision, Flags, Flags]:
    """What decides about an attribute's labels, which of them are stars, which values missing."""
    absent = find_absent(values, attribute)
    star = np.append((labels.texts == STAR).to_numpy().astype(np.bool_), False)
    form = attribute.hierarchy.form if attribute.hierarchy else "set"
    return _RULES[form](labels, values, absent, attribute), star, absent


def _empty_label(labels: Coded) -> Flags:
    """A published missing cell is null, never an empty text."""
    return np.append((labels.texts == "").to_numpy().astype(np.bool_), False)


def _literal(labels: Coded, values: Coded, absent: Flags) -> Integers:
    """For every label the code of the value with that very text, else -1."""
    known = pl.DataFrame({"text": values.texts, "code": np.arange(len(values.texts))})
    found = (
        labels.texts.alias("text")
        .to_frame()
        .join(known.filter(~pl.Series(absent[:-1])), on="text", how="left", maintain_order="left")
    )
    return np.append(found["code"].fill_null(-1).to_numpy(), -1)


def _flat_rule(labels: Coded, values: Coded, absent: Flags, attribute: Attribute) -> Decision:
    literal = _literal(labels, values, absent)
    return Decision(
        lambda label, value: literal[label] == value,
        np.zeros(labels.n_codes, dtype=np.bool_),
        lambda: _literal_pairs(literal, values),
    )


def _literal_pairs(literal: Integers, values: Coded) -> Integers:
    known = np.flatnonzero(literal >= 0)
    return known * values.n_codes + literal[known]


def _set_rule(labels: Coded, values: Coded, absent: Flags, attribute: Attribute) -> Decision:
    literal = _literal(labels, values, absent)
    sets = Sets.read(labels.texts)
    braces = labels.texts.str.starts_with("{") & labels.texts.str.ends_with("}")
    sound = sets.is_set.copy()
    sound[sets.owners[_out_of_order(sets, attribute)]] = False
    # A value of the original may itself look like a set.
    malformed = np.append(braces.to_numpy() & ~sound, False) & (literal < 0)
    listed = _set_pairs(sets, values, absent)
    listed = listed[sound[listed // values.n_codes]]
    return Decision(
        lambda label, value: (literal[label] == value) | _listed(label, value, values, listed),
        malformed,
        lambda: np.append(_literal_pairs(literal, values), listed),
    )


def _set_pairs(sets: Sets, values: Coded, absent: Flags) -> Integers:
    """Every set with the values that it lists; the empty member lists all that is missing."""
    places = _places(values, absent)
    of_member = [places.get(member, []) for member in sets.members]
    n_places = np.array([len(own) for own in of_member], dtype=np.int64)
    flat = np.array([place for own in of_member for place in own], dtype=np.int64)
    first = (np.cumsum(n_places) - n_places)[sets.codes]
    n = n_places[sets.codes]
    at = np.arange(int(n.sum())) + np.repeat(first - np.cumsum(n) + n, n)
    pairs: Integers = np.repeat(sets.owners.astype(np.int64), n) * values.n_codes + flat[at]
    return pairs


def _out_of_order(sets: Sets, attribute: Attribute) -> Flags:
    """Which members break the order of their set; the missing member may be first or last.

    Ordinals are in declared order, and a member that was not declared is out of order. Others are
    in the order of their texts or, if all are bands of numbers, of these.
    """
    if attribute.kind != Kind.ORDINAL:
        wrong = _break(sets, _ranks_by_text(sets.members))
        numbers = _ranks_by_number(sets.members) if wrong.any() else None
        return wrong if numbers is None else _break(sets, numbers)
    if attribute.values is not None:
        order = {value: place for place, value in enumerate(attribute.values)}
        ranks = [order.get(member, _UNDECLARED) for member in sets.members]
        return _break(sets, np.array(ranks, dtype=np.int64))
    # A manifest does not say what was declared. Whatever it was, all sets must agree on it: then
    # no chain of neighbours leads back to where it began.
    pairs = _neighbours(sets)
    before, after = sets.codes[:-1][pairs], sets.codes[1:][pairs]
    steps = coo_array((np.ones(len(before)), (before, after)), shape=(len(sets.members),) * 2)
    circle = connected_components(steps, connection="strong")[1]
    wrong = _misplaced_missing(sets)
    wrong[1:] |= pairs & (circle[sets.codes[:-1]] == circle[sets.codes[1:]])
    return wrong


def _ranks_by_text(members: Sequence[str]) -> Integers:
    """The place of each member among all, sorted by their texts."""
    ranked = {member: place for place, member in enumerate(sorted(members))}
    return np.array([ranked[member] for member in members], dtype=np.int64)


def _ranks_by_number(members: Sequence[str]) -> Floats | None:
    """The number at which each band begins, if all members but the missing one are bands."""
    found = [_BAND.match(member) for member in members]
    if any(band is None for band, member in zip(found, members, strict=True) if member != ""):
        return None
    lows = [-np.inf if band is None or band[1] else float(band[2]) for band in found]
    return np.array(lows, dtype=np.float64)


def _break(sets: Sets, ranks: Integers | Floats) -> Flags:
    """Which members do not come after the one before them, and which were not declared."""
    rank = ranks[sets.codes]
    # An order need not have the missing member, which has places of its own.
    wrong: Flags = _misplaced_missing(sets) | ((rank == _UNDECLARED) & ~_is_missing(sets))
    wrong[1:] |= _neighbours(sets) & (rank[:-1] >= rank[1:])
    return wrong


def _is_missing(sets: Sets) -> Flags:
    missing: Flags = np.array([member == "" for member in sets.members], dtype=np.bool_)[sets.codes]
    return missing


def _neighbours(sets: Sets) -> Flags:
    """Which two successive members are of one set and both not missing."""
    known = ~_is_missing(sets)
    pairs: Flags = (sets.owners[1:] == sets.owners[:-1]) & known[1:] & known[:-1]
    return pairs


def _misplaced_missing(sets: Sets) -> Flags:
    """Which missing members are in the middle of their set, or listed there twice."""
    missing = _is_missing(sets)
    follows = np.zeros(len(missing), dtype=np.bool_)
    follows[1:] = sets.owners[1:] == sets.owners[:-1]
    # Where there is no member at all, `append` makes one too many.
    goes_on = np.append(follows[1:], False)[: len(missing)]
    n_missing = np.bincount(sets.owners[missing], minlength=len(sets.is_set))
    wrong: Flags = missing & ((follows & goes_on) | (n_missing[sets.owners] > 1))
    return wrong


def _places(values: Coded, absent: Flags) -> dict[str, list[int]]:
    """The codes of each text; the empty text has those of all that is missing."""
    places: dict[str, list[int]] = {"": np.flatnonzero(absent).tolist()}
    for code, text in enumerate(values.texts):
        if not absent[code]:
            places[text] = [code]
    return places


def _listed(label: Codes, value: Codes, values: Coded, listed: Integers) -> Flags:
    return np.isin(label.astype(np.int64) * values.n_codes + value, listed)


def _rows_rule(labels: Coded, values: Coded, absent: Flags, attribute: Attribute) -> Decision:
    """A label covers a leaf exactly if a row that starts with the leaf contains the label."""
    assert attribute.hierarchy is not None
    rows = attribute.hierarchy.rows
    numeric = attribute.kind == Kind.NUMERIC
    places = _places(values, absent)
    codes: dict[Any, list[int]] = {text: [code] for code, text in enumerate(labels.texts)}
    if numeric:
        places = _by_number(places)
        # A leaf 5.0 may be published as 5.
        codes |= _by_number(codes, keep_text=False)
    allowed: list[int] = []
    n_values = values.n_codes
    standing: set[int] = set()
    for row in rows:
        leaf = _leaf_key(row[0], attribute, numeric)
        within = {code for cell in row for code in codes.get(cell, ())}
        within |= set(codes.get(leaf, ()))
        standing |= within
        for value in places.get(leaf, ()):
            allowed += [code * n_values + value for code in within]
    listed = np.array(allowed, dtype=np.int64)
    # A label that is in no row is none of this hierarchy.
    foreign = np.ones(labels.n_codes, dtype=np.bool_)
    foreign[[*standing, labels.null]] = False
    return Decision(
        lambda label, value: _listed(label, value, values, listed), foreign, lambda: listed
    )


def _leaf_key(text: str, attribute: Attribute, numeric: bool) -> Any:
    if text in ("", *attribute.missing):
        return ""
    number = parse_number(text) if numeric else None
    return text if number is None else number


def _by_number(places: dict[Any, list[int]], *, keep_text: bool = True) -> dict[Any, list[int]]:
    merged: dict[Any, list[int]] = {}
    for text, codes in places.items():
        number = parse_number(text)
        if number is not None or keep_text:
            merged.setdefault(text if number is None else number, []).extend(codes)
    return merged


def _mask_rule(labels: Coded, values: Coded, absent: Flags, attribute: Attribute) -> Decision:
    """Equal in length, and equal up to the stars at the label's end."""
    kept = labels.texts.str.strip_chars_end(STAR).extend_constant("", 1)
    shown = kept.str.len_chars().cast(pl.Int64)
    length = np.append(labels.texts.str.len_chars().to_numpy().astype(np.int64), -1)
    texts = values.texts.extend_constant("", 1)
    lengths = texts.str.len_chars().to_numpy().astype(np.int64)

    def decide(label: Codes, value: Codes) -> Flags:
        heads = (
            texts.gather(value)
            .to_frame("text")
            .select(pl.col("text").str.slice(0, shown.gather(label)))["text"]
        )
        same: Flags = (heads == kept.gather(label)).to_numpy().astype(np.bool_)
        same &= (length[label] == lengths[value]) & ~absent[value]
        return same

    def list_pairs() -> Integers:
        found = [np.zeros(0, dtype=np.int64)]
        known = np.flatnonzero(~absent)
        for n_shown in shown.unique().to_list():
            own = np.flatnonzero((shown == n_shown).to_numpy())
            heads = texts.gather(known).str.slice(0, n_shown)
            left = pl.DataFrame({"text": kept.gather(own), "n": length[own], "label": own})
            right = pl.DataFrame({"text": heads, "n": lengths[known], "value": known})
            both = left.join(right, on=["text", "n"])
            found.append(both["label"].to_numpy() * values.n_codes + both["value"].to_numpy())
        return np.concatenate(found)

    return Decision(decide, np.zeros(labels.n_codes, dtype=np.bool_), list_pairs)


_RULES: dict[str, Callable[[Coded, Coded, Flags, Attribute], Decision]] = {
    "set": _set_rule,
    "flat": _flat_rule,
    "file": _rows_rule,
    "tree": _rows_rule,
    "mask": _mask_rule,
}
