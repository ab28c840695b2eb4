"""Conditions on numbers and on dates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.schema import Kind
from shoal.table import rule_faults
from shoal.table.condition import Condition
from shoal.verify.secret.flag import meets
from tests.papers.mhsa import twin

NUMBERS = st.integers(-5, 5).map(str) | st.sampled_from(["0.5", "-2.5", "3e0"])


SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@st.composite
def conditions(draw: st.DrawFn) -> str:
    chains = []
    for _ in range(draw(st.integers(1, 3))):
        sides = draw(st.permutations(["x", *draw(st.lists(NUMBERS, min_size=1, max_size=2))]))
        words = [sides[0]]
        for side in sides[1:]:
            words += [draw(SIGNS), side]
        chains.append(" ".join(words))
    joints = [draw(st.sampled_from([" and ", " or "])) for _ in chains[1:]]
    return chains[0] + "".join(j + c for j, c in zip(joints, chains[1:], strict=True))


@given(conditions())
def test_conditions_mean_what_the_twin_says(text: str) -> None:
    numbers = [-6, -2.5, -1, 0, 0.5, 1, 3, 5, 7]
    found = Condition.parse(text).holds(np.array(numbers, dtype=float)).tolist()
    assert found == [twin.holds(text, n) for n in numbers]


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "x <", "1 < 2", "x < y", "x < 1 and", "f(x) > 1", "x<1;"),
        *("x < 2019-02-29", "x > 0000-01-01", "x > 1 and x < 2019-05-01", "x < 2019-5-1"),
        *("x < \u0663", "x <\u00a01", "x < 1\u2003", "\u0085x < 1"),
    ],
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must compare|cannot be read"):
        Condition.parse(text)


def test_conditions_on_dates() -> None:
    days = np.array([0.0, 31.0, 59.0])
    assert Condition.parse("x >= 1970-02-01").holds(days).tolist() == [False, True, True]
    found = Condition.parse("1970-01-01 < x < 1970-03-01 or x = 1970-03-01")
    assert found.holds(days).tolist() == [False, True, True]
    assert found.on_dates is True
    assert Condition.parse("x >= 2019").on_dates is False
    assert Condition.parse("x = x").on_dates is None


PIECES = st.sampled_from(
    [
        *(
            "x",
            "X",
            "and",
            "or",
            "AND",
            "Or",
            "_",
            "e",
            "xor",
            "<",
            "<=",
            ">",
            ">=",
            "=",
            "==",
            "!=",
        ),
        *("!", "1", "-1", "+.5", "5.", "1e5", "1E-2", "1e", "0x1", "007", "1e999", ".", "-", "1_0"),
        *("2019-05-01", "1970-01-02", "2019-02-29", "0000-01-01", "2019-05-011", "12019-05-01"),
        *(
            "2019-5-1",
            "2019",
            " ",
            "\t",
            "\n",
            "\u00a0",
            "\u2003",
            "\u0085",
            "\x1c",
            "\u0663",
            "\u00e9",
            ";",
            "(",
        ),
    ]
)
TEXTS = (
    conditions()
    | st.lists(PIECES, max_size=9).map("".join)
    | st.lists(PIECES, max_size=9).map(" ".join)
    | st.text(alphabet="x<>=!andor0123456789.-+eE _\t", max_size=14)
    | st.text(max_size=8)
)


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.DATE])
@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_the_verifier_reads_every_text_alike(kind: Kind, text: str) -> None:
    """Both grammars take or refuse a text, and what they take means the same."""
    numbers = np.array([-1.0, 0.0, 0.5, 1.0, 5.0, 7.0, 17_000.0, 18_017.0, 1e5, np.nan])
    taken = not rule_faults({"high": text}, kind)
    try:
        met = meets(text, numbers, of_dates=kind is Kind.DATE)
    except ValueError:
        assert not taken
    else:
        assert taken
        holds = Condition.parse(text).holds(numbers) & ~np.isnan(numbers)
        assert holds.tolist() == met.tolist()
