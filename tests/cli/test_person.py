"""One person is looked for in a release with secret cells."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.place import Place
from tests.cli.secret import PERSON, plan
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS


def test_one_person_is_looked_for(released: Place) -> None:
    before = released.look()
    outcome = released.run(*PERSON, "4")
    words = " ".join(outcome.out.split())
    assert (outcome.code, outcome.err) == (0, "")
    assert "2 published rows can be the person in row 4" in words
    assert "which row it is 1 in 2 50% 1 in 2" in words
    assert "the secret in age 1 in 2 50% 1 in 2" in words
    assert "zip" not in words, "the zip of row 4 is no secret"
    assert "No more is given away than is allowed" in words
    assert not any(value in words for value in ("Male", "21336", "213", "Pneumonia", "24"))
    assert released.look() == before


def test_values_are_shown_when_asked_for(released: Place) -> None:
    words = " ".join(released.run(*PERSON, "4", "--show-values").out.split())
    assert "2 rows; gender Male; zip 213**; age, disease in buckets" in words


def test_the_document_of_one_person(released: Place) -> None:
    data = released.run(*PERSON, "4", "--json").data
    assert data["matching"] == 2
    assert len(data["records"]) == 2
    assert data["identity"] == {"risk": 0.5, "allowed": 0.5}
    assert data["secrets"].keys() == {"age", "disease"}
    assert "rows" not in data
    shown = released.run(*PERSON, "4", "--json", "--show-values").data
    assert {row["gender"] for row in shown["rows"]} == {"Male"}


def test_many_matching_rows_are_listed_in_part(lgb: Place) -> None:
    header, *rows = PATIENTS.write_csv().splitlines()
    lgb.write("patients.csv", "\n".join([header, *rows * 10]) + "\n")
    plan(lgb, privacy=[{"k-anonymity": {"k": 30}}, {"l-diversity": {"l": 2}}])
    assert lgb.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    outcome = lgb.run(*PERSON, "4")
    n = lgb.run(*PERSON, "4", "--json").data["matching"]
    assert n > 20
    assert f"and {n - 20} more (all with --json)" in " ".join(outcome.out.split())


def test_a_suppressed_person_has_no_risk(lgb: Place) -> None:
    rows = [f"v{i // 2},{'yes' if i == 8 else 'no'},s{i}" for i in range(9)]
    lgb.write("patients.csv", "\n".join(["a,hidden,s", *rows, ""]))
    plan(
        lgb,
        attributes={
            "a": {"role": "semi-sensitive", "hierarchy": "flat", "flag": "hidden"},
            "hidden": "flag",
            "s": "sensitive",
        },
        privacy=[{"k-anonymity": {"k": 8}}, {"l-diversity": {"attribute": "s", "l": 2}},
                 {"l-diversity": {"attribute": "a", "l": 1}}],
    )  # fmt: skip
    assert lgb.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    outcome = lgb.run(*PERSON, "9")
    assert outcome.code == 0
    assert "Row 9 is suppressed" in outcome.out
    assert lgb.run(*PERSON, "9", "--json").data["suppressed"] is True
    assert "published row" in lgb.run(*PERSON, "1").out


@pytest.mark.parametrize("row", ["0", "9", "-1"])
def test_a_row_that_is_not_there(released: Place, row: str) -> None:
    outcome = released.run(*PERSON, row)
    assert outcome.code == 2
    assert "must be from 1 to 8" in outcome.words


@pytest.mark.parametrize(
    ("options", "absent"),
    [
        (("--person", "4"), ["--original DATA", "--private FOLDER"]),
        (("--person", "4", "--original", "patients.csv"), ["--private FOLDER"]),
        (("--show-values",), ["--person ROW"]),
    ],
)
def test_what_is_lacking_is_told(
    released: Place, options: tuple[str, ...], absent: list[str]
) -> None:
    outcome = released.run("audit", "release", *options)
    assert outcome.code == 2
    assert all(name in outcome.words for name in absent)


def test_a_private_folder_that_is_not_there(released: Place) -> None:
    outcome = released.run(*PERSON[:5], "nowhere", "--person", "4")
    assert outcome.code == 2
    assert "There is no folder nowhere" in outcome.words
    assert "--private FOLDER" in outcome.words


@pytest.mark.parametrize(
    "name", ["private.json", "schema.json", "rows.parquet", "published-rows.parquet"]
)
def test_a_private_folder_that_is_not_whole(released: Place, name: str) -> None:
    (released.folder / "own" / name).unlink()
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert f"own has no {name}" in outcome.words


@pytest.mark.parametrize(
    "name", ["private.json", "schema.json", "rows.parquet", "published-rows.parquet"]
)
def test_a_private_folder_that_is_broken(released: Place, name: str) -> None:
    released.write(f"own/{name}", "{")
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert "cannot be read" in outcome.words


def test_the_private_side_of_another_run(released: Place) -> None:
    shutil.copytree(released.folder / "own", released.folder / "kept")
    plan(released, privacy=[{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}])
    assert released.run("run", "plan.yaml", "--private", "own", "--force", "--quiet").code == 0
    outcome = released.run(*PERSON[:5], "kept", "--person", "4")
    assert outcome.code == 2
    assert "another run" in outcome.words


def test_a_release_without_secrets(place: Place) -> None:
    assert place.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    options = ("--original", "people.csv", "--private", "own", "--person", "1")
    outcome = place.run("audit", "release", *options)
    assert outcome.code == 2
    assert "must have secret cells in buckets" in outcome.words


def test_another_original_is_noticed(released: Place) -> None:
    lines = PATIENTS.write_csv().splitlines()
    released.write("patients.csv", "\n".join(lines[:-1]) + "\n")
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert "The original has 7 rows, but the release was made from 8" in outcome.words
    released.write("patients.csv", "\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert "does not fit the row that was published for it" in outcome.words
    released.write("patients.csv", PATIENTS.drop("zip_secret", "gender").write_csv())
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert "no column 'gender'" in outcome.words
    assert "no column 'zip_secret'" in outcome.words


def test_nobody_is_looked_for_in_a_release_that_was_changed(released: Place) -> None:
    path = released.folder / "release" / "buckets-age.csv"
    path.write_text(path.read_text().replace("24", "29"))
    outcome = released.run(*PERSON, "4")
    assert outcome.code == 2
    assert "changed after it was written" in outcome.words
    assert "buckets-age.csv" in outcome.words
    path.unlink()
    assert released.run(*PERSON, "4").code == 2


def test_the_private_side_knows_hierarchies_of_files(lgb: Place) -> None:
    rows = [f"{z};{z[:4]}*;*" for z in sorted(set(PATIENTS["zip"]))]
    lgb.write("zip.csv", "\n".join(rows) + "\n")
    attributes = {
        **PATIENT_ATTRIBUTES,
        "zip": {**PATIENT_ATTRIBUTES["zip"], "hierarchy": "zip.csv"},
    }
    plan(lgb, attributes=attributes)
    assert lgb.run("run", "plan.yaml", "--private", "own", "--quiet").code == 0
    (lgb.folder / "zip.csv").unlink()
    assert "2 published rows" in lgb.run(*PERSON, "3").out
