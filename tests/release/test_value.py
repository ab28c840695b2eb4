"""Advice on the values of columns: how many are meant, and never which."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.plan import Plan
from shoal.release import value
from shoal.release.value import share_singled_out
from shoal.table import encode

L2: dict[str, Any] = {"l-diversity": {"l": 2}}


def advice(code: str, columns: dict[str, Any], *privacy: Any, **more: Any) -> str:
    """The text of the advice of a code on a table whose first column is a quasi-identifier."""
    attributes: dict[str, Any] = {"q": "quasi", "s": "sensitive", **more.pop("attributes", {})}
    plan = {"attributes": attributes, "privacy": list(privacy or (L2,)), "seed": 1, **more}
    found = shoal.run(plan, pl.DataFrame(columns)).warnings
    return " ".join(str(one) for one in found if one.code == code)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["flu", "Flu", "gout", "pox"], "1 value that differs from another"),
        (["flu", "f lu", "FLU", "pox"], "2 values that differ from another"),
        (["flu", "flue", "gout", None], ""),
    ],
)
def test_values_that_look_alike(cells: list[str | None], said: str) -> None:
    found = advice("look-alike-values", {"q": [1, 1, 1, 1], "s": cells})
    assert said in found
    assert bool(found) == bool(said)
    assert "flu" not in found.lower()


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy", "recursive"])
def test_groups_that_need_a_missing_value(kind: str) -> None:
    """The first group has two known values, the others have one each."""
    columns = {"q": [1, 1, 5, 5, 9, 9], "s": ["a", "b", "a", None, "b", None]}
    c = {"c": 3.0} if kind == "recursive" else {}
    asked = {"l-diversity": {"l": 2, "kind": kind, **c}}
    found = advice("missing-counts", columns, asked)
    assert found.startswith("2 groups reach l = 2 for 's' only because")
    ignoring = {"l-diversity": {**asked["l-diversity"], "missing": "ignore"}}
    assert advice("missing-counts", columns, ignoring) == ""
    full = {**columns, "s": ["a", "b", "a", "c", "b", "c"]}
    assert advice("missing-counts", full, asked) == ""


@pytest.mark.parametrize("kinds", [("entropy", "distinct"), ("distinct", "entropy")])
def test_of_two_kinds_that_is_said_which_more_groups_fall_short_of(kinds: tuple[str, str]) -> None:
    """Without the missing value the first group has 2 : 1, whose entropy is below that of 1 : 1."""
    columns = {"q": [1, 1, 1, 1, 9, 9], "s": ["a", "a", "b", None, "a", "b"]}
    asked = [{"l-diversity": {"l": 2, "kind": kind}} for kind in kinds]
    found = advice("missing-counts", columns, *asked)
    assert found.startswith("1 group reaches l = 2 for 's' only because")


def test_buckets_that_need_a_missing_value() -> None:
    columns = {"q": [1, 1, 1, 1], "s": ["a", "b", "a", None]}
    privacy = ({"k-anonymity": {"k": 2}}, L2)
    found = advice("missing-counts", columns, *privacy, method="lgb-mdp")
    assert found.startswith("1 bucket reaches l = 2 for 's' only because")
    known = {**columns, "s": ["a", "b", "a", "b"]}
    assert advice("missing-counts", known, *privacy, method="lgb-mdp") == ""


def test_people_found_by_how_many_rows_they_have() -> None:
    people = {"attributes": {"who": "identifier"}, "individual": "who", "method": "danonyir"}
    columns = {"who": list("aabccc"), "q": [1] * 6, "s": list("xyzxyz")}
    found = advice("rows-of-person", columns, {"ir-k": {"k": 3}}, **people)
    assert found.startswith("100% of the people have a number of rows that nobody else")
    same = {"who": list("aabbcc"), "q": [1] * 6, "s": list("xyzxyz")}
    assert advice("rows-of-person", same, {"ir-k": {"k": 3}}, **people) == ""


def test_sets_are_exact_where_there_are_some() -> None:
    columns = {"q": list("uvwx"), "s": list("abab")}
    assert "The sets of 'q' list exactly" in advice("exact-sets", columns)
    flat = {"attributes": {"q": {"role": "quasi", "hierarchy": "flat"}}}
    assert advice("exact-sets", columns, **flat) == ""
    assert advice("exact-sets", {**columns, "q": list("uuuu")}) == ""
    assert advice("exact-sets", {**columns, "q": [1, 2, 3, 4]}) == ""


FRAME = pl.DataFrame(
    {"q": [1] * 4, "a": list("xxyy"), "b": list("pqpp"), "c": [None, None, None, "r"]}
)
PLAN = Plan.of(
    {
        "attributes": {"q": "quasi", "a": "sensitive", "b": "sensitive", "c": "insensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
)


@pytest.mark.parametrize("few", [1 << 24, 0])
@pytest.mark.parametrize(
    ("names", "share"), [("", 0), ("a", 0), ("b", 0.25), ("c", 0.25), ("ab", 0.5), ("abc", 1)]
)
def test_counting_and_hashing_find_the_same_rows(
    names: str, share: float, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value, "_FEW", few)
    everybody = np.arange(len(FRAME))
    assert share_singled_out(list(names), FRAME, encode(FRAME, PLAN.schema), everybody) == share


@pytest.mark.parametrize("few", [1 << 24, 0])
def test_rows_that_are_left_out_hide_nobody(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value, "_FEW", few)
    table = encode(FRAME, PLAN.schema)
    # Everybody shares their value of a with somebody, but not with the others of these.
    rows = np.unique(FRAME["a"].to_numpy(), return_index=True)[1]
    assert share_singled_out(["a"], FRAME, table, rows) == 1
