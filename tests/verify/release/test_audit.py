"""What is counted again from a published table, and what is left open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Requirement, Role, Schema
from shoal.verify import audit_table
from shoal.verify.model import recount as words

SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
    )
)
HIDDEN = Schema(
    (SCHEMA.attributes[0], replace(SCHEMA.attributes[1], hierarchy=HierarchySpec("tree")))
)
DATA = pl.DataFrame(
    {"age": ["[30, 39]"] * 3 + ["[40, 49]"] * 3, "ill": ["flu", "gout", "flu", "flu", "flu", "pox"]}
)
ORIGINAL = pl.DataFrame(
    {"age": [31, 32, 33, 41, 42, 43, 77], "ill": ["flu", "gout", "flu", "flu", "flu", "pox", "flu"]}
)
K = Requirement("k-anonymity", {"k": 3})
OF_VALUES = [
    Requirement("l-diversity", {"l": 2, "kind": "distinct"}),
    Requirement("alpha-k", {"alpha": 0.9, "k": 3}),
    Requirement("t-closeness", {"t": 0.5}),
]


def test_sizes_are_counted_from_the_table_alone() -> None:
    (verdict,) = audit_table(DATA, SCHEMA, [K]).verdicts
    assert (verdict.holds, verdict.reached) == (True, 3)
    (short,) = audit_table(DATA[1:], SCHEMA, [K]).verdicts
    assert (short.holds, short.reached) == (False, 2)


@pytest.mark.parametrize(
    ("requirement", "alone"),
    [
        (K, True),
        (Requirement("k-map", {"k": 3}), True),
        (Requirement("multi-level-k", {"levels": [[3, 1]]}), True),
        (Requirement("km", {"k": 3, "m": 1}), False),
        (OF_VALUES[1], False),
    ],
    ids=lambda r: getattr(r, "model", None),
)
def test_counterfeits_hide_nobody(requirement: Requirement, alone: bool) -> None:
    """All of them may be in the smallest class: what they may have made to hold is open."""
    for data, n, holds in ((DATA, 0, True), (DATA, 1, None), (pl.concat([DATA, DATA]), 3, alone)):
        (found,) = audit_table(data, SCHEMA, [requirement], n_counterfeits=n).verdicts
        assert found.holds is (holds or None)
        assert (found.note == words.COUNTERFEITS) is (not holds)
    (diverse,) = audit_table(DATA, SCHEMA, OF_VALUES[:1], n_counterfeits=1).verdicts
    assert diverse.holds is True
    (short,) = audit_table(DATA[1:], SCHEMA, [K], n_counterfeits=1).verdicts
    assert (short.holds, short.reached) == (False, 2)


@pytest.mark.parametrize("requirement", OF_VALUES[:2], ids=lambda r: r.model)
def test_values_that_are_shown_are_counted_from_the_table_alone(requirement: Requirement) -> None:
    (alone,) = audit_table(DATA, SCHEMA, [requirement]).verdicts
    (beside,) = audit_table(DATA, SCHEMA, [requirement], ORIGINAL).verdicts
    assert (alone.holds, alone.attribute) == (True, "ill")
    assert alone == beside
    assert beside.requirement == str(requirement)
    (hidden,) = audit_table(DATA, HIDDEN, [requirement], symbols=["ill"]).verdicts
    assert (hidden.holds, hidden.reached, hidden.note) == (None, None, words.SYMBOLS)
    # Without a hierarchy only the root is a symbol, and what the original has is a value.
    (shown,) = audit_table(DATA, SCHEMA, [requirement], symbols=["ill"]).verdicts
    assert shown == alone
    (known,) = audit_table(DATA, HIDDEN, [requirement], ORIGINAL, symbols=["ill"]).verdicts
    assert known == alone
    starred = DATA.with_columns(pl.col("ill").replace("pox", "*"))
    assert audit_table(starred, SCHEMA, [requirement], symbols=["ill"]).verdicts[0].holds is None


def test_one_label_that_is_no_value_of_the_original_leaves_its_column_open() -> None:
    data = DATA.with_columns(pl.col("ill").replace("pox", "rare"))
    (verdict,) = audit_table(data, HIDDEN, OF_VALUES[:1], ORIGINAL, symbols=["ill"]).verdicts
    assert (verdict.holds, verdict.note) == (None, words.SYMBOLS)


def test_distances_to_the_whole_need_every_row() -> None:
    asked = [OF_VALUES[2]]
    (beside,) = audit_table(DATA, SCHEMA, asked, ORIGINAL).verdicts
    assert beside.holds is True
    for n_suppressed in (None, 1):
        (alone,) = audit_table(DATA, SCHEMA, asked, n_suppressed=n_suppressed).verdicts
        assert (alone.holds, alone.reached, alone.note) == (None, None, words.ALONE)
    (whole,) = audit_table(DATA, SCHEMA, asked, n_suppressed=0).verdicts
    assert whole.reached == audit_table(DATA, SCHEMA, asked, ORIGINAL[:6]).verdicts[0].reached
    ordered = [Requirement("t-closeness", {"t": 0.5, "distance": "hierarchical"})]
    (unknown,) = audit_table(DATA, SCHEMA, ordered, n_suppressed=0).verdicts
    assert (unknown.holds, unknown.note) == (None, words.UNORDERED)


def test_closeness_is_to_the_original_and_not_to_what_is_published() -> None:
    more = pl.concat([ORIGINAL, ORIGINAL.filter(pl.col("ill") == "flu")])
    asked = [Requirement("t-closeness", {"t": 0.5, "distance": "equal"})]
    near, far = (audit_table(DATA, SCHEMA, asked, o).verdicts[0].reached for o in (ORIGINAL, more))
    # Shares of flu, gout, pox in the class with gout: 2/3, 1/3, 0.
    assert near == pytest.approx(1 / 3 - 1 / 7)
    assert far == pytest.approx(1 / 3 - 1 / 12)


def test_values_that_the_original_lacks_are_a_problem_and_leave_the_rest_open() -> None:
    original = ORIGINAL.with_columns(pl.col("ill").replace("pox", "flu"))
    found = audit_table(DATA, SCHEMA, [K, *OF_VALUES], original)
    assert [v.holds for v in found.verdicts] == [True, None, None, None]
    (problem,) = found.problems
    assert "1 published row can be no row of the original" in problem.text
    assert "published row 6" in problem.text
    assert "pox" not in problem.text


def test_rows_are_not_named_where_any_of_several_may_be_at_fault() -> None:
    # Somebody made the first 'gout' a 'flu': there is now a flu too many, and no telling which.
    forged = DATA.with_columns(pl.Series("ill", ["flu", "flu", "flu", "flu", "flu", "pox"]))
    original = ORIGINAL[:-1]
    (problem,) = audit_table(forged, SCHEMA, [K], original).problems
    assert "than the original has: 1 too many." in problem.text
    assert "row 5" not in problem.text
    both = forged.with_columns(pl.Series("ill", ["flu", "flu", "flu", "flu", "flu", "new"]))
    named, counted = audit_table(both, SCHEMA, [K], original).problems
    assert "1 published row can be no row" in named.text
    assert "published row 6" in named.text
    assert "is not known" in counted.text


def test_more_rows_than_the_original_has_are_counted_where_nothing_is_unchanged() -> None:
    schema = Schema((SCHEMA.attributes[0],))
    (problem,) = audit_table(DATA.select("age"), schema, [K], ORIGINAL[:4]).problems
    assert "than the original has: 2 too many." in problem.text


def test_values_of_a_row_must_stand_together_in_the_original() -> None:
    schema = Schema((*SCHEMA.attributes, Attribute("visit", Role.INSENSITIVE)))
    data = pl.DataFrame({"age": ["*", "*"], "ill": ["a", "b"], "visit": ["1", "2"]})
    together = pl.DataFrame({"age": [1, 2], "ill": ["b", "a"], "visit": [2, 1]})
    apart = together.with_columns(pl.Series("visit", [1, 2]))
    assert audit_table(data, schema, [K], together).problems == ()
    assert len(audit_table(data, schema, [K], apart).problems) == 1


def test_a_missing_value_is_one_where_the_manifest_says_what_means_missing() -> None:
    data = DATA.with_columns(pl.col("ill").replace("pox", None))
    marks = Schema((SCHEMA.attributes[0], replace(SCHEMA.attributes[1], missing=("?",))))
    original = ORIGINAL.with_columns(pl.col("ill").replace("pox", "?"))
    found = audit_table(data, marks, OF_VALUES, original)
    assert found.problems == ()
    assert [v.holds for v in found.verdicts] == [True, True, True]
    for schema, other in ((marks, ORIGINAL), (SCHEMA, original)):
        emptied = audit_table(data, schema, OF_VALUES, other)
        assert "published row 6" in emptied.problems[0].text


@pytest.mark.parametrize(
    ("attribute", "distance", "told"),
    [
        (Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL), None, True),
        (Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL), "ordered", False),
        (Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL), "hierarchical", False),
        (Attribute("ill", Role.SENSITIVE, Kind.ORDINAL), None, False),
        (Attribute("ill", Role.SENSITIVE, Kind.ORDINAL), "equal", True),
        (
            Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL, hierarchy=HierarchySpec("tree")),
            None,
            False,
        ),
        (Attribute("ill", Role.SENSITIVE), "equal", False),
    ],
)
def test_closeness_is_open_where_the_plan_alone_knows_the_order(
    attribute: Attribute, distance: str | None, told: bool
) -> None:
    schema = Schema((SCHEMA.attributes[0], attribute))
    asked = [Requirement("t-closeness", {"t": 1.0, "distance": distance})]
    (verdict,) = audit_table(DATA, schema, asked, ORIGINAL).verdicts
    assert verdict.holds is (True if told else None)
    assert (verdict.note == words.UNORDERED) is not told


def test_numbers_match_however_they_are_written() -> None:
    schema = Schema((SCHEMA.attributes[0], Attribute("pay", Role.SENSITIVE, Kind.NUMERIC)))
    data = pl.DataFrame({"age": ["*", "*"], "pay": ["1.50", "2"]})
    original = pl.DataFrame({"age": [1, 2], "pay": [2.0, 1.5]})
    asked = [Requirement("k-e", {"k": 2, "e": 0.5})]
    found = audit_table(data, schema, asked, original)
    assert found.problems == ()
    assert found.verdicts[0].reached == {"k": 2, "e": 0.5}
    assert audit_table(data, schema, asked).verdicts == found.verdicts


def test_distances_between_numbers_need_to_know_that_they_are_numbers() -> None:
    schema = Schema((SCHEMA.attributes[0], Attribute("pay", Role.SENSITIVE)))
    data = pl.DataFrame({"age": ["*", "*"], "pay": ["1.50", "2"]})
    found = audit_table(data, schema, [Requirement("k-e", {"k": 2, "e": 0.5}), OF_VALUES[0]])
    assert [(v.holds, v.note) for v in found.verdicts] == [(None, words.ALONE), (True, "")]


@pytest.mark.parametrize(
    ("levels", "holds"),
    [
        ([[3, 1], [2, 2]], True),
        ([[4, 1], [2, 2]], None),
        ([[9, 4], [8, 5]], False),
        ([{"k": [3, 1], "l-diversity": {"l": 2}}, [2, 2]], None),
    ],
)
def test_personal_k_is_told_only_where_sizes_decide_it(levels: list[Any], holds: bool) -> None:
    asked = [Requirement("multi-level-k", {"thresholds": [[0.8, 0.2]] * 2, "levels": levels})]
    for original in (None, ORIGINAL):
        (verdict,) = audit_table(DATA, SCHEMA, asked, original).verdicts
        assert verdict.holds is holds
        assert verdict.attribute is None
        assert verdict.reached is None


def test_sizes_alone_can_speak_against_a_requirement_of_values() -> None:
    asked = [
        Requirement("alpha-k", {"alpha": 1.0, "k": 4}),
        Requirement("l-diversity", {"l": 4, "kind": "entropy"}),
        Requirement("k-e", {"k": 3, "e": 1}),
    ]
    found = audit_table(DATA, HIDDEN, asked, symbols=["ill"])
    assert [v.holds for v in found.verdicts] == [False, False, None]
    assert found.problems == ()
    # One class that is too small is enough, and it alone is named.
    for data, small in ((DATA[1:], 1), (DATA[:-1], 2)):
        verdict = audit_table(data, HIDDEN, asked, symbols=["ill"]).verdicts[2]
        assert (verdict.holds, verdict.offending) == (False, (small,))
        assert "rows" in verdict.note
        assert "people" not in verdict.note


@pytest.mark.parametrize("model", ["beta-likeness", "delta-disclosure"])
def test_what_is_compared_with_the_whole_table_needs_all_of_it(model: str) -> None:
    required = [Requirement(model, {"beta": 9.0, "delta": 9.0, "kind": "basic"})]
    assert audit_table(DATA, SCHEMA, required).verdicts[0].note == words.ALONE
    assert audit_table(DATA, SCHEMA, required, n_suppressed=1).verdicts[0].note == words.ALONE
    assert audit_table(DATA, SCHEMA, required, n_suppressed=0).verdicts[0].holds is True
    assert audit_table(DATA, SCHEMA, required, ORIGINAL).verdicts[0].holds is True


def test_the_people_of_the_data_are_people_of_the_population() -> None:
    asked = [Requirement("k-map", {"k": k}) for k in (3, 4)]
    for original in (None, ORIGINAL):
        found = audit_table(DATA, SCHEMA, asked, original).verdicts
        assert [v.holds for v in found] == [True, None]


def test_combinations_are_recounted_from_the_release() -> None:
    required = [Requirement("km", {"k": 2, "m": 1}), Requirement("lkc", {"l": 1, "k": 2, "c": 1.0})]
    found = audit_table(DATA, SCHEMA, required).verdicts
    assert all(v.holds is True and v.reached["k"] >= 2 for v in found)
    # Four classes of two rows, but four rows with each value.
    both = Schema(tuple(Attribute(name, Role.QUASI, Kind.CATEGORICAL) for name in ("sex", "ward")))
    crossed = pl.DataFrame({"sex": list("ffffmmmm"), "ward": list("aabbaabb")})
    asked = [Requirement("km", {"k": 4, "m": m}) for m in (1, 2)]
    found = audit_table(crossed, both, asked).verdicts
    assert [(v.holds, v.reached) for v in found] == [(True, {"k": 4}), (False, {"k": 2})]


def test_what_has_no_check_is_open_and_the_rest_is_judged() -> None:
    asked = [
        Requirement("p-sensitivity", {"p": 2}),
        Requirement("l-diversity", {"l": 2, "attribute": "gone"}),
        Requirement("k-anonymity", {"k": "many"}),
        Requirement("multi-level-k", {"levels": "x"}),
        K,
    ]
    found = audit_table(DATA, SCHEMA, asked, ORIGINAL)
    assert [v.holds for v in found.verdicts] == [None, None, None, None, True]
    assert [v.requirement for v in found.verdicts] == [str(r) for r in asked]
    assert len(found.problems) == 2


def test_no_rows_prove_nothing() -> None:
    levels = Requirement("multi-level-k", {"thresholds": [[0.8, 0.2]], "levels": [[3, 1]]})
    found = audit_table(DATA.clear(), SCHEMA, [K, *OF_VALUES, levels])
    assert [v.holds for v in found.verdicts] == [False] * 5


def test_people_are_counted_and_kept_together() -> None:
    schema = Schema((Attribute("Id_num", Role.IDENTIFIER), *SCHEMA.attributes),
                    Individual("Id_num"))  # fmt: skip
    data = DATA.with_columns(pl.Series("Id_num", ["1", "1", "2", "3", "4", "5"]))
    found = audit_table(data, schema, [K])
    assert (found.verdicts[0].holds, found.verdicts[0].reached) == (False, 2)
    assert found.problems == ()
    torn = data.with_columns(pl.Series("Id_num", ["1", "2", "3", "1", "4", None]))
    texts = [problem.text for problem in audit_table(torn, schema, [K]).problems]
    assert texts[0] == "1 row has no Id_num (published row 6)."
    assert texts[1] == "1 person has rows with the same Id_num in several classes."
    many = data.with_columns(pl.Series("Id_num", ["1", "2", None, "1", "2", None]))
    texts = [problem.text for problem in audit_table(many, schema, [K]).problems]
    assert texts[1] == "2 people have rows with the same Id_num in several classes."


def test_ranges_in_two_columns_are_one_description() -> None:
    data = pl.DataFrame(
        {"age_low": [30] * 4, "age_high": [39, 39, 39, 38], "ill": ["a", "b", "c", "d"]}
    )
    (verdict,) = audit_table(data, SCHEMA, [K], ranges="columns").verdicts
    assert (verdict.holds, verdict.reached) == (False, 1)
    assert audit_table(data, SCHEMA, [K], ranges="tight").verdicts[0].holds is None


@pytest.mark.parametrize(
    "change", [{"hierarchy": HierarchySpec("interval")}, {"kind": Kind.CATEGORICAL}]
)
def test_only_numbers_without_a_hierarchy_have_two_columns(change: dict[str, Any]) -> None:
    schema = Schema((replace(SCHEMA.attributes[0], **change), SCHEMA.attributes[1]))
    found = audit_table(DATA, schema, [K], ranges="columns")
    assert (found.problems, found.verdicts[0].reached) == ((), 3)


def test_other_columns_than_listed_are_problems_and_nothing_is_judged() -> None:
    found = audit_table(DATA.rename({"ill": "name"}), SCHEMA, [K, *OF_VALUES])
    assert [v.holds for v in found.verdicts] == [None] * 4
    assert len(found.problems) == 2


@pytest.mark.parametrize("shown", [{"zip", "zip_BID"}, {"zip_BID"}, {"zip"}], ids=sorted)
@pytest.mark.parametrize("role", [Role.SEMI_SENSITIVE, Role.SENSITIVE])
def test_buckets_are_not_followed(role: Role, shown: set[str]) -> None:
    schema = Schema((*SCHEMA.attributes, Attribute("zip", role, Kind.CATEGORICAL)))
    data = DATA.with_columns(pl.lit("1").alias(name) for name in sorted(shown))
    found = audit_table(data, schema, [K])
    assert found.problems == ()
    if role is Role.SENSITIVE and shown == {"zip"}:
        assert found.verdicts[0].holds is True
    else:
        assert (found.verdicts[0].holds, found.verdicts[0].note) == (None, words.BUCKETS)


def test_the_files_decide_whether_buckets_are_followed() -> None:
    """A table of buckets that nothing points to, and a column that could point to some."""
    listed = {"buckets-ill": pl.DataFrame({"BID": ["1"], "value": ["flu"]})}
    assert audit_table(DATA, SCHEMA, [K], buckets=listed).problems != ()
    assert audit_table(DATA, SCHEMA, [K], buckets={}).problems == ()
    schema = Schema((SCHEMA.attributes[0], replace(SCHEMA.attributes[1], role=Role.SEMI_SENSITIVE)))
    found = audit_table(DATA, schema, [K], buckets={})
    assert "Column 'record' is in the manifest" in str(found.problems[0])


def test_an_original_without_the_columns_is_wrong_input() -> None:
    for schema in (SCHEMA, HIDDEN):
        with pytest.raises(DataError, match="'ill'"):
            audit_table(DATA, schema, [K], ORIGINAL.drop("ill"), symbols=["ill"])


@given(
    ages=st.lists(st.integers(0, 3), min_size=1, max_size=30),
    k=st.integers(1, 6),
    least=st.integers(1, 4),
    draw=st.integers(0, 2**32 - 1),
)
def test_verdicts_are_what_counting_gives(ages: list[int], k: int, least: int, draw: int) -> None:
    ills = np.random.default_rng(draw).choice(["a", "b", "c"], len(ages)).tolist()
    data = pl.DataFrame({"age": [str(age) for age in ages], "ill": ills})
    asked = [
        Requirement("k-anonymity", {"k": k}),
        Requirement("l-diversity", {"l": least, "kind": "distinct"}),
    ]
    original = data.sample(fraction=1.0, shuffle=True, seed=draw)
    size, kinds = audit_table(data, SCHEMA, asked, original).verdicts
    groups = [[i for a, i in zip(ages, ills, strict=True) if a == age] for age in set(ages)]
    assert (size.reached, size.holds) == (min(map(len, groups)), min(map(len, groups)) >= k)
    assert kinds.reached == min(len(set(group)) for group in groups)
    assert kinds.holds is (kinds.reached >= least)
