"""What cannot be followed is refused at once, and an adversary may gain 1/k and 1/l.

A billionth of that is for rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Layout, Verdict
from shoal.verify import Published, verify_release
from shoal.verify.model.requirement import TOLERANCE
from shoal.verify.secret.adversary import Risks
from shoal.verify.secret.guarantee import risk_problems
from tests.verify.secret.test_secret import REQUIREMENTS, sound
from tests.verify.small import asked, said

K4 = asked("k-anonymity", k=4)


def found(requirement: Any, identity: float, posterior: float, holds: Any = True) -> str:
    risks = Risks(identity, True, {"s": posterior}, {"s": True}, 1)
    attribute = None if requirement.model == "k-anonymity" else "s"
    verdict = Verdict(str(requirement), holds, 4, attribute=attribute)
    return said(risk_problems(risks, [requirement], [verdict]))


def test_identity_at_its_edge() -> None:
    assert found(K4, 0.25, 1) == ""
    assert found(K4, 0.25 * (1 + TOLERANCE), 1) == ""
    assert "found with a probability of 0.25, but k-anonymity {k: 4} allows 0.25" in found(
        K4, 0.25 * (1 + 2e-9), 1
    )
    assert found(K4, 0.255, 1) != ""


@pytest.mark.parametrize("kind", ["distinct", "frequency"])
def test_posteriors_at_their_edge(kind: str) -> None:
    l4 = asked("l-diversity", l=4, kind=kind)
    assert found(l4, 1, 0.25) == ""
    assert found(l4, 1, 0.25 * (1 + TOLERANCE)) == ""
    assert "A secret in 's' is learned with a probability of 0.25" in found(
        l4, 1, 0.25 * (1 + 2e-9)
    )


def test_only_what_holds_and_bounds_a_share_is_compared() -> None:
    assert found(K4, 1, 1, holds=False) == ""
    assert found(asked("l-diversity", l=4), 1, 1, holds=False) == ""
    assert found(asked("l-diversity", l=4, kind="entropy"), 1, 1) == ""
    assert found(asked("t-closeness", t=0.1), 1, 1) == ""


def test_a_bound_is_not_a_fact() -> None:
    risks = Risks(0.1, True, {"s": 0.5, "t": 0.1}, {"s": False, "t": True}, 1)
    l4 = asked("l-diversity", l=4)
    verdicts = [Verdict(str(l4), True, 4, attribute=name) for name in ("s", "t")]
    problems = said(risk_problems(risks, [K4, l4], [Verdict(str(K4), True, 4), *verdicts]))
    assert problems.startswith("A secret in 's' may be learned")
    assert "'t'" not in problems


def refused(published: Published, finding: str) -> str:
    with pytest.raises(VerificationError) as error:
        verify_release(published)
    found = said(error.value.problems)
    assert finding in found
    return found


def test_without_its_tables_and_maps_nothing_else_is_looked_at() -> None:
    published = sound().published
    tables = {name: table for name, table in published.tables.items() if name != "data"}
    refused(replace(published, tables=tables), "There is no published table 'data'.")
    numbers = published.classes.astype(float)
    found = refused(replace(published, classes=numbers), "The array 'classes' must be")  # type: ignore[arg-type]
    assert "'data'" not in found
    refused(replace(published, origin=published.origin[:-1]), "The row map must have 12 rows")
    outside = published.origin.copy()
    outside[0] = 12
    refused(replace(published, origin=outside), "1 published row does not come from an original")


@pytest.mark.parametrize("cell", [["flu"], b"flu"])
def test_cells_of_buckets_have_a_text_form(cell: Any) -> None:
    case = sound()
    table = case.tables["buckets-ill"]
    forged = table.with_columns(pl.Series("value", [cell] * table.height))
    published = case.with_table("buckets-ill", forged).published
    found = refused(published, "The table 'buckets-ill' has cells that have no text form.")
    assert "'buckets-age'" not in found


def test_what_is_wrong_before_the_maps_is_told_with_them() -> None:
    published = sound().published
    tables = {**published.tables, "data": published.data.drop("town")}
    broken = replace(published, tables=tables, origin=published.origin[:-1])
    found = refused(broken, "The row map must have 12 rows")
    assert "Column 'town' is not published." in found


def test_values_that_nobody_holds_secret_are_judged_by_what_rows_show() -> None:
    gender = asked("l-diversity", l=2, attribute="gender")
    for layout in (Layout.SPLIT, Layout.JOINED):
        published = replace(sound(str(layout)).published, requirements=(*REQUIREMENTS, gender))
        *_, verdict = verify_release(published)
        assert (verdict.requirement, verdict.attribute) == (str(gender), "gender")
        assert (verdict.holds, verdict.reached, verdict.note) == (False, 1, "")


def test_shares_of_a_part_are_compared_with_those_of_the_whole() -> None:
    """Both genders are equally common in the part, but not in the whole."""
    close = asked("t-closeness", t=0.5, attribute="gender")
    case = sound()
    assert case.original["gender"].value_counts()["count"].to_list() == [6, 6]
    published = replace(case.published, requirements=(*REQUIREMENTS, close))
    *_, verdict = verify_release(published)
    assert (verdict.holds, verdict.reached) == (True, 0.5)
    counts = pl.DataFrame({"value": ["Female", "Male"], "n": [60, 40]})
    *_, verdict = verify_release(replace(published, whole={"gender": counts}))
    assert (verdict.holds, verdict.reached) == (False, pytest.approx(0.6))


def test_all_requirements_that_make_no_sense_are_told() -> None:
    published = replace(
        sound().published,
        requirements=(*REQUIREMENTS, asked("k-anonymity", k=0), asked("l-diversity", l="2")),
    )
    found = refused(published, "The 'k' parameter of k-anonymity must be a number of at least 1")
    assert "The 'l' parameter of l-diversity must be" in found


def test_people_may_ask_for_more_beside_entries_that_are_nobodys() -> None:
    """Bucket 2 holds 24 and 25 of two people, and 99 of nobody."""
    case = sound()
    assert case.tables["buckets-age"].rows()[2:] == [("2", 24), ("2", 25)]
    entry = pl.DataFrame({"BID": ["2"], "value": [99]})
    case = case.with_table("buckets-age", pl.concat([case.tables["buckets-age"], entry]))
    own = asked("l-diversity", l=2, attribute="age", personal="own")
    for person, wish, offending in ((4, 3, ()), (4, 4, (2,)), (6, 3, (1,)), (0, 9, ())):
        wishes = [wish if row == person else None for row in range(12)]
        published = replace(
            case.published,
            original=case.original.with_columns(pl.Series("own", wishes, dtype=pl.Int64)),
            counterfeits={"age": 1},
            requirements=(*REQUIREMENTS, own),
        )
        *_, verdict = verify_release(published)
        assert (verdict.holds, verdict.offending) == (not offending, offending)
