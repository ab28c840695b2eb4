"""People with several records through the command line: the paper's example, and bad input."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.cli.place import SECRET, Place

PATIENTS = """\
name,gender,age,postcode,disease
Mike,M,36,10085,Hypertension
Mike,M,36,10085,Heart
Lily,F,37,10076,Cancer
Tim,M,36,10086,Hypertension
Jane,F,33,10087,Hypertension
Jane,F,33,10087,Diabetes
Tina,F,38,10077,HIV
Ella,F,34,10070,Leukaemia
Ella,F,34,10070,Heart
Lucy,F,33,10073,Syphilis
"""
PLAN = """\
source: patients.csv
individual: name
attributes:
  name: identifier
  gender: quasi
  age: {role: quasi, kind: numeric, domain: [30, 39]}
  postcode: {role: quasi, kind: categorical}
  disease: sensitive
privacy:
  - MODEL
method:
  danonyir: {first: [Ella, Tim]}
seed: 1
output: release
"""
FIRST = ("F", "[33, 34]", "{10070, 10073, 10087}")
SECOND = ("{F, M}", "[36, 38]", "{10076, 10077, 10085, 10086}")


def published(folder: Path) -> list[tuple[tuple[str, ...], list[str]]]:
    """Of every number its description and its diseases."""
    with (folder / "data.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["Id_num", "gender", "age", "postcode", "disease"]
    people: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for number, *label, disease in rows:
        description, diseases = people.setdefault(number, (tuple(label), []))
        assert description == tuple(label)
        diseases.append(disease)
    assert list(people) == [str(i + 1) for i in range(len(people))]
    return sorted((label, sorted(diseases)) for label, diseases in people.values())


@pytest.mark.parametrize(
    "model", ["eir-l: {l: 3}", "eir-alpha-beta: {alpha: 0.4, beta: 0.6}", "ir-kl: {k: 3, l: 3}"]
)
def test_the_worked_example(place: Place, model: str) -> None:
    place.write("patients.csv", PATIENTS)
    place.write("plan.yaml", PLAN.replace("MODEL", model))
    outcome = place.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == 0, outcome.err
    assert published(place.folder / "release") == [
        (FIRST, ["Diabetes", "Hypertension"]),
        (FIRST, ["Heart", "Leukaemia"]),
        (FIRST, ["Syphilis"]),
        (SECOND, ["Cancer"]),
        (SECOND, ["HIV"]),
        (SECOND, ["Heart", "Hypertension"]),
        (SECOND, ["Hypertension"]),
    ]
    manifest = json.loads((place.folder / "release/manifest.json").read_text())
    assert manifest["measures"]["nloss"] == pytest.approx(0.361111, abs=5e-7)
    assert manifest["counts"]["people"] == 7
    shown = "".join(p.read_text() for p in (place.folder / "release").iterdir())
    assert not re.search("Mike|Lily|Tim|Jane|Tina|Ella|Lucy", shown + outcome.out)
    assert place.run("audit", "release", "--original", "patients.csv").code == 0


def test_repeated_rows_are_told_and_change_nothing(place: Place) -> None:
    place.write("patients.csv", PATIENTS)
    place.write("plan.yaml", PLAN.replace("MODEL", "eir-l: {l: 3}"))
    assert place.run("run", "plan.yaml", "--output", "once").code == 0
    place.write("patients.csv", PATIENTS + PATIENTS.partition("\n")[2][:60].rpartition("\n")[0])
    outcome = place.run("run", "plan.yaml")
    assert "12 read, 10 published, 0 suppressed (0%), 2 merged as repeats" in outcome.out
    assert published(place.folder / "release") == published(place.folder / "once")
    report = " ".join((place.folder / "release/report.html").read_text().split())
    assert "of 12 rows; 2 repeated another of the same person" in report


def test_check_tells_the_table_that_looks_diverse_and_is_not(place: Place) -> None:
    place.write(
        "table.csv",
        "Id_num,gender,postcode,disease\n"
        "1,*,1008*,Hypertension\n1,*,1008*,Heart\n3,*,1008*,Hypertension\n"
        "4,*,1008*,Hypertension\n4,*,1008*,Diabetes\n",
    )
    place.plan(
        source=None,
        output=None,
        individual="Id_num",
        attributes={
            "Id_num": "identifier",
            "gender": "quasi",
            "postcode": "quasi",
            "disease": "sensitive",
        },
        privacy=[
            {"ir-k": {"k": 3}},
            {"ir-kl": {"k": 3, "l": 3}},
            {"ir-alpha-beta": {"alpha": 0.4, "beta": 0.6}},
            {"eir-l": {"l": 3}},
            {"eir-alpha-beta": {"alpha": 0.4, "beta": 0.6}},
        ],
    )
    outcome = place.run("check", "table.csv", "--plan", "plan.yaml", "--json")
    assert outcome.code == 1
    found = [(v["holds"], v["reached"]) for v in outcome.data["requirements"]]
    assert found == [
        (True, 3),
        (True, {"k": 3, "l": 3}),
        (True, {"alpha": 0.4, "beta": 0.6}),
        (False, 1),
        (False, {"alpha": 0.4, "beta": 1.0}),
    ]


HEADER = "name,age,town,ill\n"


def several(n: int = 30) -> str:
    """People of two rows each, every cell of which is a secret of its own."""
    rows = [
        f"{SECRET}{i},{20 + i % 17},{SECRET}-{'uvw'[i % 3]},{SECRET}-{'abcd'[(i + visit) % 4]}\n"
        for i in range(n)
        for visit in range(2)
    ]
    return HEADER + "".join(rows)


class Case(NamedTuple):
    """Input that cannot be released as the plan asks, and what is said of it."""

    code: int
    words: str
    plan: Mapping[str, Any]
    table: str = several()


def asked(method: Any = "danonyir", **models: Any) -> Mapping[str, Any]:
    privacy = [{name.replace("_", "-"): given} for name, given in models.items()]
    return MappingProxyType({"individual": "name", "privacy": privacy, "method": method})


EIR = asked(eir_l={"l": 2})
TWO_TOWNS = several().replace(f"{SECRET}7,27,{SECRET}-v", f"{SECRET}7,27,{SECRET}-w", 1)
# Rows 1 and 2 are alike, so that the third is the second of those that are left.
GAP = HEADER + f"{SECRET},41,a,b\n" * 2 + f"{SECRET}x,41,a,\n" + several()[len(HEADER) :]
CASES = {
    "no individual": Case(
        2,
        "eir-l counts people with all their rows, but the plan names",
        {**EIR, "individual": None},
    ),
    "first without individual": Case(
        2,
        "'first' parameter of danonyir names people",
        {
            **asked({"danonyir": {"first": [f"{SECRET}1"]}}, k_anonymity={"k": 2}),
            "individual": None,
        },
    ),
    "an individual that is no identifier": Case(
        2,
        "must have the role identifier",
        {
            **EIR,
            "attributes": {"name": "quasi", "age": "quasi", "town": "quasi", "ill": "sensitive"},
        },
    ),
    "a person in two towns": Case(
        2, "'town' must have one value per person, but differs in 1 row (16).", EIR, TWO_TOWNS
    ),
    "a secret is missing": Case(2, "'ill' is missing in 1 row (first: row 3).", EIR, GAP),
    "nobody's row": Case(
        2, "1 row (2)", EIR, HEADER + "a,41,b,c\n,41,b,d\n" + several()[len(HEADER) :]
    ),
    "alpha of 0": Case(
        2,
        "'alpha' parameter of eir-alpha-beta must be a number above 0 and at most 1, got 0",
        asked(eir_alpha_beta={"alpha": 0, "beta": 0.5}),
    ),
    "first names nobody": Case(
        2,
        "1 of the 2 people in 'first' are not in column 'name' (entries 2).",
        asked({"danonyir": {"first": [f"{SECRET}1", f"{SECRET}?"]}}, eir_l={"l": 2}),
    ),
    "l above the values": Case(1, "30 people and 4 distinct values", asked(eir_l={"l": 5})),
    "l above what all reach": Case(
        1, "everybody is covered by 2 of its values", asked(eir_l={"l": 3})
    ),
    "k and l above": Case(1, "k = 31 cannot be achieved", asked(ir_kl={"k": 31, "l": 5})),
    "alpha too small": Case(
        1, "alpha = 0.03 cannot be achieved", asked(ir_alpha_beta={"alpha": 0.03, "beta": 1})
    ),
    "nothing can be published": Case(
        1, "Nothing can be published", asked(eir_alpha_beta={"alpha": 0.5, "beta": 0.3})
    ),
    "too many suppressed": Case(
        1,
        "rows would be suppressed",
        {**asked(eir_alpha_beta={"alpha": 0.5, "beta": 0.8}), "suppression": {"limit": 0}},
        # Nobody fits who has more than half of the rows of any class.
        several(4) + "".join(f"{SECRET}y,90,x,{SECRET}-{i}\n" for i in range(40)),
    ),
}


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_bad_input_leaves_nothing_and_tells_nobody(place: Place, case: Case, as_json: bool) -> None:
    place.write("people.csv", case.table)
    place.plan(**case.plan)
    before = place.look()
    outcome = place.run("run", "plan.yaml", "--private", "own", *(["--json"] if as_json else []))
    assert outcome.code == case.code, outcome.err
    assert place.look() == before
    told = outcome.out + outcome.err
    assert SECRET not in told
    assert "Traceback" not in told
    if as_json:
        assert case.words in " ".join(problem["text"] for problem in outcome.data["problems"])
    else:
        assert case.words in outcome.words


@pytest.mark.parametrize(("asks", "possible"), [(3, 2), (5, 2), (99, 2)])
def test_the_l_that_could_be_had_can_be_had(place: Place, asks: int, possible: int) -> None:
    place.write("people.csv", several())
    place.plan(**asked(eir_l={"l": asks}))
    assert f"The largest possible l is {possible}." in place.run("run", "plan.yaml").words
    place.plan(**asked(eir_l={"l": possible}))
    assert place.run("run", "plan.yaml").code == 0


def test_all_problems_of_a_plan_are_told_at_once(place: Place) -> None:
    place.write(
        "plan.yaml",
        "source: people.csv\nattributes:\n  name: identifier\n  age: quasi\n  town: quasi\n"
        "  ill: sensitive\nprivacy:\n  - ir-k: {k: 0}\n  - eir-l: {l: 3, attribute: town}\n"
        "  - ir-alpha-beta: {alpha: 0.5, beta: 2}\n  - eir-alpha-beta: {beta: 0.5}\n"
        "method:\n  danonyir: {first: [1], generalise: trees}\n",
    )
    outcome = place.run("run", "plan.yaml", "--json")
    assert outcome.code == 2
    lines = {problem["line"] for problem in outcome.data["problems"]}
    assert lines >= {8, 10, 11, 13}


def test_codes_with_leading_zeros_are_people(place: Place) -> None:
    place.write("people.csv", re.sub(rf"(?m)^{SECRET}(\d+)", r"00\1", several()))
    first: Mapping[str, Any] = {"danonyir": {"first": ["007"]}}
    place.plan(**asked(first, eir_l={"l": 2}))
    assert place.run("run", "plan.yaml").code == 0
    place.write("plan.yaml", Path("plan.yaml").read_text().replace("'007'", "007"))
    outcome = place.run("run", "plan.yaml", "--force")
    assert outcome.code == 2
    assert "leading zeros in quotes" in outcome.words


def test_reports_tell_what_the_numbers_of_people_and_ir_models_leave_open(place: Place) -> None:
    place.write("patients.csv", PATIENTS)
    plan = PLAN.replace("MODEL", "ir-kl: {k: 2, l: 2}").replace(
        "first: [Ella, Tim]", "first: [Tim]"
    )
    place.write("plan.yaml", plan)
    assert place.run("run", "plan.yaml", "--private", "own").code == 0
    report = " ".join((place.folder / "release/report.html").read_text().split())
    assert "Rows that belong together" in report
    assert "A value that everybody has" in report
    assert "the same in all rows of a person" in report
    # Tim and Mike are nearest to each other, and both have hypertension.
    own = " ".join((place.folder / "own/report.html").read_text().split())
    assert "In these groups everybody has the same value of a sensitive column" in own
    place.write("plan.yaml", plan.replace("ir-kl: {k: 2, l: 2}", "eir-l: {l: 2}"))
    assert place.run("run", "plan.yaml", "--private", "own", "--force").code == 0
    report = " ".join((place.folder / "release/report.html").read_text().split())
    assert "there is no value that everybody in the group has" in report
    assert "A value that everybody has" not in report
    own = " ".join((place.folder / "own/report.html").read_text().split())
    assert "no group has a value of disease that everybody in it has" in own


def test_a_crowd_alone_does_not_guard_secrets(place: Place) -> None:
    place.write("people.csv", several())
    place.plan(**asked(ir_k={"k": 3}))
    outcome = place.run("run", "plan.yaml")
    assert (
        "where all people in a group share one value, anybody who finds the group knows it. eir-l"
        in " ".join(outcome.out.split())
    )
    report = (place.folder / "release/report.html").read_text()
    assert "Secrets that a whole group shares" in report


def test_a_bound_that_is_switched_off_is_told_apart_from_asking_nothing(place: Place) -> None:
    place.write("people.csv", several())
    place.plan(**asked(eir_alpha_beta={"alpha": 1, "beta": 0.8}, ir_k={"k": 1}))
    shown = " ".join(place.run("run", "plan.yaml").out.split())
    assert "eir-alpha-beta with alpha = 1 sets no limit through this parameter." in shown
    assert "ir-k with k = 1 requires nothing: every table meets it." in shown
    assert "beta = " not in shown.partition("Warnings")[2]
