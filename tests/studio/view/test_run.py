from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.cli import main
from tests.studio.sample import wait

Done = tuple[TestClient, Path]


def test_verdicts_come_first(done: Done) -> None:
    text = done[0].get("/runs/1").text
    assert text.index("achieved") < text.index("Smallest group")
    assert "✓" in text
    assert "Before and after" in text


def test_the_plan_of_a_run_gives_the_same_release(done: Done) -> None:
    client, folder = done
    with zipfile.ZipFile(io.BytesIO(client.get("/runs/1/release.zip").content)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    assert set(files) == {"data.csv", "manifest.json", "report.html"}
    (folder / "again.yaml").write_text(client.get("/runs/1/plan.yaml").text, encoding="utf-8")
    assert main(["run", str(folder / "again.yaml"), "--quiet"]) == 0
    assert (folder / "release-1" / "data.csv").read_bytes() == files["data.csv"]
    # Of the rest only the time and the salted digest of the plan differ.
    time = rb'"time": "[^"]*"|"plan": "[^"]*"|"salt": "[^"]*"|[0-9a-f]{64}|[0-9a-f]{16}'
    time += rb'|<time datetime="[^"]*">[^<]*|"bytes": \d+'
    for name in ("manifest.json", "report.html"):
        again = (folder / "release-1" / name).read_bytes()
        assert re.sub(time, b"", again) == re.sub(time, b"", files[name])


def test_an_archive_holds_nothing_private(done: Done) -> None:
    with zipfile.ZipFile(io.BytesIO(done[0].get("/runs/1/release.zip").content)) as packed:
        assert b"Person 1" not in b"".join(packed.read(name) for name in packed.namelist())


def test_from_a_row_to_its_class(done: Done) -> None:
    client, _ = done
    page = client.get("/runs/1/table").text
    assert page.count("/runs/1/table?class=") == 50
    link = re.findall(r"/runs/1/table\?class=\d+", page)[0]
    inside = client.get(link).text
    rows = re.findall(r"</a></td><td>(.*?)</td>", inside)
    assert len(rows) >= 4
    assert len(set(rows)) == 1
    assert "Later rows" in page
    assert "51 to 100" in client.get("/runs/1/table?from=50").text


def test_the_report_of_readers_runs_no_script(done: Done) -> None:
    answer = done[0].get("/runs/1/report")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "Original" not in answer.text


def test_a_query_is_answered_from_both(done: Done) -> None:
    client, _ = done
    client.post("/runs/1/query", data={"query": "SELECT COUNT(*) WHERE age < 50"})
    page = wait(client, "/runs/1/query").text
    assert "Estimate from the release" in page
    client.post("/runs/1/query", data={"query": "SELECT"})
    assert "The query did not work" in wait(client, "/runs/1/query").text


def test_audit_and_explanation(done: Done) -> None:
    client, _ = done
    client.post("/runs/1/audit")
    client.post("/runs/1/explain")
    assert "and every question is answered" in wait(client, "/runs/1/audit").text
    assert "The plan loses" in wait(client, "/runs/1/explain").text


def test_names_and_notes_are_kept(done: Done) -> None:
    client, _ = done
    client.post("/runs/1", data={"name": "May", "note": "for <Ella>"})
    assert "for &lt;Ella&gt;" in client.get("/").text
    assert "May" in client.get("/").text


def test_a_cancelled_run_can_be_removed(client: TestClient, plan: str, folder: Path) -> None:
    path = client.post(f"{plan}/run").url.path
    assert 'class="working"' in client.get(path).text
    client.post(path.replace("runs", "jobs") + "/cancel", data={"back": path})
    assert "nothing of it was kept" in wait(client, path).text
    for rest in ("release.zip", "table", "report", "plan.yaml", "audit"):
        assert client.get(f"{path}/{rest}").status_code == 404
    client.post(f"{path}/remove")
    assert client.get(path).status_code == 404
    assert not list((folder / ".shoal-studio" / "jobs").iterdir())


@pytest.mark.parametrize("query", ["class=x", "from=-1", "class=99999999999999999999", "from=x"])
def test_odd_addresses_do_no_harm(done: Done, query: str) -> None:
    assert done[0].get(f"/runs/1/table?{query}").status_code == 200
