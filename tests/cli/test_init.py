"""`shoal init`: a plan that runs as it is, and nothing that is replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal._command.demo import write_demo
from shoal.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_demo(tmp_path / "demo", 400, 1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_init_then_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "demo/patients.csv", "--hierarchies", "demo/hierarchies"]) == 0
    shown = capsys.readouterr().out
    assert "The plan is in plan.yaml" in shown
    assert "Left out until you decide" in shown
    text = (folder / "plan.yaml").read_text(encoding="utf-8")
    assert "source: demo/patients.csv" in text
    assert "hierarchy: demo/hierarchies/ward.csv" in text
    assert main(["run", "plan.yaml", "--quiet"]) == 0
    assert (folder / "release-patients" / "manifest.json").is_file()


def test_paths_are_told_from_the_folder_of_the_plan(folder: Path) -> None:
    plan = folder / "plans" / "may.yaml"
    arguments = ["init", "demo/diagnoses.csv", "-o", str(plan), "--k", "3", "--quiet"]
    assert main(arguments) == 0
    text = plan.read_text(encoding="utf-8")
    assert "source: ../demo/diagnoses.csv" in text
    assert "k-anonymity: {k: 3}" in text
    assert main(["run", str(plan), "--quiet"]) == 0


def test_a_table_without_a_header_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bare.csv").write_text("39,Male,77516\n40,Female,1\n39,Male,7\n")
    assert main(["init", "bare.csv"]) == 2
    assert "header" in capsys.readouterr().err
    assert not (folder / "plan.yaml").exists()


def test_rows_that_would_be_overwritten_are_pointed_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (f"p{i // 2},{20 + i // 2 + (i == 0)},{'abc'[i % 3]}" for i in range(80))
    (folder / "visits.csv").write_text("\n".join(["patient_id,age,diagnosis", *rows]) + "\n")
    assert main(["init", "visits.csv"]) == 0
    shown = capsys.readouterr().out
    assert "1 quasi-identifier differs between the rows of one person: 1 cell would" in shown
    plan = (folder / "plan.yaml").read_text(encoding="utf-8")
    assert "(age: 1 row)" in plan.replace("\n# ", " ")
    assert main(["run", "plan.yaml", "--quiet"]) == 0


SURVEY = (
    "ID SurveyYr Gender Age AgeDecade AgeMonths Race1 Race3 Education MaritalStatus HHIncome "
    "HHIncomeMid Poverty HomeRooms HomeOwn Work Weight Length HeadCirc Height BMI BMICatUnder20yrs "
    "BMI_WHO Pulse BPSysAve BPDiaAve BPSys1 BPDia1 BPSys2 BPDia2 BPSys3 BPDia3 Testosterone "
    "DirectChol TotChol UrineVol1 UrineFlow1 UrineVol2 UrineFlow2 Diabetes DiabetesAge HealthGen "
    "DaysPhysHlthBad DaysMentHlthBad LittleInterest Depressed nPregnancies nBabies Age1stBaby "
    "SleepHrsNight SleepTrouble PhysActive PhysActiveDays TVHrsDay CompHrsDay TVHrsDayChild "
    "CompHrsDayChild Alcohol12PlusYr AlcoholDay AlcoholYear SmokeNow Smoke100 Smoke100n SmokeAge "
    "Marijuana AgeFirstMarij RegularMarij AgeRegMarij HardDrugs SexEver SexAge SexNumPartnLife "
    "SexNumPartYear SameSex SexOrientation PregnantNow"
)


def test_a_survey_of_76_columns_fits_two_screens(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(1)
    names = SURVEY.split()
    columns = {name: draw.integers(0, 2 + i % 9, 600) for i, name in enumerate(names)}
    columns |= {"ID": np.arange(600), "Age": draw.integers(0, 80, 600)}
    columns |= {"Weight": draw.normal(75, 15, 600).round(1)}
    pl.DataFrame(columns).write_csv(folder / "survey.csv")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["init", "survey.csv", "--json"]) == 0
    roles = {c["column"]: c["role"] for c in json.loads(capsys.readouterr().out)["columns"]}
    assert list(roles.values()).count("quasi") <= 6
    assert roles["Age"] == roles["Gender"] == "quasi"
    assert {roles[name] for name in ("SameSex", "AgeFirstMarij", "SexAge")} == {"drop"}
    assert roles["ID"] == "identifier"
    assert main(["init", "survey.csv", "--force"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 48
    assert max(map(len, lines)) <= 80
    text = (folder / "plan.yaml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= len(names) + 40


def test_json_tells_all_but_the_cells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "demo/patients.csv", "--json"]) == 0
    out = capsys.readouterr().out
    shown = json.loads(out)
    assert (shown["rows"], shown["k"], shown["plan"]) == (400, 5, "plan.yaml")
    sex = next(column for column in shown["columns"] if column["column"] == "sex")
    assert (sex["role"], sex["distinct"], sex["unique_rows"]) == ("quasi", 2, 0)
    assert "female" not in out
    assert "fracture" not in out


def test_a_plan_is_replaced_only_by_force(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plan.yaml").write_text("mine")
    assert main(["init", "demo/patients.csv"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (folder / "plan.yaml").read_text() == "mine"
    assert main(["init", "demo/patients.csv", "--force", "--quiet"]) == 0
    assert (folder / "plan.yaml").read_text(encoding="utf-8").startswith("# A first plan")
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["init", "nowhere.csv"],
        ["init", "demo/patients.csv", "--hierarchies", "nowhere"],
        ["init", "demo/patients.csv", "--output", "demo"],
        ["init", "demo/patients.csv", "--k", "0"],
    ],
)
def test_what_is_wrong_is_exit_code_2_and_writes_nothing(
    folder: Path, arguments: list[str]
) -> None:
    assert main(arguments) == 2
    assert not (folder / "plan.yaml").exists()
