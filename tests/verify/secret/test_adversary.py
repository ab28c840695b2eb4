"""What an adversary gains, against the twin's numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.encoding import Coded, encode_text
from shoal.schema import Attribute, HierarchySpec, Kind, Layout, Requirement, Role, Schema
from shoal.verify import Published, matching_rows
from shoal.verify.secret import adversary
from shoal.verify.text.named import accept_named, cover_named
from tests.papers.lgb import twin as twin
from tests.verify.secret.test_appearance import TOWNS_AND_AGES
from tests.verify.secret.test_match import search_of
from tests.verify.secret_cases import NAMES, SCHEMA, Case, asked, publish, random_case, random_table
from tests.verify.small import release_of


def unmapped(case: Case) -> Published:
    nobody = np.zeros(0, dtype=np.int64)
    return replace(case.published, origin=nobody, classes=nobody)


def expected(table: twin.Table, release: twin.Release) -> tuple[float, dict[str, float]]:
    identity = max(twin.identity_risk(table, release, p) for p in release.cells)
    posteriors = {}
    for a, name in enumerate(NAMES):
        own = [
            twin.posterior_bound(table, release, p, a) for p in release.cells if table.flags[p][a]
        ]
        if own:
            posteriors[name] = float(max(own))
    return float(identity), posteriors


@pytest.mark.parametrize("ranges", ["tight", "columns"])
@pytest.mark.parametrize("form", ["split", "joined"])
@pytest.mark.parametrize("seed", range(20, 30))
def test_risks_are_those_of_the_twin(seed: int, form: str, ranges: str) -> None:
    table, release, case = random_case(seed, form, ranges)
    risks = case.risks()
    identity, posteriors = expected(table, release)
    assert risks.identity == pytest.approx(identity)
    assert risks.posteriors == pytest.approx(posteriors)
    assert risks.identity_exact
    assert all(risks.posteriors_exact.values())
    assert risks.identity_limit == 1 / case.requirements[0].parameters["k"]


def wide(seed: int) -> tuple[twin.Table, twin.Release, Case]:
    """Classes of any rows, whose labels overlap: nobody is alone in the own class."""
    table = random_table(seed, 400, 0.2)
    rules: dict[int, twin.Rule] = dict.fromkeys((0, 2, 3, 4), ("distinct", 2))

    def cut(_: twin.Table, part: twin.Part, k: int) -> list[twin.Part]:
        n_classes = len(part.rows) // k
        return [twin.Part(part.rows[i::n_classes], part.pattern) for i in range(n_classes)]

    release = twin.lgb(table, 3, rules, classes=cut)
    return table, release, publish(table, release, asked(3, rules), seed=seed)


def test_overlapping_classes() -> None:
    table, release, case = wide(1)
    identity, posteriors = expected(table, release)
    risks = case.risks()
    assert risks.identity == pytest.approx(identity)
    assert risks.posteriors == pytest.approx(posteriors)
    assert risks.identity_exact
    assert risks.examined > 64


def test_what_is_not_looked_at_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    table, release, case = wide(2)
    identity, posteriors = expected(table, release)
    exact = case.risks()
    assert exact.identity_exact
    assert exact.identity == pytest.approx(identity)
    monkeypatch.setattr(adversary, "_WORK", 0)
    monkeypatch.setattr(adversary, "_FIRST", 1)
    risks = case.risks()
    assert risks.examined < exact.examined
    assert not risks.identity_exact
    assert risks.identity >= identity
    for name, found in posteriors.items():
        assert risks.posteriors[name] >= found - 1e-12
        if risks.posteriors_exact[name]:
            assert risks.posteriors[name] == pytest.approx(found)
    assert not all(risks.posteriors_exact.values())
    # Nobody is in a class smaller than the smallest, nor does a class give all of a value away.
    assert risks.identity <= 1 / min(Counter(case.published.classes.tolist()).values())
    assert all(risks.posteriors[name] < 1 for name in posteriors)


@pytest.mark.parametrize("seed", range(4))
def test_people_are_examined_until_nobody_who_is_left_matters(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, release, case = wide(seed)
    identity, posteriors = expected(table, release)
    monkeypatch.setattr(adversary, "_FIRST", 1)
    monkeypatch.setattr(adversary, "_STAGE", 1)
    risks = case.risks()
    assert (risks.identity_exact, all(risks.posteriors_exact.values())) == (True, True)
    assert risks.identity == pytest.approx(identity)
    assert risks.posteriors == pytest.approx(posteriors)


def test_people_are_examined_until_more_work_is_done_than_the_budget_allows() -> None:
    def never(row: int) -> bool:
        return False

    hunt = adversary._Hunt(search_of(random_case(20)[2]))
    hunt._look(np.array([0]))
    assert hunt._walk(np.array([1]), never, hunt.search.work - 1) == 1
    assert not hunt.seen[1]
    assert hunt._walk(np.array([1]), never, hunt.search.work) is None
    assert hunt.seen[1]


def test_people_whose_class_gives_most_away_are_examined_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adversary, "_FIRST", 1)
    monkeypatch.setattr(adversary, "_STAGE", 1)
    hunt = adversary._Hunt(search_of(wide(2)[2]))
    age = SCHEMA["age"]
    means = (hunt.shown.given_away["age"] / hunt.shown.sizes)[hunt.shown.of_row]
    assert hunt.posterior(age) == (means.max(), True)
    assert np.count_nonzero(hunt.seen) > 2
    assert (means[hunt.seen] == means.max()).all()
    holders = hunt.search.holds(age, hunt.shown.published.origin)
    assert means[holders].min() < means.max()


def test_only_people_who_hold_an_attribute_secret_are_examined_for_it() -> None:
    """The first two can be in four rows each, so that nobody learns as much as their class has."""
    towns = ["{Bonn, Ulm}", "{Bonn, Ulm}", "Bonn", "Bonn", "Ulm", "Ulm", "Rom", "Rom"]
    ages = ["5", "5", "6", "7", "6", "7", "1", "2"]
    gids, bids = [1, 1, 2, 2, 3, 3, 4, 4], [1, 1, 2, 2, 3, 3, None, None]
    release = release_of(
        {
            "record": range(1, 9),
            "GID": gids,
            "town": towns,
            "age": [None] * 6 + ["[1, 2]"] * 2,
            "age_BID": bids,
        },
        {"town": ["Bonn", "Ulm", *towns[2:]], "age": ages, "hidden": ["yes"] * 6 + ["no"] * 2},
        TOWNS_AND_AGES,
        classes=gids,
    )
    listing = pl.DataFrame({"BID": [str(bid) for bid in bids[:6]], "value": ages[:6]})
    tables = {**release.tables, "buckets-age": listing}
    published = replace(release, tables=tables, layout=Layout.SPLIT)
    hunt = adversary._Hunt(search_of(published))
    assert hunt.posterior(TOWNS_AND_AGES["age"]) == (0.75, True)
    assert hunt.seen[:6].any()
    assert not hunt.seen[6:].any()


def test_people_are_different_where_anything_else_is_known_of_them() -> None:
    """Two towns, each with two ages and somebody whose age is secret, and one person twice."""
    towns, ages = ["Bonn", "Ulm"] * 3, ["1", "1", "2", "2", "1", "2"]
    hidden = ["no"] * 4 + ["yes"] * 2
    original = {"town": [*towns, "Ulm"], "age": [*ages, "2"], "hidden": [*hidden, "no"]}
    shown = {"record": range(1, 8), "GID": [1] * 7, "town": ["*"] * 7, "age": [None] * 7}
    published = replace(release_of(shown, original, TOWNS_AND_AGES), layout=Layout.SPLIT)
    different = adversary._Hunt(search_of(published)).different
    assert [row if row != 6 else 3 for row in sorted(different)] == [0, 1, 2, 4, 5, 3]


def test_a_share_is_one_over_a_whole_number_within_rounding_only() -> None:
    third = 1 / 3
    assert adversary._tidy(third + 5e-13) == third
    assert adversary._tidy(third - 5e-13) == third
    assert adversary._tidy(third + 2e-12) == third + 2e-12
    assert adversary._tidy(third - 2e-12) == third - 2e-12
    assert [adversary._tidy(share) for share in (0.0, 0.4, 0.75, 1.0)] == [0.0, 0.4, 0.75, 1.0]


def test_the_strictest_requirement_sets_the_limit() -> None:
    def diverse(least: float, kind: str, **more: str) -> Requirement:
        return Requirement("l-diversity", {"l": least, "kind": kind, **more})

    schema = Schema(tuple(Attribute(name, Role.SENSITIVE, Kind.CATEGORICAL) for name in "xy"))
    requirements = [
        *(Requirement("k-anonymity", {"k": k}) for k in (3, 8, 5)),
        *(diverse(least, "distinct") for least in (2, 4, 3)),
        diverse(6, "frequency", attribute="y"),
        diverse(9, "entropy", attribute="x"),
    ]
    assert adversary._limits(schema, requirements) == (1 / 8, {"x": 1 / 4, "y": 1 / 6})
    assert adversary._limits(schema, []) == (None, {})


@pytest.mark.parametrize("form", ["split", "joined"])
@pytest.mark.parametrize("seed", range(3))
def test_the_rows_that_can_be_a_person(seed: int, form: str) -> None:
    table, release, case = random_case(seed, form)
    for person in range(0, len(table.rows), 3):
        found = matching_rows(case.published, person)
        rows = twin.matches(table, release, person)
        assert [case.origin[i] for i in found.rows] == [r for r in case.origin if r in rows]
        assert found.identity == (pytest.approx(1 / len(rows)) if rows else 0.0)
        if rows:
            secrets = {
                name: float(twin.posterior_bound(table, release, person, a))
                for a, name in enumerate(NAMES)
                if table.flags[person][a]
            }
            assert found.posteriors == pytest.approx(secrets)
        alone = matching_rows(unmapped(case), person, mapped=False)
        assert set(found.rows) == set(alone.rows)


SMALL = Schema(
    (
        Attribute("age", Role.SEMI_SENSITIVE, Kind.NUMERIC, flag="hidden", missing=("?",)),
        Attribute("hidden", Role.FLAG),
        Attribute("town", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("flat")),
    )
)


def small(ages: list[Any], hidden: list[str], published: dict[str, Any]) -> Case:
    n_rows = len(ages)
    original = pl.DataFrame({"age": ages, "hidden": hidden, "town": ["Ulm"] * n_rows})
    data = pl.DataFrame(
        {"record": [str(i + 1) for i in range(n_rows)], **published, "town": ["Ulm"] * n_rows}
    )
    text = [c for c in data.columns if not c.startswith("age_")]
    data = data.with_columns(pl.col(text).cast(pl.String))
    classes = tuple(int(g) for g in published["GID"])
    ranges = "columns" if "age_low" in published else "tight"
    asks = (Requirement("k-anonymity", {"k": 2}),)
    return Case(
        {"data": data}, original, tuple(range(n_rows)), classes, asks, ranges=ranges, schema=SMALL
    )


def test_missing_is_not_withheld() -> None:
    """Nothing at all stands for a missing value where all have none, else for any value."""
    gids = ["1", "1", "2", "2"]
    shown = {"GID": gids, "age": [None, None, "[1, 2]", "[1, 2]"]}
    missing = small(["?", None, "1", "2"], ["no"] * 4, shown)
    assert missing.verify()[0].holds
    assert missing.risks().identity == 1 / 2
    withheld = small(["?", "3", "1", "2"], ["no"] * 4, shown)
    assert withheld.verify()[0].holds
    # Who has 1 or 2 can be in either class, the others only in the first.
    assert withheld.risks().identity == 1 / 2
    second = matching_rows(withheld.published, 2)
    assert second.rows.tolist() == [0, 1, 2, 3]
    assert matching_rows(missing.published, 2).rows.tolist() == [2, 3]
    alone = matching_rows(unmapped(missing), 2, mapped=False)
    assert alone.rows.tolist() == [0, 1, 2, 3]


def test_a_secret_that_is_withheld_from_all_is_not_learned() -> None:
    shown = {"GID": ["1", "1"], "age": [None, None]}
    case = small(["1", "2"], ["yes", "no"], shown)
    assert case.verify()[0].holds
    assert case.risks().posteriors == {"age": 0.0}


def test_empty_bounds_are_a_star_among_people_who_hide_nothing() -> None:
    shown = {
        "GID": ["1", "1", "2", "2"],
        "age_low": [None, None, 1, 1],
        "age_high": [None, None, 2, 2],
    }
    case = small([None, "9", "1", "2"], ["no"] * 4, shown)
    assert case.verify()[0].holds
    rows = [matching_rows(case.published, person).rows for person in range(4)]
    assert [r.tolist() for r in rows] == [[0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3]]
    hiding = replace(
        case, original=case.original.with_columns(hidden=pl.Series(["no", "no", "yes", "no"]))
    )
    # A star is a label: it is nobody's who hides the value.
    found = matching_rows(hiding.published, 2)
    assert found.rows.tolist() == []
    assert found.identity == 0.0


def test_nobody() -> None:
    case = small([], [], {"GID": [], "age": []})
    original = case.original.with_columns(pl.all().cast(pl.String))
    risks = replace(case, original=original).risks()
    assert (risks.identity, risks.identity_exact, risks.posteriors) == (0.0, True, {})
    assert np.isclose(risks.examined, 0)


ILL = Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL)


def in_buckets(towns: list[str], ills: list[str], bids: list[int]) -> Published:
    """Everybody in the class of their town."""
    gids = [sorted(set(towns)).index(town) + 1 for town in towns]
    release = release_of(
        {"record": range(1, len(towns) + 1), "GID": gids, "town": towns, "ill_BID": bids},
        {"town": towns, "ill": ills},
        Schema((Attribute("town", Role.QUASI, Kind.CATEGORICAL), ILL)),
        classes=gids,
    )
    listed = {"BID": [str(bid) for bid in bids], "value": ills}
    listing = pl.DataFrame(listed, schema=dict.fromkeys(listed, pl.String))
    return replace(release, tables={**release.tables, "buckets-ill": listing}, layout=Layout.SPLIT)


def test_who_is_alone_is_found_for_certain() -> None:
    published = in_buckets(["Bonn", "Ulm", "Ulm"], ["flu", "cold", "flu"], [1, 1, 1])
    risks = adversary.adversary_risks(published)
    assert risks.identity == 1.0
    assert risks.posteriors["ill"] == pytest.approx(2 / 3)
    alone = matching_rows(published, 0)
    assert (alone.rows.tolist(), alone.identity) == ([0], 1.0)
    assert alone.posteriors["ill"] == pytest.approx(2 / 3)


def test_nobody_is_found_with_more_than_certainty() -> None:
    """The age of the second is secret, but shown: no row can be that person."""
    shown = {"GID": ["1", "1"], "age": ["[1, 2]", "[1, 2]"]}
    risks = small(["1", "2"], ["no", "yes"], shown).risks()
    assert (risks.identity, risks.posteriors) == (1.0, {"age": 0.0})


def test_buckets_without_rows_give_nothing_away() -> None:
    risks = adversary.adversary_risks(in_buckets([], [], []))
    assert (risks.identity, risks.posteriors) == (0.0, {})


def test_everybody_looks_alike_where_there_is_nothing_to_tell_them_apart_by() -> None:
    ills, bids = ["flu", "cold", "flu", "gout"], [1, 1, 2, 2]
    both = in_buckets(["Ulm"] * 4, ills, bids)
    data = both.data.drop("town")
    published = replace(both, tables={**both.tables, "data": data}, schema=Schema((ILL,)))
    risks = adversary.adversary_risks(published)
    assert (risks.identity, risks.posteriors) == (1 / 4, {"ill": 1 / 2})
    assert matching_rows(published, 3).rows.tolist() == [0, 1, 2, 3]


TREE = (("Bonn", "West", "*"), ("Rom", "South", "*"), ("Ulm", "South", "*"))
NAMED: dict[str, tuple[Attribute, list[str | None], list[str | None]]] = {
    "set": (
        Attribute("x", Role.QUASI, Kind.CATEGORICAL, missing=("?",)),
        ["*", "Ulm", "{Rom, Ulm}", '{"", Bonn}', "{Ulm, Rom}", "{", None, "?"],
        ["Ulm", "Rom", "Bonn", "?", "", None, "{"],
    ),
    "flat": (
        Attribute("x", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("flat")),
        ["*", "Ulm", "{Rom, Ulm}", None],
        ["Ulm", "Rom", None],
    ),
    "file": (
        Attribute("x", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("file", TREE)),
        ["*", "West", "South", "Ulm", "North", None],
        ["Ulm", "Rom", "Bonn", "Kiel", None],
    ),
    "numeric file": (
        Attribute(
            "x",
            Role.QUASI,
            Kind.NUMERIC,
            hierarchy=HierarchySpec("file", (("1", "low"), ("2.0", "low"), ("3", "high"))),
        ),
        ["low", "high", "1.0", "2", "3"],
        ["1", "1.0", "2", "3", "4", None],
    ),
    "mask": (
        Attribute("x", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("mask", mask=3)),
        ["123", "12*", "1**", "***", "1*", "*", "9**", None],
        ["123", "124", "199", "12", "1", "9*9", None],
    ),
}


@pytest.mark.parametrize("form", NAMED)
def test_all_pairs_are_those_that_are_covered(form: str) -> None:
    attribute, shown, cells = NAMED[form]
    labels, original = (encode_text(pl.Series(x, dtype=pl.String)) for x in (shown, cells))
    pairs, star = accept_named(labels, original, attribute)
    listed = set(pairs.tolist())
    for label, value in product(range(len(shown)), range(len(cells))):
        one = Coded(labels.codes[[label]], labels.texts)
        column = pl.Series(cells, dtype=pl.String)
        covered = cover_named(one, column, np.array([value]), attribute).covered[0]
        code = int(labels.codes[label])
        key = code * original.n_codes + int(original.codes[value])
        assert (star[code] or key in listed) == covered, (shown[label], cells[value])
