"""The studio in a real browser: the whole way for each system, and what every page looks like.

Pictures go to the folder that `SHOAL_PICTURES` names, else to that of the test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal._command.demo import write_demo

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: make test-all")
axe = pytest.importorskip("axe_playwright_python.base", reason="needs axe-playwright-python")

BROWSER = "chromium|google-chrome"
pytestmark = pytest.mark.system(BROWSER)
PEOPLE = 400
SYSTEMS = ["patients-personal", "patients-secret", "diagnoses-people", "patients-graph",
           "patients-flags"]  # fmt: skip
TABLES = ["patients.csv", "diagnoses.csv", "hierarchies/diagnosis.csv", "hierarchies/ward.csv"]
LONG = 240_000
DESK = {"width": 1280, "height": 800}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": DESK},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "tablet": {"viewport": {"width": 820, "height": 1180}},
}


class Studio:
    """A server and a browser that has opened its link."""

    def __init__(self, folder: Path, browser: Any) -> None:
        command = [sys.executable, "-m", "shoal", "studio", str(folder), "--no-browser"]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        link = next(
            found[0]
            for line in self.server.stdout
            if (found := re.search(r"http://\S+", line)) is not None
        )
        self.browser, self.folder, self.base = browser, folder, link.split("/?")[0]
        self.context = browser.new_context(viewport=DESK)
        self.context.set_default_timeout(30_000)
        self.said: list[str] = []
        self.page = self.context.new_page()
        self.page.on("console", lambda m: self.said.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(link)

    def close(self) -> None:
        self.context.close()
        self.server.terminate()
        self.server.communicate(timeout=30)

    def upload(self, path: Path) -> None:
        self.page.goto(f"{self.base}/")
        self.page.set_input_files("#file", path)
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Upload", exact=True).click()

    def run(self, name: str) -> str:
        """Run the plan whose requirements are open, and wait for the results."""
        self.page.fill("#name", name)
        self.page.get_by_role("button", name="Run", exact=True).click()
        self.page.wait_for_selector("text=Download the release", timeout=LONG)
        return str(self.page.url)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, BROWSER.split("|"))))
    with sync_api.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "hospital"
    write_demo(folder, PEOPLE, 7)
    return folder


@pytest.fixture(scope="module")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio") / "st-anne"
    folder.mkdir()
    made = Studio(folder, browser)
    yield made
    made.close()


@pytest.mark.parametrize("system", SYSTEMS)
def test_from_upload_to_download(studio: Studio, demo: Path, tmp_path: Path, system: str) -> None:
    page = studio.page
    # Uploads have plain names, so that hierarchies are next to the tables here.
    for name in (
        "patients.csv",
        "diagnoses.csv",
        "hierarchies/diagnosis.csv",
        "hierarchies/ward.csv",
    ):
        if not (studio.folder / Path(name).name).exists():
            studio.upload(demo / name)
            assert (studio.folder / Path(name).name).read_bytes() == (demo / name).read_bytes()
    plan = (demo / f"{system}.yaml").read_text(encoding="utf-8").replace("hierarchies/", "")
    (tmp_path / f"{system}.yaml").write_text(plan, encoding="utf-8")
    studio.upload(tmp_path / f"{system}.yaml")
    page.get_by_role("button", name=f"Open {system}.yaml").click()
    page.wait_for_selector("text=The plan fits together")
    studio.run(system)
    assert page.locator(".held .verdict.yes").count() >= 1
    assert page.locator(".held .verdict.no").count() == 0
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the release").click()
    with zipfile.ZipFile(saved.value.path()) as packed:
        names = set(packed.namelist())
    assert {"data.csv", "manifest.json", "report.html"} <= names
    with page.expect_download() as saved:
        page.get_by_role("link", name="Plan of this run").click()
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    (studio.folder / f"again-{system}.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "shoal", "run", f"again-{system}.yaml", "--quiet"]
    subprocess.run(command, cwd=studio.folder, check=True, timeout=240)
    again = studio.folder / re.findall(r"output: (\S+)/", text)[0]
    with zipfile.ZipFile(studio.folder / next(iter(archives(studio)))) as packed:
        for name in names:
            if name.endswith(".csv"):
                assert packed.read(name) == (again / name).read_bytes(), name
    assert studio.said == []


def archives(studio: Studio) -> list[Path]:
    """The archives in the studio's own folder, the latest first."""
    found = studio.folder.glob(".shoal-studio/jobs/*/release.zip")
    return sorted(found, key=lambda path: -int(path.parent.name))


def test_a_role_is_changed_by_one_click(studio: Studio) -> None:
    page = studio.page
    page.goto(f"{studio.base}/files/patients.csv")
    page.get_by_role("button", name="Begin a plan with these roles").click(timeout=LONG)
    card = page.locator(".card", has=page.get_by_role("heading", name="insurance", exact=True))
    card.locator(".pill", has_text="insensitive").click()
    page.wait_for_function(
        "() => document.querySelector('input[value=insensitive]:checked') !== null"
    )
    page.reload()
    assert card.locator("input:checked").get_attribute("value") == "insensitive"
    assert studio.said == []


