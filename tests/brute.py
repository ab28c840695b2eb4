"""A checker of releases that shares nothing with shoal: cell by cell, from the published text."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import polars as pl

from tests.cases import Case, rows_hold
from tests.papers.naive import Field, Text, number_text

PUBLISHED = ("quasi", "sensitive", "insensitive")


def read_set(label: str) -> list[str] | None:
    """The members of `{a, b}`; None where the text is no set."""
    if not (label.startswith("{") and label.endswith("}")):
        return None
    inside, members = label[1:-1], []
    decoder = json.JSONDecoder()
    while True:
        if inside.startswith('"'):
            member, end = decoder.raw_decode(inside)
            members.append(member)
            inside = inside[end:]
        else:
            member, comma, rest = inside.partition(", ")
            members.append(member)
            inside = comma + rest
        if not inside:
            return members
        if not inside.startswith(", "):
            return None
        inside = inside[2:]


def covers(quasi: Field, label: Text, value: Text) -> bool:
    """Whether a published label may stand for a value."""
    if label == "*":
        return True
    if quasi.tree:
        return label in quasi.above(value)
    if value is None:
        return label is None or (not quasi.is_range and "" in (read_set(label) or []))
    if label is None:
        return False
    if not quasi.is_range:
        return label == value or value in (read_set(label) or [])
    if label.startswith("["):
        low, high = (quasi.number(end) for end in label[1:-1].split(", "))
        return low <= quasi.number(value) <= high
    return quasi.number(label) == quasi.number(value)


def same(kind: str, published: Text, original: Text) -> bool:
    """Whether a cell that is published as it was is as it was."""
    if published is None or original is None:
        return published is original
    return published == original or (kind == "numeric" and float(published) == float(original))


def check_release(case: Case, release: Any, limit: float = 1.0) -> None:
    """Raise AssertionError unless the release is true to its table and holds what was asked."""
    rows = release.rows
    assert rows["row"].to_list() == list(range(case.n_rows))
    classes = rows["class"].to_list()
    origin = release.origin.tolist()
    kept = [row for row, number in enumerate(classes) if number is not None]
    told = records(case)
    assert len({told[row] for row in origin}) == len(origin), "no record is published twice"
    assert {told[row] for row in origin} == {told[row] for row in kept}
    assert {classes[row] for row in origin} == {classes[row] for row in kept}
    assert release.frame.height == len(origin) > 0
    names = [n for n, words in case.attributes.items() if words["role"] in PUBLISHED]
    if case.people is not None:
        names = ["Id_num", *names]
        people = [case.people[row] for row in origin]
        numbers = release.frame["Id_num"].to_list()
        assert len(set(zip(people, numbers, strict=True))) == len(set(people)) == len(set(numbers))
        assert not set(numbers) & set(people)
        gone = {case.people[row] for row in range(case.n_rows)} - set(people)
        assert {case.people[row] for row in range(case.n_rows) if classes[row] is None} == gone
    assert release.frame.columns == names
    _check_cells(case, release, origin)
    _check_classes(case, release, origin)
    units = case.units
    suppressed = sum(classes[unit[0]] is None for unit in units)
    assert suppressed <= limit * len(units) + 1e-9
    lost = {told[row] for row in range(case.n_rows) if classes[row] is None}
    assert release.counts.suppressed == len(lost)
    assert release.counts.repeated == case.n_rows - len(set(told))


def records(case: Case) -> list[tuple]:
    """What tells rows apart: their place, or the person and what is published of them."""
    if case.people is None:
        return [(row,) for row in range(case.n_rows)]
    told = [
        [_comparable(case.fields[name], row) for row in range(case.n_rows)]
        for name, words in case.attributes.items()
        if words["role"] in ("sensitive", "insensitive")
    ]
    return list(zip(case.people, *told, strict=True))


def _comparable(field: Field, row: int) -> object:
    cell = field.cells[row]
    return float(cell) if field.kind == "numeric" and cell is not None else cell


def _check_cells(case: Case, release: Any, origin: list[int]) -> None:
    for name, words in case.attributes.items():
        if words["role"] not in PUBLISHED:
            continue
        cells = release.coded["data"][name].cast(pl.String).to_list()
        twin = case.fields[name]
        if release.schema[name].hierarchy is None:
            twin = replace(twin, hierarchy=None)
        for label, row in zip(cells, origin, strict=True):
            value = twin.cells[row]
            if words["role"] == "quasi":
                assert covers(twin, label, value), f"{name}: {label!r} does not cover row {row}"
            else:
                assert same(twin.kind, label, value), f"{name}: row {row} was changed"


def _check_classes(case: Case, release: Any, origin: list[int]) -> None:
    """Classes are the rows with equal published quasi-identifiers."""
    names = [q.name for q in case.quasi]
    rows_of: dict[tuple, list[int]] = {}
    for vector, row in zip(release.frame.select(names).rows(), origin, strict=True):
        rows_of.setdefault(vector, []).append(row)
    for rows in rows_of.values():
        n_units = len(rows) if case.people is None else len({case.people[row] for row in rows})
        assert rows_hold(case, n_units, rows), f"the class of rows {rows} fails"
    number = dict(zip(release.rows["row"], release.rows["class"], strict=True))
    of_number = Counter(number[row] for row in origin)
    sizes = dict(zip(release.classes["class"], release.classes["size"], strict=True))
    assert sizes == of_number


def plain_number(text: str) -> str:
    """A number as a release writes it."""
    return number_text(float(text))
