"""Published text, by the contract's section of that name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.recode import generalise
from shoal.table.partition import Partition
from tests.brute import covers, read_set
from tests.cases import Case, as_field, random_case, task_of
from tests.papers import naive


@pytest.mark.parametrize("block", range(4))
def test_labels_are_those_of_the_definition(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        case = random_case(seed, most_rows=30)
        n = len(case.units)
        n_classes = max(1, n // 3)
        unit_class = np.arange(n, dtype=np.int32) % n_classes
        unit_class[n_classes + 1 :: 5] = -1
        labels = generalise(task_of(case).table, Partition(unit_class, n_classes))
        for quasi, label in zip(case.quasi, labels, strict=True):
            for number in range(n_classes):
                rows = [case.units[u][0] for u in np.flatnonzero(unit_class == number)]
                want = naive.cover_text(quasi, {quasi.cells[row] for row in rows})
                got = label.texts[label.of_class[number]]
                assert got == want, (seed, quasi.name)
                assert all(covers(quasi, got, quasi.cells[row]) for row in rows)


def _labels(kind: dict[str, Any], cells: list[str | None], ranges: str = "tight") -> Any:
    attributes = {"q": {"role": "quasi", **kind}}
    case = Case({"q": as_field("q", kind, cells)}, attributes, [{"k-anonymity": {"k": 1}}])
    table = task_of(case).table
    [label] = generalise(table, Partition(np.zeros(len(cells), dtype=np.int32), 1), ranges)
    return label.texts[label.of_class[0]]


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["b", "a"], "{a, b}"),
        (["a", "a"], "a"),
        (["b", "", "a"], '{"", a, b}'),
        (["*", "a"], '{"*", a}'),
        (["a, b", "c"], '{"a, b", c}'),
        (["{", "}"], '{"{", "}"}'),
        (['"', "["], '{"\\"", "["}'),
        (["ä", "z", "Z"], "{Z, z, ä}"),
        ([None, None], None),
        (["10", "9", "x"], "{10, 9, x}"),
    ],
)
def test_sets(cells: list[str | None], text: str | None) -> None:
    assert _labels({"kind": "categorical"}, [c or None for c in cells]) == text


@pytest.mark.parametrize("n_values", [63, 64, 65, 66])
def test_sets_of_many_values_are_those_of_the_definition(n_values: int) -> None:
    """As bits of a word or as lists: both sides of the limit."""
    draw = np.random.default_rng(n_values)
    cells = [f"v{v:02}" for v in (*range(n_values), *draw.integers(0, n_values, 200))]
    case = Case({"q": as_field("q", {"kind": "categorical"}, cells)},
                {"q": {"role": "quasi", "kind": "categorical"}},
                [{"k-anonymity": {"k": 1}}])  # fmt: skip
    unit_class = draw.integers(-1, 40, len(cells)).astype(np.int32)
    numbers = np.unique(unit_class[unit_class >= 0])
    unit_class[unit_class >= 0] = np.searchsorted(numbers, unit_class[unit_class >= 0])
    [label] = generalise(task_of(case).table, Partition(unit_class, len(numbers)))
    assert label.sets is not None
    for number in range(len(numbers)):
        own = sorted({cells[u] for u in np.flatnonzero(unit_class == number)})
        shown = own[0] if len(own) == 1 else "{" + ", ".join(own) + "}"
        assert label.texts[label.of_class[number]] == shown
        assert len(label.sets[label.of_class[number]]) == len(own)


def test_ordinals_keep_their_order_in_sets() -> None:
    kind = {"kind": "ordinal", "values": ["low", "mid", "high"]}
    assert _labels(kind, ["high", "low"]) == "{low, high}"


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["20", "15"], "[15, 20]"),
        (["0.1", "0.30000000000000004"], "[0.1, 0.30000000000000004]"),
        (["-1", "1e3"], "[-1, 1000]"),
        (["7", "7.0"], "7"),
        (["1e-7", "0"], "[0, 1e-07]"),
        (["-0", "0"], "0"),
        (["1", None], "*"),
        ([None, None], None),
        (["1e300", "-1e300"], "[-1e+300, 1e+300]"),
    ],
)
def test_ranges(cells: list[str | None], text: str | None) -> None:
    assert _labels({"kind": "numeric"}, cells) == text


def test_dates() -> None:
    assert _labels({"kind": "date"}, ["2020-02-29", "1969-12-31"]) == "[1969-12-31, 2020-02-29]"
    assert _labels({"kind": "date"}, ["2020-02-29", "2020-02-29"]) == "2020-02-29"


@given(st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=6, unique=True))
def test_any_set_reads_back(members: list[str]) -> None:
    text = naive.set_text(sorted(members))
    assert text == _set_text(members)
    assert read_set(text or "") == sorted(members)


def _set_text(members: list[str]) -> str | None:
    from shoal.recode.label import set_writer
    from shoal.schema import Attribute, Kind, Role
    from shoal.table import Domain

    texts = tuple(sorted(members))
    domain = Domain(Attribute("q", Role.QUASI, Kind.CATEGORICAL), texts, None, None, -1)
    return set_writer(domain)(list(range(len(texts))))


@pytest.mark.parametrize(
    ("cells", "text"),
    [(["23", "41"], "[20, 50]"), (["23", "23"], "23"), (["1", "2"], "[1, 2]"), (["1", None], "*")],
)
def test_snapped_ranges(cells: list[str | None], text: str) -> None:
    assert _labels({"kind": "numeric"}, cells, "snapped") == text


def test_totals_sum_the_codes_that_a_label_covers() -> None:
    field = as_field("q", {"kind": "categorical"}, list("abc"))
    case = Case({"q": field}, {"q": "quasi"}, [{"k-anonymity": {"k": 1}}])
    partition = Partition(np.array([0, 1, 0], dtype=np.int32), 2)
    (label,) = generalise(task_of(case).table, partition)
    totals = label.total(np.array([1.0, 10.0, 100.0]))
    assert totals[label.of_class].tolist() == [101, 10]