def test_levels_follow_the_form_while_it_is_filled(studio: Studio) -> None:
    page = studio.page
    page.goto(f"{studio.base}/plans/1/hierarchies")
    page.get_by_role("link", name="age", exact=True).click()
    page.fill("#h-width", "25")
    page.wait_for_selector("#levels >> text=[25, 50[")
    assert "width: 5" in page.request.get(f"{studio.base}/plans/1/plan.yaml").text()
    page.get_by_role("button", name="Keep in the plan").click()
    page.wait_for_selector("#levels >> text=[25, 50[")
    assert "width: 25" in page.request.get(f"{studio.base}/plans/1/plan.yaml").text()
    assert studio.said == []


def test_a_threshold_is_moved_by_the_keyboard(studio: Studio) -> None:
    page = studio.page
    page.goto(f"{studio.base}/plans/1/personal")
    before = page.inner_text("#asked")
    page.focus("#a-0")
    page.keyboard.press("PageDown")
    page.wait_for_function(
        "before => document.querySelector('#asked').innerText !== before", arg=before
    )
    assert page.evaluate("document.activeElement.id") == "a-0"
    assert studio.said == []


def test_a_run_is_cancelled_while_the_page_stays_live(studio: Studio) -> None:
    page = studio.page
    page.goto(f"{studio.base}/plans/1/requirements")
    page.fill("#name", "Not this one")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("text=nothing of it is left", timeout=LONG)
    assert studio.said == []


def test_a_second_browser_sees_nothing(studio: Studio) -> None:
    with studio.browser.new_context() as other:
        page = other.new_page()
        for path in ("/", "/runs/1", "/plans/1/data", "/api/runs"):
            answer = page.goto(f"{studio.base}{path}")
            assert answer is not None
            assert answer.status == 403
            assert "patients" not in page.content()


def test_a_foreign_page_can_neither_read_nor_write(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "evil.html").write_text("<p>evil</p>", encoding="utf-8")
    page = studio.context.new_page()
    page.goto((tmp_path / "evil.html").as_uri())
    ask = """address => fetch(address, {method: 'POST', mode: 'no-cors', credentials: 'include',
             body: 'file=patients-graph.yaml',
             headers: {'Content-Type': 'application/x-www-form-urlencoded'}})
             .then(answer => answer.status, () => -1)"""
    before = len(studio.page.request.get(f"{studio.base}/api/plans").json())
    assert page.evaluate(ask, f"{studio.base}/plans") in (0, -1)
    assert len(studio.page.request.get(f"{studio.base}/api/plans").json()) == before
    page.close()


PAGES = {
    "start": "/", "table": "/files/patients.csv", "data": "/plans/1/data",
    "hierarchies": "/plans/1/hierarchies/3", "requirements": "/plans/1/requirements",
    "personal": "/plans/1/personal", "secret": "/plans/2/personal", "people": "/plans/3/personal",
    "flags": "/plans/5/personal", "text": "/plans/1/text", "results": "{run}",
    "rows": "{run}/table", "query": "{run}/query", "audit": "{run}/audit",
    "explain": "{run}/explain", "compare": "/compare", "api": "/api", "nothing": "/nowhere",
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(studio: Studio) -> str:
    """The address of the first run, with an audit, an explanation, a query and a rehearsal."""
    page = studio.page
    runs = page.request.get(f"{studio.base}/api/runs").json()
    run = f"/runs/{min(one['id'] for one in runs if one['state'] == 'done')}"
    page.goto(f"{studio.base}{run}/query")
    page.fill("#query", "SELECT COUNT(*) WHERE age BETWEEN 30 AND 49 GROUP BY sex")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector("text=Estimate from the release", timeout=LONG)
    for part, button, shown in (
        ("audit", "Audit this release", "Nothing speaks against"),
        ("explain", "Explain what costs", "The plan loses"),
    ):
        page.goto(f"{studio.base}{run}/{part}")
        page.get_by_role("button", name=button).click()
        page.wait_for_selector(f"text={shown}", timeout=LONG)
    page.goto(f"{studio.base}/plans/1/personal")
    page.get_by_role("button", name="Suggest thresholds").click()
    page.wait_for_selector("text=Take it into the plan", timeout=LONG)
    page.goto(f"{studio.base}/plans/1/requirements")
    page.get_by_role("button", name="Try it on a sample").click()
    page.wait_for_selector("text=It can be met with this table", timeout=LONG)
    return run


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_legible(
    studio: Studio, finished: str, name: str, look: str, tmp_path: Path
) -> None:
    pictures = Path(os.environ.get("SHOAL_PICTURES") or tmp_path)
    pictures.mkdir(parents=True, exist_ok=True)
    # axe must be put into the page, which the policy forbids to everybody else.
    with studio.browser.new_context(**LOOKS[look], bypass_csp=True) as context:
        context.add_cookies(studio.context.cookies())
        page = context.new_page()
        page.goto(studio.base + PAGES[name].format(run=finished))
        page.wait_for_selector(".working", state="detached", timeout=LONG)
        page.screenshot(path=pictures / f"{name}-{look}.png")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        page.evaluate(axe.AXE_FILE_PATH.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run()")["violations"]
    assert [
        (one["id"], one["nodes"][0]["html"])
        for one in found
        if one["impact"] in ("serious", "critical")
    ] == []
