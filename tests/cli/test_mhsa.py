"""Several sensitive columns and flags on the command line: the paper's patients, and bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.place import Outcome, Place
from tests.papers.mhsa.cases import ATTRIBUTES, DISEASES, PATIENTS

PAPER: dict[str, Any] = {"division": "k-division", "numeric": "one-sided"}
TABLE_5 = sorted(
    [
        (">=30000", "Flu"),
        (">=30000", "comorbities"),
        ("<30000", "*"),
        ("<30000", "Pneumonia"),
        (">=40000", "*"),
        (">=40000", "comorbities"),
        ("<40000", "*"),
        ("<40000", "Bronchitis"),
        (">=50000", "Flu"),
        (">=50000", "comorbities"),
    ]
)
# Values that only the original has; the hidden ones of disease and all incomes among them.
ORIGINALS = (
    *map(str, PATIENTS["income"]),
    *("Diabetes", "Hypertension", "HIV", "Ebola", "Covid19"),
    *PATIENTS["name"],
)


@pytest.fixture
def patients(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("COLUMNS", "100")
    place.write("patients.csv", PATIENTS.write_csv())
    plan(place)
    return place


def plan(place: Place, method: Any = None, **changes: Any) -> None:
    words = {
        "source": "patients.csv",
        "attributes": ATTRIBUTES,
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "method": {"qi-mhsa": PAPER} if method is None else method,
        "order": "input",
    }
    place.plan(**{**words, **changes})


def attributes_with(**changes: Mapping[str, Any]) -> dict[str, Any]:
    """The paper's attributes, some of them said otherwise."""
    return {**ATTRIBUTES, **{name: {**ATTRIBUTES[name], **more} for name, more in changes.items()}}


def column_pairs(folder: Path, *names: str, file: str = "data.csv") -> list[tuple[str, ...]]:
    with (folder / file).open(newline="") as opened:
        return sorted(tuple(row[name] for name in names) for row in csv.DictReader(opened))


def manifest_of(place: Place) -> dict[str, Any]:
    found = json.loads((place.folder / "release" / "manifest.json").read_text())
    assert isinstance(found, dict)
    return found


def words_of(outcome: Outcome) -> str:
    return " ".join(outcome.out.split())


def text_of(path: Path) -> str:
    return " ".join(path.read_text().split())


def test_table_5_from_a_plan_and_a_file(patients: Place) -> None:
    outcome = patients.run("run", "plan.yaml", "--private", "own")
    assert (outcome.code, outcome.err) == (0, "")
    release = patients.folder / "release"
    assert column_pairs(release, "income", "disease") == TABLE_5
    words = words_of(outcome)
    assert "Classes 5 by qi-mhsa" in words
    assert (
        "disease a cell 1 in 1.5, a person 1 in 2 (not concealed)" in words.partition("Flags ")[2]
    )
    assert max(map(len, outcome.out.splitlines())) <= 100
    shown = "".join(p.read_text() for p in release.iterdir()) + outcome.out
    assert not any(value in shown for value in ORIGINALS)


def test_the_document_of_a_run_has_measures_and_leaks(patients: Place) -> None:
    data = patients.run("run", "plan.yaml", "--json").data
    assert data["measures"]["privacy-loss"] == 0.5
    assert data["measures"]["infoloss"] > 0
    disease = data["flags"]["disease"]
    assert disease["after"]["cell_worst"] == pytest.approx(2 / 3)
    assert disease["after"]["person_worst"] == 0.5
    assert disease["before"] == disease["after"]
    assert disease["allowed"] is None
    assert "flag-clue" in [w["code"] for w in data["warnings"]]


def test_the_document_of_a_concealed_run_has_both(patients: Place) -> None:
    plan(patients, {"qi-mhsa": {**PAPER, "conceal": True}})
    data = patients.run("run", "plan.yaml", "--json").data
    disease = data["flags"]["disease"]
    assert disease["before"]["cell_worst"] > disease["allowed"] == 0.5
    assert max(disease["after"]["cell_worst"], disease["after"]["person_worst"]) <= 0.5
    assert "flag-clue" not in [w["code"] for w in data["warnings"]]


