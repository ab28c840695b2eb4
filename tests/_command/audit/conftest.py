"""A release that is written once, and a copy of it to tamper with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests._command.audit.forge import Forged, copied, sample


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return sample(tmp_path_factory.mktemp("good"))


@pytest.fixture
def release(good: Forged, tmp_path: Path) -> Forged:
    """A copy to tamper with."""
    return copied(good, tmp_path)
