"""A plan that uses every key."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.plan import Plan
from tests.plan.cases import FULL


@pytest.fixture
def full(tmp_path: Path) -> Plan:
    (tmp_path / "jobs.csv").write_text("nurse;health;*\nclerk;office;*\n")
    (tmp_path / "plan.yaml").write_text(FULL)
    return Plan.load(tmp_path / "plan.yaml")