def test_a_misspelt_value_is_warned_of(patients: Place) -> None:
    rules = {"high": ["HIV", "Ebolla", "Covid19"], "middle": ["Diabetes"], "default": "low"}
    plan(patients, attributes=flags("disease", **rules))
    outcome = patients.run("run", "plan.yaml")
    words = words_of(outcome)
    assert outcome.code == 0
    assert "The flag rules of 'disease' list 1 value that no row has (high 2)." in words
    assert "Ebol" not in words
    plan(patients)
    assert "flag rules of" not in patients.run("run", "plan.yaml", "--force").out


def test_a_run_without_flags_says_nothing_of_them(place: Place) -> None:
    assert "Flags" not in place.run("run", "plan.yaml").out
    assert "flags" not in place.run("run", "plan.yaml", "--json", "--force").data


def test_concealing_is_told_before_and_after(patients: Place) -> None:
    plan(patients, {"qi-mhsa": {**PAPER, "conceal": True}})
    outcome = patients.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == 0, outcome.err
    assert "(allowed 1 in 2)" in words_of(outcome).partition("Flags ")[2]
    took = words_of(outcome).partition("Concealing ")[2].partition(" Measures")[0]
    again = patients.run("run", "plan.yaml", "--private", "own", "--json", "--force").data
    merged, lifted = again["concealment"]["merged"], again["concealment"]["lifted"]
    assert lifted["disease"] > 0
    assert took.startswith(f"{merged} class")
    assert f", {lifted['disease']} cells of disease lifted" in took
    own = text_of(patients.folder / "own" / "report.html")
    section = own.partition("What flags give away")[2].partition("</section>")[0]
    row = section.partition('<th scope="row">disease</th>')[2].partition("</tr>")[0]
    assert "1 in 1.5 and 1 in 2" in row, "before"
    assert "✓ within" in row
    assert "What flags give away" not in text_of(patients.folder / "release" / "report.html")
    diseases = [d for (d,) in column_pairs(patients.folder / "release", "disease")]
    assert "comorbities" not in diseases
    assert patients.run("audit", "release").code == 0
    assert patients.run("audit", "release", "--original", "patients.csv").code == 0


def test_what_flags_give_away_is_reported_without_concealing(patients: Place) -> None:
    assert patients.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    own = text_of(patients.folder / "own" / "report.html")
    section = own.partition("What flags give away")[2].partition("</section>")[0]
    assert "reported only" in section
    assert "max(1/k, 1/l), is 50%" in section
    assert "and is kept in every group" in section
    public = text_of(patients.folder / "release" / "report.html")
    assert "Every group has at least 2 different values of disease." in public
    assert "not all of which are shown in the table" in public
    assert "Values that are shown less openly" in public


