from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal._command.hierarchy import hierarchy_levels
from shoal.errors import PlanError
from shoal.studio.view.hierarchy import declared_by, fields_of, form_of_declared
from tests.studio.sample import PLAN

AGE = "hierarchies/1"


def labels(text: str) -> list[str]:
    return re.findall(r"<tr><td>([^<]*)</td>", text)


def test_the_preview_is_what_a_run_publishes(client: TestClient, plan: str, folder: Path) -> None:
    page = client.post(
        f"{plan}/{AGE}/preview", data={"builder": "width", "width": "20", "levels": "2"}
    ).text
    text = PLAN.replace("{width: 10, levels: 2}", "{width: 20, levels: 2}")
    (folder / "other.yaml").write_text(text, encoding="utf-8")
    levels = hierarchy_levels(folder / "other.yaml", "age")
    expected = [label for one in levels for label in one.labels["label"].head(12).to_list()]
    assert labels(page) == expected
    assert "width: 10" in client.get(f"{plan}/plan.yaml").text


def test_a_hierarchy_is_kept_and_exported(client: TestClient, plan: str, folder: Path) -> None:
    client.post(f"{plan}/{AGE}", data={"builder": "intervals", "cuts": "30, 60"})
    assert "{intervals: [30, 60]}" in client.get(f"{plan}/plan.yaml").text
    exported = client.get(f"{plan}/{AGE}/export.csv").text
    assert "[30, 60[" in exported
    client.put("/files/age.csv", content=exported.encode())
    client.post(f"{plan}/{AGE}", data={"builder": "file", "file": "age.csv"})
    page = client.get(f"{plan}/{AGE}").text
    assert "[30, 60[" in page
    assert "does not work" not in page


def test_what_does_not_fit_the_table_is_said(client: TestClient, plan: str) -> None:
    page = client.post(
        f"{plan}/hierarchies/2/preview", data={"builder": "width", "width": "5", "levels": "2"}
    ).text
    assert "does not work with the table" in page
    page = client.post(f"{plan}/{AGE}/preview", data={"builder": "width"}).text
    assert "must be filled in" in page


def test_no_file_outside_the_folder(client: TestClient, plan: str, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("18;*\n", encoding="utf-8")
    page = client.post(f"{plan}/{AGE}/preview", data={"builder": "file", "file": "../out.csv"}).text
    assert "elsewhere" in page


@pytest.mark.parametrize(
    "declared",
    [None, "flat", "x.csv", {"width": 5, "levels": 3}, {"intervals": [18, 40]}, {"mask": 4},
     {"dates": ["day", "month"]}, {"tree": {"*": {"north": ["Oslo"], "south": ["Rome", "Nice"]}}}],
)  # fmt: skip
def test_a_form_reads_back_what_it_shows(declared: object) -> None:
    assert declared_by({"builder": form_of_declared(declared), **fields_of(declared)}) == declared


def test_an_unknown_form() -> None:
    with pytest.raises(PlanError):
        declared_by({"builder": "cloud"})
