"""QI-MHSA through `shoal.run`: the paper's tables, both layouts, leaks, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import (
    ATTRIBUTES,
    DISEASE_FLAGS,
    PATIENTS,
    patients_plan,
    random_flagged,
    twin_table,
)

PAPER: dict[str, Any] = {"division": "k-division", "numeric": "one-sided"}


def _by_row(release: shoal.Release, name: str) -> list[str | None]:
    cells = dict(zip(release.origin.tolist(), release.frame[name].to_list(), strict=True))
    return [cells[row] for row in sorted(cells)]


def test_table_5_of_the_paper() -> None:
    release = shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input"), PATIENTS)
    assert _by_row(release, "disease") == [
        "Flu", "comorbities", "*", "Pneumonia", "*", "comorbities", "*", "Bronchitis", "Flu",
        "comorbities",
    ]  # fmt: skip
    pairs = [">=30000", "<30000", ">=40000", "<40000", ">=50000"]
    assert _by_row(release, "income") == [text for text in pairs for _ in range(2)]
    assert sorted(map(sorted, _classes(release))) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert release.measures["privacy-loss"] == 0.5
    assert release.measures["infoloss-quasi"] == pytest.approx(5 / 12)
    assert release.measures["infoloss-sensitive"] == pytest.approx(0.78)
    before, after = release.leaks
    assert before["disease"].cell_worst == pytest.approx(2 / 3)
    assert before == after
    assert "flag" not in "".join(release.frame.columns)


def _classes(release: shoal.Release) -> list[list[int]]:
    groups = release.rows.drop_nulls("class").group_by("class").agg("row")
    return list(groups["row"].to_list())


def test_concealing_lifts_what_gives_a_value_away() -> None:
    plan = patients_plan({"qi-mhsa": {**PAPER, "conceal": True}})
    release = shoal.run(plan, PATIENTS)
    before, after = release.leaks
    assert before["disease"].cell_worst > 1 / 2
    assert max(after["disease"].cell_worst, after["disease"].person_worst) <= 1 / 2
    assert release.concealed == {"income": 2, "disease": 2}
    assert _by_row(release, "disease").count("comorbities") == 0


def _run_or_refuse(plan: dict[str, Any], frame: pl.DataFrame) -> shoal.Release | None:
    try:
        return shoal.run(plan, frame)
    except shoal.InfeasibleError:
        return None


@pytest.mark.parametrize("numeric", ["interval", "one-sided", "by-flag"])
@pytest.mark.parametrize("conceal", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_every_random_release_holds_or_is_refused(seed: int, conceal: bool, numeric: str) -> None:
    """The verifier, which knows the definitions by itself, agrees with every published cell."""
    case = random_flagged(seed, n_rows=24)
    division = ("mondrian", "k-division")[seed % 2]
    options = {"numeric": numeric, "conceal": conceal, "division": division}
    release = _run_or_refuse(case.plan({"qi-mhsa": options}), case.frame)
    if release is None:
        return
    assert release.holds
    table = twin_table(case.coded(), numeric, "shown" if conceal else "class")
    if not conceal:
        expected = twin.publish(table, sorted(map(sorted, _classes(release))))
        assert _by_row(release, "pay") == expected.texts(0)
        assert _by_row(release, "ill") == expected.texts(1)
        lost = twin.infoloss(expected)
        for name, part in (("", "all"), ("-quasi", "quasi"), ("-sensitive", "sensitive")):
            assert release.measures[f"infoloss{name}"] == pytest.approx(float(lost[part]))
        loss = twin.privacy_loss(table, expected.classes)
        assert release.measures["privacy-loss"] == pytest.approx(float(loss))


def test_two_linked_tables_say_what_the_joined_one_says(tmp_path: Path) -> None:
    joined = shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input"), PATIENTS)
    plan = patients_plan({"qi-mhsa": {**PAPER, "tables": "split"}}, order="input")
    split = shoal.run(plan, PATIENTS)
    data, sensitive = split.tables["data"], split.tables["sensitive"]
    assert data.columns == ["GID", "gender", "age", "zip"]
    assert sensitive.columns == ["GID", "income", "disease"]
    # Classes are numbered as they appear, and rows stand in another order where tables are linked.
    of_class = dict(zip(split.rows["row"], split.rows["class"], strict=True))
    whole = joined.frame.with_columns(
        pl.Series("GID", [str(of_class[row]) for row in joined.origin.tolist()])
    )
    for name, part in (("data", data), ("sensitive", sensitive)):
        wanted = whole.select(part.columns)
        assert sorted(part.rows(), key=repr) == sorted(wanted.rows(), key=repr), name
    split.save(tmp_path / "release")
    assert (tmp_path / "release" / "sensitive.csv").is_file()
    assert shoal.audit(tmp_path / "release").holds


def test_flags_of_a_column_and_of_rules_are_the_same() -> None:
    words = {"low": "0", "middle": "1", "high": "2"}
    level = {v: k for k in ("high", "middle") for v in DISEASE_FLAGS[k]}
    column = [words[level.get(d, "low")] for d in PATIENTS["disease"]]
    frame = PATIENTS.with_columns(pl.Series("care", column))
    disease = {k: v for k, v in ATTRIBUTES["disease"].items() if k != "flags"}
    attributes = {**ATTRIBUTES, "disease": {**disease, "flag": "care"}, "care": "flag"}
    one = shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input"), PATIENTS)
    two = shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input", attributes=attributes), frame)
    assert _by_row(one, "disease") == _by_row(two, "disease")


def test_no_kind_aims_at_frequency_and_distinct_does_not() -> None:
    values = ["a"] * 6 + ["b", "c", "d", "e", "f", "g"]
    frame = pl.DataFrame({"q": [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "s": values})
    plan: dict[str, Any] = {"attributes": {"q": "quasi", "s": "sensitive"}, "seed": 1}
    asked: dict[str, Any] = {"l": 2}
    method = {"qi-mhsa": {"division": "k-division"}}
    found = []
    for kind in ({}, {"kind": "distinct"}):
        privacy = [{"k-anonymity": {"k": 4}}, {"l-diversity": {**asked, **kind}}]
        found.append(shoal.run({**plan, "privacy": privacy, "method": method}, frame))
    assert found[0].measures["privacy-loss"] <= 1 / 2
    assert found[0].counts.classes < found[1].counts.classes


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"income": {"flags": {"low": "x < 50000", "high": "x > 60000"}}}, "no rule"),
        ({"income": {"flags": {"low": "x < 50000", "high": "x > 40000"}}}, "more than one rule"),
        ({"disease": {"hierarchy": {"tree": {"*": ["Flu", "HIV"]}}}}, "disease"),
        ({"disease": {"flags": {"high": ["HIV"]}}}, "no rule"),
    ],
)
def test_rules_that_do_not_fit_are_told_with_the_attribute(
    changes: dict[str, Any], told: str
) -> None:
    attributes = {**ATTRIBUTES}
    for name, more in changes.items():
        attributes[name] = {**attributes[name], **more}
    with pytest.raises(shoal.DataError, match=told) as caught:
        shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input", attributes=attributes), PATIENTS)
    text = str(caught.value)
    assert next(iter(changes)) in text
    assert not any(value in text for value in PATIENTS["disease"])


def test_an_l_above_the_distinct_values_names_the_attribute_and_the_largest() -> None:
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 9, "attribute": "disease"}}]
    with pytest.raises(shoal.InfeasibleError, match="'disease'") as caught:
        shoal.run(patients_plan({"qi-mhsa": PAPER}, order="input", privacy=privacy), PATIENTS)
    assert "largest possible l is 8" in caught.value.problems[0].hint


def test_what_cannot_be_concealed_names_the_largest_l() -> None:
    frame = pl.DataFrame({"q": list(range(12)), "s": ["a"] * 8 + ["b", "c", "d", "e"]})
    plan = {
        "attributes": {"q": "quasi", "s": {"role": "sensitive", "flags": {"default": "high"}}},
        "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2, "kind": "distinct"}}],
        "method": {"qi-mhsa": {"conceal": True}},
    }
    with pytest.raises(shoal.InfeasibleError, match="cannot be concealed") as caught:
        shoal.run(plan, frame)
    assert "largest l for which they can is 1" in caught.value.problems[0].hint


def test_lgb_refuses_flags_on_what_it_keeps_in_buckets() -> None:
    with pytest.raises(shoal.PlanError, match="does not support flags"):
        shoal.run(patients_plan("lgb-mdp"), PATIENTS)


def test_concealing_needs_an_l() -> None:
    plan = patients_plan({"qi-mhsa": {"conceal": True}}, privacy=[{"k-anonymity": {"k": 2}}])
    with pytest.raises(shoal.PlanError, match="needs an l-diversity requirement"):
        shoal.run(plan, PATIENTS)


def test_of_equal_rows_of_a_person_the_highest_flag_counts() -> None:
    frame = pl.DataFrame(
        {
            "name": ["a", "a", "b", "b", "c", "d"],
            "age": [30, 30, 31, 31, 40, 41],
            "ill": ["x", "x", "y", "z", "x", "y"],
            "care": ["0", "2", "0", "0", "0", "0"],
        }
    )
    plan = {
        "individual": "name",
        "attributes": {
            "name": "identifier",
            "age": "quasi",
            "ill": {"role": "sensitive", "flag": "care"},
            "care": "flag",
        },
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    shown = shoal.run(plan, frame).frame["ill"].to_list()
    assert sorted(shown) == ["*", "x", "y", "y", "z"]


def test_concealing_one_attribute_leaves_the_other_as_its_definition_says() -> None:
    for seed in range(12):
        case = random_flagged(seed, n_rows=30)
        privacy = [
            {"k-anonymity": {"k": 3}},
            {"l-diversity": {"l": 2, "attribute": "ill", "kind": "frequency"}},
        ]
        plan = {**case.plan({"qi-mhsa": {"conceal": True}}), "privacy": privacy}
        release = _run_or_refuse(plan, case.frame)
        assert release is None or release.concealed == {"ill": 2}


@pytest.mark.parametrize("low", ["20-29", "<=29", "<30 years", "twenties", "1.2.3"])
def test_labels_of_a_file_count_by_the_values_under_them(low: str, tmp_path: Path) -> None:
    ages = [20, 25, 29, 30, 34, 40]
    lines = [f"{a};{low if a < 30 else '30-40'};*" for a in ages]
    (tmp_path / "age.csv").write_text("\n".join(lines))
    frame = pl.DataFrame({"age": ages, "ill": list("abcabc")})
    plan = {
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric", "hierarchy": str(tmp_path / "age.csv")},
            "ill": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 3}}],
        "method": "top-down",
        "seed": 1,
    }
    release = shoal.run(plan, frame)
    assert set(release.frame["age"]) == {low, "30-40"}
    assert release.measures["infoloss"] == pytest.approx((9 / 20 + 10 / 20) / 2)
