"""LKC-privacy and k^m-anonymity against trying every combination, row by row."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema
from shoal.verify import check_table
from shoal.verify.model import combination
from shoal.verify.model.combination import check_km
from tests.verify.model.test_recount import asked
from tests.verify.small import classes_of

NAMES = ["a", "b", "c"]


def table_of(seed: int, n: int = 14) -> pl.DataFrame:
    rng = random.Random(seed)
    columns = {name: [rng.choice("xy") for _ in range(n)] for name in NAMES}
    who = [f"p{rng.randrange(n)}" for _ in range(n)]
    return pl.DataFrame({**columns, "s": [rng.choice("stu") for _ in range(n)], "who": who})


def worst(frame: pl.DataFrame, known: int, *, people: bool) -> tuple[int, float]:
    """The fewest who share at most `known` values, and the largest share of one value in them."""
    fewest, most, rows = frame.height, 0.0, frame.to_dicts()
    for n in range(1, min(known, len(NAMES)) + 1):
        for names in combinations(NAMES, n):
            for row in rows:
                like = [r for r in rows if all(r[x] == row[x] for x in names)]
                fewest = min(fewest, len({r["who"] for r in like}) if people else len(like))
                values = [r["s"] for r in like]
                most = max(most, max(map(values.count, values)) / len(values))
    return fewest, most


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_every_combination(known: int, people: bool) -> None:
    quasi = [Attribute(name, Role.QUASI, Kind.CATEGORICAL) for name in NAMES]
    secret = Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL)
    who = Attribute("who", Role.IDENTIFIER)
    schema = Schema((*quasi, secret, who), Individual("who") if people else None)
    for seed in range(12):
        frame = table_of(seed)
        k, c = worst(frame, known, people=people)
        required: list[dict[str, Any]] = [{"k": k, "c": c}, {"k": k + 1, "c": c}]
        for given in required:
            lkc = Requirement("lkc", {"l": known, **given})
            km = Requirement("km", {"m": known, "k": given["k"]})
            (one, two), _ = check_table(frame, schema, [lkc, km])
            assert (one.reached, two.reached) == ({"k": k, "c": c}, {"k": k}), seed
            assert one.holds == two.holds == (given["k"] == k)
        below = Requirement("lkc", {"l": known, "k": 1, "c": c - 1e-9})
        assert check_table(frame, schema, [below])[0][0].holds is False


def test_too_many_combinations_leave_whole_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds of classes holds of their unions: stricter, never laxer."""
    schema = Schema(tuple(Attribute(name, Role.QUASI, Kind.CATEGORICAL) for name in NAMES))
    frame = pl.DataFrame({"a": ["x", "x"], "b": ["x", "y"], "c": ["x", "x"]})
    required = Requirement("km", {"m": 1, "k": 1})
    assert check_table(frame, schema, [required])[0][0].reached == {"k": 1}
    frame = pl.DataFrame({"a": ["x"] * 4, "b": [*"xyxy"], "c": [*"xxyy"]})
    assert check_table(frame, schema, [required])[0][0].reached == {"k": 2}
    monkeypatch.setattr(combination, "_MOST", 3)
    assert check_table(frame, schema, [required])[0][0].reached == {"k": 2}
    monkeypatch.setattr(combination, "_MOST", 2)
    assert check_table(frame, schema, [required])[0][0].reached == {"k": 1}


def test_an_adversary_who_knows_a_fraction_more_knows_the_next_whole() -> None:
    quasi = [Attribute(name, Role.QUASI, Kind.CATEGORICAL) for name in "ab"]
    schema = Schema((*quasi, Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL)))
    frame = pl.DataFrame({"a": [*"xxyy"], "b": [*"xyxy"], "s": [*"stst"]})
    for known, fewest in ((1, 2), (1.5, 1), (2, 1)):
        required = [Requirement("km", {"m": known, "k": 2})]
        required += [Requirement("lkc", {"l": known, "k": 2, "c": 1})]
        verdicts, _ = check_table(frame, schema, required)
        assert [v.reached["k"] for v in verdicts] == [fewest] * 2  # type: ignore[index]


def test_the_worst_class_has_the_largest_share_then_the_fewest_people() -> None:
    schema = Schema((Attribute("a", Role.QUASI), Attribute("s", Role.SENSITIVE)))
    frame = pl.DataFrame({"a": [*"xxxyyyyzz"], "s": [*"stusstuss"]})
    asked_for = Requirement("lkc", {"l": 1, "k": 1, "c": 1.0})
    assert check_table(frame, schema, [asked_for])[0][0].worst_class == 3
    even = pl.DataFrame({"a": [*"xxxxyyzzz"], "s": [*"ststststu"]})
    assert check_table(even, schema, [asked_for])[0][0].worst_class == 2


def test_without_the_quasi_identifiers() -> None:
    with pytest.raises(VerificationError, match="quasi-identifiers of the classes are not known"):
        list(check_km(classes_of({1: ["a"]}), asked("km", k=1, m=1)))
