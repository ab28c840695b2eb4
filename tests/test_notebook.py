"""The notebook of the docs runs in a Jupyter kernel, and what ends a cell shows itself there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
# What the last line of a cell begins with, and what its table says.
SHOWN = {
    "shoal.check(": "does not hold",
    "release": "holds",
    "shoal.audit(": "nothing found against the release",
    "shoal.compare(": "k = 10",
    "shoal.explain(": "<table>",
    "shoal.query(": "Estimate",
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells after a run from top to bottom; an error in one of them is raised."""
    reason = "needs nbclient and ipykernel, which are in requirements-dev.lock"
    pytest.importorskip("ipykernel", reason=reason)
    client = pytest.importorskip("nbclient", reason=reason)
    nbformat = pytest.importorskip("nbformat", reason=reason)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    folder = tmp_path_factory.mktemp("notebook")
    source = str(NOTEBOOK.parents[1] / "src")
    paths = filter(None, [source, os.environ.get("PYTHONPATH")])
    client.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    ).execute(env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("beginning", SHOWN)
def test_what_ends_a_cell_shows_itself(cells: list[Any], beginning: str) -> None:
    (cell,) = [c for c in cells if c.source.splitlines()[-1].startswith(beginning)
               and (beginning != "release" or c.source.endswith("\nrelease"))]  # fmt: skip
    shown = [output.data for output in cell.outputs if output.output_type == "execute_result"]
    assert len(shown) == 1
    assert SHOWN[beginning] in shown[0].get("text/html", "")
    # The text form, for consoles, fits on a screen.
    assert len(shown[0]["text/plain"]) < 80 * 24
    assert "person 1" not in shown[0]["text/html"]


def test_the_notebook_is_kept_without_outputs() -> None:
    """They would be out of date, and may show more than is meant."""
    kept = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in kept)
