"""What deserves a second look although everything holds, and that everybody is shown the same."""

from __future__ import annotations

import json
from dataclasses import asdict
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.cli import main
from shoal.schema.advice import CODES, Advice, Severity
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES
from tests.papers.lgb.cases import PATIENTS as WITH_SECRETS
from tests.papers.mhsa.cases import DISEASE_FLAGS, patients_plan
from tests.papers.mhsa.cases import PATIENTS as WITH_FLAGS

Case = tuple[dict[str, Any], pl.DataFrame]

TABLE = pl.DataFrame(
    {
        "who": [f"p{i // 2}" for i in range(40)],
        "age": [20 + i // 8 for i in range(40)],
        "visit": [i % 2 for i in range(40)],
        "note": [f"n{i}" for i in range(40)],
        "ill": list("abcd") * 10,
    }
)
K: dict[str, Any] = {"k-anonymity": {"k": 2}}
L: dict[str, Any] = {"l-diversity": {"l": 2}}
ENTROPY = {"kind": "entropy", "l": 1.2}


def plan(roles: dict[str, Any] | None = None, *privacy: Any, **more: Any) -> Case:
    """A plan of these people that gives no advice, but for what is changed."""
    attributes = {"who": "identifier", "age": "quasi", "visit": "identifier", "note": "identifier",
                  "ill": "sensitive"}  # fmt: skip
    asked = {"attributes": {**attributes, **(roles or {})}, "privacy": list(privacy or (K, L)),
             "ranges": "snapped", "seed": 1}  # fmt: skip
    return {**asked, **more}, TABLE


def secrets(frame: pl.DataFrame, **diversity: Any) -> Case:
    """The paper's patients of LGB, whose diseases stand in buckets."""
    privacy = [K, *({"l-diversity": {"attribute": name, "l": 2}} for name in ("age", "zip"))]
    privacy.append({"l-diversity": {"attribute": "disease", **diversity}})
    asked = {"attributes": PATIENT_ATTRIBUTES, "privacy": privacy, "method": "lgb-mdp", "seed": 3}
    return asked, frame


def drawn(case: Case) -> Case:
    """The same without a seed."""
    asked, frame = case
    return {key: value for key, value in asked.items() if key != "seed"}, frame


def flagged(high: list[str], **method: Any) -> Case:
    """The paper's patients of MHSA, whose diseases are shown by flags."""
    asked = patients_plan({"qi-mhsa": method})
    disease = {**asked["attributes"]["disease"], "flags": {**DISEASE_FLAGS, "high": high}}
    return {**asked, "attributes": {**asked["attributes"], "disease": disease}}, WITH_FLAGS


def pay(**normalise: bool) -> Case:
    attributes = {"pay": {"role": "quasi", "kind": "numeric"}, "sex": "quasi"}
    frame = pl.DataFrame({"pay": [0, 50_000, 90_000, 10], "sex": ["M", "F", "M", "F"]})
    return {"attributes": attributes, "privacy": [K], "method": {"adjacency": normalise}}, frame


def levels(low: int) -> Case:
    """A table of half sensitive people; the others require this k."""
    asked, frame = plan({"f": "sensitivity", "ill": "insensitive"})
    model = {"thresholds": [[0.5, 0.4]], "levels": [[6, low]]}
    more = {"privacy": [{"multi-level-k": model}], "method": "ece-mks3wd"}
    more["attributes"] = asked["attributes"] | {
        "age": {"role": "quasi", "hierarchy": {"width": 1, "levels": 2}}
    }
    few = pl.Series([20] * 35 + [21] * 5)
    return {**asked, **more}, frame.with_columns(f=pl.Series([0.9] * 30 + [0.1] * 10), age=few)


def named(value: str | None) -> Case:
    """Two groups, the second with this value besides flu."""
    frame = pl.DataFrame({"age": [20, 20, 60, 60], "ill": ["flu", "pox", "flu", value]})
    asked = plan(None, L)[0]
    return {**asked, "attributes": {"age": "quasi", "ill": "sensitive"}}, frame


def counted(n_rows: list[int]) -> Case:
    """People with so many rows each, in one group."""
    who = [str(person) for person, n in enumerate(n_rows) for _ in range(n)]
    frame = pl.DataFrame({"who": who, "age": 20, "ill": [str(row) for row in range(len(who))]})
    attributes = {"who": "identifier", "age": "quasi", "ill": "sensitive"}
    asked = {"attributes": attributes, "individual": "who", "privacy": [{"eir-l": {"l": 3}}]}
    return asked, frame


def shared_by_most(ill: list[str]) -> Case:
    """One group whose values must be even."""
    frame = pl.DataFrame({"age": [20] * len(ill), "ill": ill})
    attributes = {"age": "quasi", "ill": "sensitive"}
    even = {"l-diversity": {"l": 2, "kind": "frequency"}}
    return {"attributes": attributes, "privacy": [even], "ranges": "snapped"}, frame


def kinds(**job: str) -> Case:
    frame = pl.DataFrame({"job": list("abcd"), "ill": list("xyxy")})
    attributes = {"job": {"role": "quasi", **job}, "ill": "sensitive"}
    return {"attributes": attributes, "privacy": [K, L]}, frame


def wide(n_quasi: int) -> Case:
    """As many yes-or-no columns, each with a hierarchy of two levels."""
    names = [f"q{j}" for j in range(n_quasi)]
    frame = pl.DataFrame(
        {name: [i >> j % 4 & 1 for i in range(16)] for j, name in enumerate(names)}
    )
    attributes = {name: {"role": "quasi", "hierarchy": "flat"} for name in names}
    method = {"ka": {"climb": "lattice", "budget": 1}}
    return {"attributes": attributes, "privacy": [K], "method": method}, frame


PERSON = {"individual": {"column": "who", "conflict": "first"}}
RUNS = {"qi-mhsa": {"division": "k-division"}}
VIRUSES = ["HIV", "Ebola", "Covid19"]
# A plan that is advised, and one beside it that is not.
CASES: dict[str, tuple[Case, Case]] = {
    "asks-nothing": (plan(None, {"k-anonymity": {"k": 1}}, L), plan()),
    "published-alone": (levels(1), levels(2)),
    "unprotected-secret": (plan(None, K), plan()),
    "likely-guess": (
        secrets(WITH_SECRETS.with_columns(disease=pl.Series(["Flu"] * 6 + ["HIV"] * 2)), **ENTROPY),
        secrets(WITH_SECRETS, l=2),
    ),
    "flag-clue": (flagged(VIRUSES), flagged(VIRUSES, conceal=True)),
    "seed-in-plan": (secrets(WITH_SECRETS, l=2), drawn(secrets(WITH_SECRETS, l=2))),
    "telling-column": (plan({"note": "insensitive"}), plan({"visit": "insensitive"})),
    "singled-out": (plan({"note": "sensitive"}), plan({"visit": "sensitive"})),
    "idle-bound": (
        plan(None, {"alpha-k": {"alpha": 1.0, "k": 2}}),
        plan(None, {"alpha-k": {"alpha": 0.9, "k": 2}}),
    ),
    "size-clue": (levels(2), plan()),
    "unknown-flag-value": (flagged(["HIV", "Ebolla", "Covid19"]), flagged(VIRUSES)),
    "look-alike-values": (named("Flu"), named("gout")),
    "missing-counts": (named(None), named("gout")),
    "rows-of-person": (counted([1, 2, 3]), counted([2, 2, 2])),
    "idle-missing": (plan(missing=["?"]), plan()),
    "replaced-cells": (plan({"visit": "quasi"}, **PERSON), plan(**PERSON)),
    "input-order": (
        ({**patients_plan(RUNS), "order": "input"}, WITH_FLAGS),
        (patients_plan(RUNS), WITH_FLAGS),
    ),
    "unlike-distances": (pay(), pay(normalise=True)),
    "little-left": (plan(None, {"k-anonymity": {"k": 40}}, L), plan()),
    "left-out-singly": (
        shared_by_most(["a"] * 21 + ["b"] * 19),
        shared_by_most(["a"] * 20 + ["b"] * 20),
    ),
    "repeated-requirement": (plan(None, K, L, K), plan()),
    "exact-sets": (kinds(), kinds(hierarchy="flat")),
    "lattice-budget": (wide(17), wide(4)),
    "real-ends": (plan(ranges="tight"), plan()),
}


def codes(case: Case) -> list[str]:
    asked, frame = case
    return [advice.code for advice in shoal.run(asked, frame).warnings]


def test_a_plain_release_warns_of_nothing() -> None:
    assert codes(plan()) == []


def test_every_code_has_its_plans() -> None:
    """Composition needs two runs (tests/folder/test_history.py), a search that runs out its own.

    What is held whole though it has shards is in tests/_run/part.
    """
    assert {
        *CASES,
        "composition",
        "held-whole",
        "search-budget",
        "versions-together",
        "nothing-gained",
        "polished-by-time",
    } == set(CODES)


@pytest.mark.parametrize("code", CASES)
def test_advice_is_given_where_it_is_due_and_only_there(code: str) -> None:
    due, not_due = CASES[code]
    assert code in codes(due)
    assert code not in codes(not_due)


def test_the_gravest_comes_first() -> None:
    asked, frame = plan({"visit": "quasi"}, {"k-anonymity": {"k": 1}}, ranges="tight", **PERSON)
    found = shoal.run(asked, frame).warnings
    assert [advice.severity for advice in found] == [
        Severity.DANGER, Severity.DANGER, Severity.CAUTION, Severity.NOTE
    ]  # fmt: skip
    assert found[0] == Advice("asks-nothing", Severity.DANGER, str(found[0]))


@pytest.mark.parametrize("case", [flagged(VIRUSES), flagged(VIRUSES, conceal=True)])
def test_flags_rest_on_the_seed_too(case: Case) -> None:
    assert "seed-in-plan" in codes(case)
    assert "seed-in-plan" not in codes(drawn(case))


@pytest.mark.parametrize(
    "code", ["asks-nothing", "seed-in-plan", "likely-guess", "flag-clue", "replaced-cells"]
)
def test_everybody_is_shown_the_same_list(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    asked, frame = CASES[code][0]
    release = shoal.run(asked, frame)
    frame.write_csv("people.csv")
    Path("plan.json").write_text(json.dumps({**asked, "source": "people.csv"}))
    assert main(["run", "plan.json", "--output", "r", "--private", "own", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["warnings"]
    assert [Advice(**entry) for entry in document] == list(release.warnings)
    assert json.loads(Path("own/private.json").read_text())["warnings"] == document
    report = unescape(Path("own/report.html").read_text())
    places = [report.index(f"</strong> {advice}</li>") for advice in release.warnings]
    assert places == sorted(places)
    assert main(["run", "plan.json"]) == 0
    listed = " ".join(capsys.readouterr().out.split()).partition(" Warnings ")[2]
    shown = " ".join(f"- {a.severity.capitalize()}: {a}" for a in release.warnings)
    assert listed == f"{shown} {listed.removeprefix(shown).lstrip()}"


def test_warnings_of_a_python_user_are_those_of_the_command_line() -> None:
    """k = 1 and an unprotected secret, of which Python said nothing once."""
    found = shoal.run(*plan(None, {"k-anonymity": {"k": 1}}, ranges="tight")).warnings
    assert [asdict(advice)["code"] for advice in found] == [
        "asks-nothing", "unprotected-secret", "real-ends"
    ]  # fmt: skip


def test_replaced_cells_are_counted_for_the_publisher_only(tmp_path: Path) -> None:
    asked, frame = CASES["replaced-cells"][0]
    release = shoal.run(asked, frame, output=tmp_path / "r", private=tmp_path / "own")
    assert release.replaced == {"visit": 20}
    assert "20 of 'visit'" in next(a.text for a in release.warnings if a.code == "replaced-cells")
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert "replaced" not in manifest
    assert manifest["conflict"] == asked["individual"]["conflict"]
    told, own = ((tmp_path / folder / "report.html").read_text() for folder in ("r", "own"))
    assert "Cells that may have been replaced" in told
    assert "20 of" not in told
    assert "20 of &#39;visit&#39;" in own


def test_columns_that_single_out_are_named_in_the_report(tmp_path: Path) -> None:
    asked, frame = CASES["singled-out"][0]
    release = shoal.run(asked, frame, output=tmp_path / "r")
    assert release.singled_out == 1.0
    assert "Taken together, 'note' and 'ill' single out 100%" in str(release.warnings[0])
    report = (tmp_path / "r" / "report.html").read_text()
    assert "Taken together, note and ill single out 100% of the rows" in report


def test_one_column_that_singles_out_is_named_alone() -> None:
    found = shoal.run(*plan({"note": "insensitive", "ill": "identifier"}, K)).warnings
    assert [a.code for a in found] == ["telling-column", "singled-out"]
    assert str(found[1]).startswith("'note' alone singles out 100% of the rows")
