"""What somebody has: the commonest value of the rows that can be theirs."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from shoal.attack import Inference, Target
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
SCHEMA = Schema((AGE, Attribute("ill", Role.SENSITIVE)))


def released(labels: list[str], ills: str, ages: list[int]) -> Target:
    data = pl.DataFrame({"age": labels, "ill": list(ills)})
    return Target(data, SCHEMA, (), pl.DataFrame({"age": ages, "ill": list(ills)}))


def test_a_homogeneous_class_gives_its_value_away() -> None:
    one = released(["[1, 2]"] * 2 + ["[5, 8]"] * 3, "aabbc", [1, 2, 5, 6, 8])
    (found,) = Inference().run(one)
    assert (found.about, found.worst, found.success.share) == ("ill", 1.0, 4 / 5)
    assert found.baseline.share == pytest.approx(2 / 5)
    assert "for 40% of people, all matching rows show the same value" in found.note
    assert "at most 2.5 times as likely" in found.note
    # Without the own row: a of the first class stays right, one b ties with c, c was never right.
    assert found.control is not None
    assert found.control.share == pytest.approx((1 + 1 + 1 / 2 + 1 / 2 + 0) / 5)


def test_rows_of_several_classes_count_together() -> None:
    one = released(["[1, 5]", "[1, 5]", "[4, 9]", "[4, 9]"], "abbb", [1, 4, 5, 9])
    (found,) = Inference().run(one)
    assert found.worst == 1.0
    assert found.quantiles[0.5] == pytest.approx(3 / 4)


def test_what_was_promised() -> None:
    one = released(["*"] * 4, "abab", [1, 2, 3, 4])
    frequency = Requirement("l-diversity", {"l": 2, "kind": "frequency"})
    alpha = Requirement("alpha-k", {"alpha": 0.4, "k": 2})
    (found,) = Inference().run(replace(one, requirements=(frequency,)))
    assert (found.worst, found.bound, found.holds) == (0.5, 0.5, True)
    (found,) = Inference().run(replace(one, requirements=(frequency, alpha)))
    assert (found.bound, found.holds) == (0.4, False)


def test_lkc_promises_nothing_against_those_who_know_more_than_l() -> None:
    """Each of a and b alone fits as many f as g, but both together only one of them."""
    data = pl.DataFrame({"a": list("xyxy"), "b": list("uuvv"), "ill": list("fggf")})
    quasi = (Attribute("a", Role.QUASI), Attribute("b", Role.QUASI))
    schema = Schema((*quasi, Attribute("ill", Role.SENSITIVE)))
    for n_known, bound, holds in ((1, None, None), (2, 0.5, False)):
        requirement = Requirement("lkc", {"l": n_known, "k": 1, "c": 0.5})
        (found,) = Inference().run(Target(data, schema, (requirement,), data))
        assert (found.worst, found.bound, found.holds) == (1.0, bound, holds)


def test_several_columns_together() -> None:
    schema = Schema((*SCHEMA.attributes, Attribute("job", Role.SENSITIVE)))
    data = pl.DataFrame({"age": ["*"] * 4, "ill": list("aabb"), "job": list("xyxy")})
    known = data.with_columns(pl.Series("age", [1, 2, 3, 4]))
    ill, job, both = Inference().run(Target(data, schema, (), known))
    assert [g.about for g in (ill, job, both)] == ["ill", "job", "ill and job"]
    assert (ill.worst, job.worst, both.worst) == (0.5, 0.5, 0.25)


def test_people_with_several_records() -> None:
    """One of two has an a and a b, the other an a: an a is guessed with three quarters."""
    attributes = (Attribute("Id_num", Role.IDENTIFIER), *SCHEMA.attributes)
    schema = Schema(attributes, Individual("Id_num"))
    data = pl.DataFrame({"Id_num": ["1", "1", "2"], "age": ["*"] * 3, "ill": list("aba")})
    known = pl.DataFrame({"who": ["x", "x", "y"], "age": [1, 1, 2], "ill": list("aba")})
    (found,) = Inference().run(Target(data, schema, (), known, person="who"))
    assert found.worst == pytest.approx(3 / 4)
    # Of the records of the one half are an a, of those of the other all.
    assert found.success.share == pytest.approx(3 / 4)
    assert found.success.n == 2


def test_a_release_in_two_tables() -> None:
    data = pl.DataFrame({"GID": ["1", "1", "2", "2"], "age": ["[1, 2]"] * 2 + ["[5, 8]"] * 2})
    second = pl.DataFrame({"GID": ["1", "1", "2", "2"], "ill": list("aabc")})
    known = pl.DataFrame({"age": [1, 2, 5, 8], "ill": list("aabc")})
    (found,) = Inference().run(Target(data, SCHEMA, (), known, linked=True, second=second))
    assert (found.worst, found.success.share) == (1.0, 3 / 4)


def test_who_need_not_count_is_promised_nothing() -> None:
    one = released(["*"] * 4, "abab", [1, 2, 3, 4])
    for more in ({"missing": "ignore"}, {"personal": "l_of"}):
        limit = Requirement("l-diversity", {"l": 4, "kind": "frequency", **more})
        (found,) = Inference().run(replace(one, requirements=(limit,)))
        assert found.holds is None


def test_symbols_are_not_guessed_from() -> None:
    one = released(["*"] * 2, "ab", [1, 2])
    assert list(Inference().run(replace(one, symbols=("ill",)))) == []
