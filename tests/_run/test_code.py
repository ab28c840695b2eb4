"""The coded input of a run: repeated rows merged, and what cannot be met refused at once."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.code import code_table, compile_requirements, list_guesses
from shoal.errors import InfeasibleError, PlanError
from shoal.plan import Plan
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS

K: dict[str, Any] = {"k-anonymity": {"k": 2}}
ROLES: dict[str, Any] = {"who": "identifier", "age": "quasi", "ill": "sensitive"}
VISITS = pl.DataFrame({"who": list("aabb"), "age": [1, 1, 2, 2], "ill": list("xxxy")})


def _plan(privacy: list[Any], **more: Any) -> Plan:
    return Plan.of({"attributes": ROLES, "privacy": privacy, **more})


def test_repeated_rows_of_a_person_are_published_once() -> None:
    coded = code_table(_plan([K], individual="who"), VISITS)
    assert coded.stands_for is not None
    assert coded.stands_for.tolist() == [0, 0, 2, 3]
    assert coded.published_once.tolist() == [True, False, True, True]
    assert (coded.table.n_rows, coded.merged.n_rows, coded.n_repeated) == (4, 3, 1)
    assert coded.table.n_units == coded.merged.n_units == 2


@pytest.mark.parametrize("order", ["content", "input"])
def test_a_person_is_as_sensitive_as_the_most_sensitive_of_their_repeated_rows(order: str) -> None:
    """Whichever of the equal rows is published: seen to end in a VerificationError."""
    rows = [(f"p{p}", p % 4, "x", (0.1, 0.9)[(p + i) % 2]) for p in range(12) for i in range(2)]
    frame = pl.DataFrame(rows, schema=["who", "age", "ill", "f"], orient="row")
    levels = {"thresholds": [[0.8, 0.2]], "levels": [[6, 1]]}
    age = {"role": "quasi", "hierarchy": {"width": 2, "levels": 1}}
    plan = {
        "attributes": {**ROLES, "age": age, "f": "sensitivity"},
        "individual": "who",
        "privacy": [{"multi-level-k": levels}],
        "method": "ece-mks3wd",
        "order": order,
        "seed": 1,
    }
    release = shoal.run(plan, frame)
    assert release.holds
    assert set(release.rows["k"]) == {6}


@pytest.mark.parametrize("frame", [VISITS, VISITS[2:]])
def test_nothing_is_merged_where_nothing_is_repeated(frame: pl.DataFrame) -> None:
    people = {"individual": "who"} if frame.height == 2 else {}
    coded = code_table(_plan([K], **people), frame)
    assert coded.stands_for is None
    assert coded.published_once.all()
    assert coded.n_repeated == 0


@pytest.mark.parametrize(
    ("privacy", "error", "text"),
    [
        ([K], None, ""),
        ([{"k-anonymity": {"k": 4}}], None, ""),
        ([{"k-anonymity": {"k": 5}}], InfeasibleError, "5"),
        ([{"l-diversity": {"l": 2}}], None, ""),
        ([{"l-diversity": {"l": 3}}], InfeasibleError, "ill"),
    ],
)
def test_what_no_partition_can_meet_is_refused(
    privacy: list[Any], error: type[Exception] | None, text: str
) -> None:
    plan = _plan(privacy)
    coded = code_table(plan, VISITS)
    if error is None:
        compile_requirements(plan.models, plan.method, coded)
        return
    with pytest.raises(error, match=text):
        compile_requirements(plan.models, plan.method, coded)


@pytest.mark.parametrize(
    ("ages", "kind"), [([1, 2, 3, 4], "numeric"), (list("abcd"), "categorical")]
)
def test_only_inferred_kinds_are_noted(ages: list[Any], kind: str) -> None:
    plan = _plan([K], attributes={**ROLES, "ill": {"role": "sensitive", "kind": "categorical"}})
    frame = VISITS.with_columns(age=pl.Series(ages))
    table = code_table(plan, frame).table
    assert list_guesses(plan, table, {}) == (f"age is taken as {kind}",)
    assert list_guesses(plan, table, {"ill": "a date"})[1] == "ill is taken as a date"
    alike = {"ill": "a date", "age": "a date"}
    assert list_guesses(plan, table, alike) == ("age and ill are taken as a date",)


CLASHES = [
    ({"p": "identifier", "Id_num": "quasi"}, {"individual": "p"}),
    ({"p": "quasi", "p_low": "insensitive"}, {"ranges": "columns"}),
    ({"record": "quasi", "ill": "sensitive"}, {"ranges": "columns", "method": "lgb-mdp"}),
    ({"GID": "quasi", "ill": "sensitive"}, {"method": {"qi-mhsa": {"tables": "split"}}}),
]


@pytest.mark.parametrize(("attributes", "more"), CLASHES)
def test_two_columns_of_one_name_are_an_error(attributes: Any, more: Any) -> None:
    frame = pl.DataFrame({name: [1, 2, 3, 4] for name in attributes})
    privacy = [
        {"k-anonymity": {"k": 2}},
        *([{"l-diversity": {"l": 2}}] if "ill" in attributes else []),
    ]
    plan = {"attributes": attributes, "privacy": privacy, **more}
    with pytest.raises(shoal.PlanError, match="two columns"):
        shoal.run(plan, frame)


def test_a_name_kept_for_buckets_is_refused() -> None:
    plan = {
        "attributes": {"a": "quasi", "a_BID": "insensitive"},
        "privacy": [{"k-anonymity": {"k": 1}}],
    }
    with pytest.raises(PlanError, match="reserved for the numbers of buckets"):
        shoal.run(plan, pl.DataFrame({"a": [1], "a_BID": [2]}))


BUCKETS = [
    ({"a/b": "disease"}, "no file can have it"),
    ({"x" * 201: "disease"}, "no file can have it"),
    ({"x" * 200: "disease"}, None),
    ({"AGE": "disease"}, "differ only in case: 'age', 'AGE'"),
]


@pytest.mark.parametrize(("renamed", "text"), BUCKETS)
def test_names_of_buckets_must_be_names_of_files(renamed: dict[str, str], text: str | None) -> None:
    [(new, old)] = renamed.items()
    attributes = {new if name == old else name: a for name, a in PATIENT_ATTRIBUTES.items()}
    l_diversity = [{"l-diversity": {"attribute": n, "l": 2}} for n in ("age", "zip", new)]
    plan = {"attributes": attributes, "privacy": [K, *l_diversity], "method": "lgb-mdp", "seed": 3}
    frame = PATIENTS.rename({old: new})
    if text is None:
        assert shoal.run(plan, frame).holds
        return
    with pytest.raises(PlanError, match=text):
        shoal.run(plan, frame)


def test_the_most_sensitive_row_of_a_person_counts_where_rows_repeat() -> None:
    """One row is published for the two of x, but x asks for the k of the more sensitive one."""
    frame = pl.DataFrame({"who": ["x", "x", "y"], "age": [1, 1, 2], "f": [0.1, 0.9, 0.1]})
    roles = {"who": "identifier", "age": "quasi", "f": "sensitivity"}
    plan = Plan.of({"attributes": roles, "privacy": [K], "individual": "who"})
    coded = code_table(plan, frame)
    assert (coded.n_repeated, coded.merged.unit_sensitivity().tolist()) == (1, [0.9, 0.1])
