"""Secrets cell by cell on the command line."""

from __future__ import annotations

import json

from tests.cli.place import Place
from tests.cli.secret import plan
from tests.papers.lgb.cases import PATIENTS


def test_a_run_tells_of_buckets_withheld_cells_and_risks(lgb: Place) -> None:
    outcome = lgb.run("run", "plan.yaml")
    words = " ".join(outcome.out.split())
    assert outcome.code == 0
    assert "Buckets age 2 of 2 values; zip 1 of 2 values; disease 4 of 2 values" in words
    assert "Withheld 0 cells, in 0 rows" in words
    assert "Risks identity 1 in 2 (allowed 1 in 2); age 1 in 2 (allowed 1 in 2)" in words
    assert max(map(len, outcome.out.splitlines())) <= 100
    assert "single out" not in words, "what is in buckets singles nobody out"


def test_the_document_of_a_run_has_them_too(lgb: Place) -> None:
    data = lgb.run("run", "plan.yaml", "--json").data
    assert data["buckets"]["zip"] == {"buckets": 1, "cells": 2, "least": 2, "most": 2}
    assert data["risks"]["identity"] == {"risk": 0.5, "exact": True, "allowed": 0.5}
    assert data["risks"]["secrets"]["age"] == {"posterior": 0.5, "exact": True, "allowed": 0.5}
    assert data["counts"]["withheld"] == 0


def test_guesses_that_nothing_bounds_are_warned_of(lgb: Place) -> None:
    rows = PATIENTS.write_csv().replace("Female", "Male")
    lgb.write("patients.csv", rows.replace("Gastritis", "Flu").replace("Cancer", "Flu"))
    asked = [{"t-closeness": {"attribute": "disease", "t": 0.5}}]
    asked += [{"l-diversity": {"attribute": name, "l": 2}} for name in ("age", "zip")]
    plan(lgb, privacy=[{"k-anonymity": {"k": 2}}, *asked])
    words = " ".join(lgb.run("run", "plan.yaml").out.split())
    assert "A secret in 'disease' can be guessed with a chance of" in words
    assert "A secret in 'age'" not in words


def test_a_run_without_secrets_says_nothing_of_them(place: Place) -> None:
    assert "Buckets" not in place.run("run", "plan.yaml").out


def test_a_table_as_it_stands_is_refused(lgb: Place) -> None:
    outcome = lgb.run("check", "patients.csv", "--plan", "plan.yaml")
    assert outcome.code == 2
    assert "a table as it is has no buckets" in outcome.words
    assert "shoal audit" in outcome.words


def test_an_audit_counts_buckets_without_the_original(released: Place) -> None:
    outcome = released.run("audit", "release")
    assert outcome.code == 0
    assert "The files agree with each other" in outcome.out
    assert "Why" not in outcome.out


def test_nothing_of_a_person_is_in_the_manifest(released: Place) -> None:
    manifest = json.loads((released.folder / "release" / "manifest.json").read_text())
    assert manifest["form"] == "split"
    assert not any(str(v) in json.dumps(manifest) for v in ("Pneumonia", "21344", "1004"))
