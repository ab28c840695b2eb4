"""Where the tests find data sets that are not in the repository; no test is a race."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile("shoal", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)
# The same examples every time, and a failure as it was found: enough to know that there is one.
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shoal"))

PROJECT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets: `SHOAL_DATA`, else `shared/data` beside the project."""
    folder = Path(os.environ.get("SHOAL_DATA") or PROJECT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the public data sets; set SHOAL_DATA to their folder")
    return folder
