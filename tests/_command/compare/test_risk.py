"""Risk by its definition: one in the people who look alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._command.compare.risk import LinkageRisk, risk_of
from shoal.schema import Schema
from tests.report.sample import PLAN, people


def plan(k: int, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "privacy": [{"k-anonymity": {"k": k}}], **changes}


@pytest.mark.parametrize("ranges", ["tight", "columns"])
@pytest.mark.parametrize("individual", [False, True])
def test_risk_is_one_in_the_people_who_look_alike(ranges: str, individual: bool) -> None:
    frame = people(90).with_columns(pl.Series("who", [f"p{i // 3}" for i in range(90)]))
    frame = frame.with_columns(pl.col("age", "town", "job", "seen").first().over("who"))
    attributes = {**PLAN["attributes"], "who": "identifier"}
    more = {"individual": "who"} if individual else {}
    release = shoal.run(plan(4, attributes=attributes, ranges=ranges, **more), frame)
    shown = [n for n in release.frame.columns if n not in ("illness", "visit", "Id_num")]
    crowds: dict[tuple[Any, ...], list[Any]] = {}
    for i, row in enumerate(release.frame.iter_rows(named=True)):
        key = tuple(row[n] for n in shown)
        crowds.setdefault(key, []).append(row["Id_num"] if individual else i)
    risks = [1 / len(set(crowd)) for crowd in crowds.values() for _ in crowd]
    risk = risk_of(release)
    assert risk.n_classes == len(crowds)
    assert risk.smallest == min(len(set(crowd)) for crowd in crowds.values())
    assert risk.mean == pytest.approx(sum(risks) / len(risks))
    assert risk.largest == max(risks)


def test_without_a_description_all_look_alike() -> None:
    release = shoal.run(plan(4), people(30))
    bare = Schema((release.schema["illness"],))
    tables = {"data": release.frame.select("illness")}
    alike = replace(release, published=replace(release.published, schema=bare, tables=tables))
    risk = risk_of(alike)
    assert replace(risk, mean=0.0) == LinkageRisk(1, 30, 0.0, 1 / 30)
    assert risk.mean == pytest.approx(1 / 30)