def test_a_mean_within_the_bound_does_not_hide_groups_above_it(patients: Place) -> None:
    """One class of four has three Flu: 3/4, though the mean over rows is below 1/2."""
    rows = [("F", 20 + i // 4, "ABCDE"[i % 4] if i < 16 else "AAAB"[i % 4]) for i in range(20)]
    table = "".join(f"{gender},{age},{ill}\n" for gender, age, ill in rows)
    patients.write("patients.csv", f"gender,age,ill\n{table}")
    ill = {"role": "sensitive", "flags": {"high": ["C"], "default": "low"}}
    plan(
        patients,
        {"qi-mhsa": {"division": "k-division"}},
        attributes={"gender": "quasi", "age": {"role": "quasi", "kind": "numeric"}, "ill": ill},
        privacy=[{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2, "kind": "distinct"}}],
    )
    outcome = patients.run("run", "plan.yaml", "--private", "own", "--json")
    assert outcome.data["measures"]["privacy-loss"] == pytest.approx((4 * 0.25 + 0.75) / 5)
    own = text_of(patients.folder / "own" / "report.html")
    assert "is 50%, and is broken in 1 of 5 groups" in own


def test_two_tables_linked_by_class(patients: Place) -> None:
    plan(patients, {"qi-mhsa": {**PAPER, "tables": "split"}})
    assert patients.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    release = patients.folder / "release"
    assert manifest_of(patients)["form"] == "linked"
    assert len(column_pairs(release, "GID", "gender", "age", "zip")) == len(PATIENTS)
    both = column_pairs(release, "income", "disease", file="sensitive.csv")
    assert both == TABLE_5
    audit = patients.run("audit", "release")
    assert audit.code == 0
    assert "its values are shown as symbols" in words_of(audit)
    assert "--original" not in audit.out, "what symbols hide is not counted beside the original"
    assert patients.run("audit", "release", "--original", "patients.csv").code == 0


@pytest.mark.parametrize("options", [{}, {"tables": "split"}, {"conceal": True}], ids=str)
def test_a_cell_that_was_opened_is_found_by_the_audit(
    patients: Place, options: dict[str, Any]
) -> None:
    plan(patients, {"qi-mhsa": {**PAPER, **options}})
    assert patients.run("run", "plan.yaml", "--quiet").code == 0
    file = patients.folder / "release" / ("sensitive.csv" if "tables" in options else "data.csv")
    file.write_text(file.read_text().replace(",*\n", ",HIV\n", 1))
    outcome = patients.run("audit", "release", "--original", "patients.csv")
    assert outcome.code == 1
    assert "Traceback" not in outcome.out + outcome.err


def hierarchy_files(place: Place) -> dict[str, Any]:
    """The quasi-identifiers and disease with hierarchies in files, value first, `;` between."""
    ages = "".join(f"{a};[{a // 10 * 10}, {a // 10 * 10 + 10}[;*\n" for a in range(20, 60))
    zips = sorted(set(PATIENTS["zip"]))
    place.write("age.csv", ages)
    place.write("gender.csv", "M;*\nF;*\n")
    place.write("zip.csv", "".join(f"{z};{z[:2]}****;*\n" for z in zips))
    groups = DISEASES["*"].items()
    place.write("disease.csv", "".join(f"{v};{g};*\n" for g, values in groups for v in values))
    names = ("age", "gender", "zip", "disease")
    return attributes_with(**{name: {"hierarchy": f"{name}.csv"} for name in names})


def test_top_down_with_hierarchies_of_files(patients: Place) -> None:
    plan(patients, "top-down", attributes=hierarchy_files(patients))
    outcome = patients.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == 0, outcome.err
    assert "by top-down" in outcome.out
    release = patients.folder / "release"
    labels = column_pairs(release, "gender", "age", "zip")
    assert all(labels.count(label) >= 2 for label in labels)
    assert len(set(labels)) > 1, "something was specialised"
    shown = [d for (d,) in column_pairs(release, "disease")]
    assert (shown.count("*"), shown.count("comorbities")) == (3, 3)
    assert patients.run("audit", "release", "--original", "patients.csv").code == 0


CARE = PATIENTS.write_csv().replace("disease\n", "disease,care\n")
FLAGGED_BY_COLUMN = {
    **ATTRIBUTES,
    "disease": {"role": "sensitive", "hierarchy": {"tree": DISEASES}, "flag": "care"},
    "care": "flag",
}


def with_care(word: str) -> str:
    header, *rows = CARE.splitlines()
    return "\n".join([header, *(f"{row},{0 if i else word}" for i, row in enumerate(rows)), ""])


class Case(NamedTuple):
    """Input that cannot be released as the plan asks, and what is said of it."""

    code: int
    words: tuple[str, ...]
    attributes: Mapping[str, Any] = ATTRIBUTES
    method: Any = None
    l: Any = 2  # noqa: E741
    table: str = PATIENTS.write_csv()


def flags(name: str, **rules: Any) -> dict[str, Any]:
    return attributes_with(**{name: {"flags": rules}})


CASES = {
    "a value that no rule covers": Case(
        2,
        ("'income'", "2 rows (9, 10)", "have no rule", "default: low"),
        flags("income", low="x < 50000", middle="50000 < x < 60000"),
    ),
    "a listed value is missing": Case(
        2, ("'disease'", "have no rule"), flags("disease", high=["HIV"], low=["Flu"])
    ),
    "two rules for one value": Case(
        2,
        ("'income'", "have more than one rule"),
        flags("income", low="x < 50000", high="x > 40000"),
    ),
    "lists that contradict each other": Case(
        2,
        ("attributes.disease.flags", "item 2", "lists too"),
        flags("disease", high=["HIV", "Ebola"], middle=["Flu", "Ebola"], default="low"),
    ),
    "a condition that cannot be read": Case(
        2,
        ("attributes.income.flags", "must be a condition"),
        flags("income", high="x >> 50000 (at least)", default="low"),
    ),
    "a condition with a call": Case(
        2,
        ("attributes.income.flags", "must be a condition"),
        flags("income", high="__import__('os').getcwd()", default="low"),
    ),
    "an unknown flag": Case(
        2,
        ("attributes.income.flags", "must be one of low"),
        flags("income", top="x > 3", default="low"),
    ),
    "a condition on words": Case(
        2, ("'disease'", "need numbers"), flags("disease", high="x > 3", default="low")
    ),
    "a hierarchy that lacks a value": Case(
        2,
        ("disease", "6 of 8 values have no leaf"),
        attributes_with(disease={"hierarchy": {"tree": {"*": ["Flu", "HIV"]}}}),
    ),
    "flags on a quasi-identifier": Case(
        2, ("age",), attributes_with(age={"flags": {"high": "x > 50", "default": "low"}})
    ),
    "rules and a column": Case(
        2,
        ("disease",),
        {**FLAGGED_BY_COLUMN, "disease": {**ATTRIBUTES["disease"], "flag": "care"}},
        table=with_care("1"),
    ),
    "a flag column with other words": Case(
        2, ("'care'", "'disease'", "1 row (1)"), FLAGGED_BY_COLUMN, table=with_care("perhaps")
    ),
    "a flag column with gaps": Case(
        2, ("'care'", "'disease'", "1 row (1)"), FLAGGED_BY_COLUMN, table=with_care("")
    ),
    "l above the distinct values": Case(1, ("'disease'", "largest possible l is 8"), l=9),
    "what cannot be concealed": Case(
        1,
        ("'disease'", "cannot be concealed to 1/6", "largest l for which they can is"),
        method={"qi-mhsa": {**PAPER, "conceal": True}},
        l=6,
    ),
    "one-sided without cuts": Case(
        2,
        ("'income'", "needs the cuts"),
        attributes_with(income={"kind": "numeric", "hierarchy": "income.csv"}),
    ),
    "top-down without a hierarchy": Case(2, ("'age'", "hierarchy"), method="top-down"),
    "flags in buckets": Case(2, ("does not support flags",), method="lgb-mdp"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_bad_input_leaves_nothing_and_tells_nobody(patients: Place, case: Case) -> None:
    patients.write("patients.csv", case.table)
    asked = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": case.l, "attribute": "disease"}}]
    plan(patients, case.method, attributes=dict(case.attributes), privacy=asked)
    before = patients.look()
    outcome = patients.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == case.code, outcome.err
    assert patients.look() == before
    told = outcome.out + outcome.err
    assert "Traceback" not in told
    assert not any(value in told for value in (*PATIENTS["disease"], *PATIENTS["name"], "perhaps"))
    for word in case.words:
        assert word in outcome.words
