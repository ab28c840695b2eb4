"""Trials and their digests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shoal._command.experiment.trial import Grid, Trial

TRIAL = Trial({"seed": 1, "method": "ka"}, "people", {"seed": 1}, ("glm",), figures=frozenset({3}))


def test_a_digest_follows_plan_seed_table_and_readings() -> None:
    others = [
        replace(TRIAL, plan={"seed": 2, "method": "ka"}),
        replace(TRIAL, plan={"seed": 1, "method": "mondrian"}),
        replace(TRIAL, readings=("dm",)),
        replace(TRIAL, otherwise={"glm": 1.0}),
    ]
    digests = {TRIAL.digest("a"), TRIAL.digest("b"), *(other.digest("a") for other in others)}
    assert len(digests) == 6
    assert replace(TRIAL, place={"seed": 1, "k": 3}).digest("a") == TRIAL.digest("a")


def test_a_hierarchy_file_enters_by_its_content(tmp_path: Path) -> None:
    digests = set()
    for name, text in (("one.csv", "a;*"), ("two.csv", "a;*"), ("three.csv", "b;*")):
        (tmp_path / name).write_text(text)
        words = {"role": "quasi", "hierarchy": str(tmp_path / name)}
        plan = {"attributes": {"x": words, "y": "quasi", "z": {"hierarchy": "flat"}}}
        digests.add((text, replace(TRIAL, plan=plan).digest("a")))
    contents = {text: {d for t, d in digests if t == text} for text, _ in digests}
    assert not contents["a;*"] & contents["b;*"]


def test_the_part_of_a_figure() -> None:
    grid = Grid((TRIAL, replace(TRIAL, figures=frozenset({4}))), {})
    assert grid.of_figure(3).trials == (TRIAL,)
    assert grid.of_figure(None) is grid
