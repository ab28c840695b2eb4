"""Concealing as a stage: shown by name, counted for the publisher, and told to nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

import shoal
from tests.papers.mhsa.cases import PATIENTS, patients_plan


def _run(conceal: bool, folder: Path) -> tuple[shoal.Release, list[str]]:
    stages: list[str] = []

    @contextmanager
    def progress(name: str) -> Iterator[None]:
        stages.append(name)
        yield

    plan = patients_plan(
        {"qi-mhsa": {"division": "k-division", "numeric": "by-flag", "conceal": conceal}}
    )
    places = {"output": folder / "r", "private": folder / "own"}
    return shoal.run(plan, PATIENTS, progress=progress, **places), stages


def test_the_stage_is_shown_and_counted(tmp_path: Path) -> None:
    plain, without = _run(False, tmp_path / "plain")
    release, stages = _run(True, tmp_path / "concealed")
    assert [name for name in stages if name not in without] == ["concealing"]
    assert stages.index("qi-mhsa") < stages.index("concealing") < stages.index("recoding")
    assert plain.concealment is None
    assert release.concealment is not None
    assert release.concealment.merged == plain.classes.height - release.classes.height
    # By flags alone, what a cell shows does not depend on its class: it differs where it is lifted.
    differing = {
        name: sum(a != b for a, b in zip(_by_row(plain, name), _by_row(release, name), strict=True))
        for name in release.concealed
    }
    assert release.concealment.lifted == differing
    assert sum(differing.values()) > 0


def _by_row(release: shoal.Release, name: str) -> list[str | None]:
    cells = dict(zip(release.origin.tolist(), release.frame[name].to_list(), strict=True))
    return [cells.get(row) for row in range(PATIENTS.height)]


@pytest.mark.parametrize("conceal", [False, True])
def test_only_the_private_report_counts(conceal: bool, tmp_path: Path) -> None:
    _run(conceal, tmp_path)
    assert ("To conceal flags" in (tmp_path / "own" / "report.html").read_text()) is conceal
    for path in (tmp_path / "r").iterdir():
        assert "conceal" not in path.read_text()


def test_a_sensitive_column_that_nobody_flags() -> None:
    """Concealing merges classes until its values, shown as they are, are no surer than 1/l."""
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "method": {"qi-mhsa": {"conceal": True}},
    }
    people = pl.DataFrame({"age": [20, 21, 30, 31], "ill": list("abab")})
    release = shoal.run(plan, people)
    assert sorted(set(release.frame["age"])) == ["[20, 21]", "[30, 31]"]
    assert sorted(release.frame["ill"]) == list("aabb")
    assert release.concealed == {"ill": 2}
    distinct = {**plan, "privacy": [{"k-anonymity": {"k": 2}},
                                    {"l-diversity": {"l": 2, "kind": "distinct"}}]}  # fmt: skip
    uneven = people.with_columns(ill=pl.Series(list("abaa")))
    with pytest.raises(shoal.InfeasibleError, match="cannot be concealed"):
        shoal.run(distinct, uneven)
