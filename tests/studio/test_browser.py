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
from tests.studio.adult import PLANS, write_adult

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
def adult(tmp_path_factory: pytest.TempPathFactory, data_folder: Path) -> Path:
    folder = tmp_path_factory.mktemp("adult")
    write_adult(folder, data_folder)
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
    # Uploads have plain names, so that hierarchies are next to the tables here.
    plan = (demo / f"{system}.yaml").read_text(encoding="utf-8").replace("hierarchies/", "")
    (tmp_path / f"{system}.yaml").write_text(plan, encoding="utf-8")
    go_the_whole_way(studio, [demo / name for name in TABLES], tmp_path / f"{system}.yaml")


@pytest.mark.data
@pytest.mark.parametrize("system", PLANS)
def test_the_same_with_adult(studio: Studio, adult: Path, system: str) -> None:
    tables = [adult / "adult.csv", adult / "race.csv"]
    go_the_whole_way(studio, tables, adult / f"{system}.yaml")


def go_the_whole_way(studio: Studio, tables: list[Path], plan: Path) -> None:
    """Upload tables and a plan, run it, download the release, and make it again without a page."""
    page = studio.page
    for table in tables:
        if not (studio.folder / table.name).exists():
            studio.upload(table)
            assert (studio.folder / table.name).read_bytes() == table.read_bytes()
    studio.upload(plan)
    page.get_by_role("button", name=f"Open {plan.name}").click()
    page.wait_for_selector("text=The plan fits together")
    studio.run(plan.stem)
    assert page.locator(".held .verdict.yes").count() >= 1
    assert page.locator(".held .verdict.no").count() == 0
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the release").click()
    with zipfile.ZipFile(saved.value.path()) as packed:
        names = set(packed.namelist())
        assert {"data.csv", "manifest.json", "report.html"} <= names
        published = {name: packed.read(name) for name in names if name.endswith(".csv")}
    with page.expect_download() as saved:
        page.get_by_role("link", name="Plan of this run").click()
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    (studio.folder / f"again-{plan.name}").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "shoal", "run", f"again-{plan.name}", "--quiet"]
    subprocess.run(command, cwd=studio.folder, check=True, timeout=240)
    again = studio.folder / re.findall(r"output: (\S+)/", text)[0]
    for name, content in published.items():
        assert content == (again / name).read_bytes(), name
    assert studio.said == []


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


def plan_text(studio: Studio, number: int) -> str:
    return str(studio.page.request.get(f"{studio.base}/plans/{number}/plan.yaml").text())


def copied(studio: Studio, number: int) -> int:
    """The number of a copy of a plan, for tests that change it."""
    studio.page.goto(f"{studio.base}/plans/{number}/text")
    studio.page.get_by_role("button", name="Copy").click()
    return int(re.findall(r"/plans/(\d+)/", studio.page.url)[0])


def test_a_tree_is_edited_term_by_term(studio: Studio) -> None:
    page = studio.page
    number = copied(studio, 1)
    page.goto(f"{studio.base}/plans/{number}/hierarchies")
    page.get_by_role("link", name="ward", exact=True).click()
    page.get_by_role("button", name="Edit as a tree").click()
    page.get_by_label("surgery").check()
    page.get_by_label("obstetrics").check()
    page.fill("#t-name", "theatre")
    page.get_by_role("button", name="Put below it").click()
    page.wait_for_selector("#levels >> text=theatre")
    kept = re.sub(r"\s+", " ", plan_text(studio, number))
    assert re.search(r"theatre: \[(surgery, obstetrics|obstetrics, surgery)\]", kept)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Export as an ARX file").click()
    assert "surgery;theatre;" in Path(saved.value.path()).read_text(encoding="utf-8")
    assert studio.said == []


def test_an_arx_file_is_imported_next_to_its_column(studio: Studio, tmp_path: Path) -> None:
    page = studio.page
    number = copied(studio, 1)
    (tmp_path / "two-sexes.csv").write_text("female;*\nmale;*\n", encoding="utf-8")
    page.goto(f"{studio.base}/plans/{number}/hierarchies")
    page.get_by_role("link", name="sex", exact=True).click()
    page.get_by_text("Import an ARX file").click()
    page.set_input_files("#file", tmp_path / "two-sexes.csv")
    with page.expect_navigation():
        page.get_by_role("button", name="Import").click()
    page.wait_for_selector("#levels >> text=Level 2")
    assert "two-sexes.csv" in plan_text(studio, number)
    assert studio.said == []


def test_a_threshold_is_dragged_while_the_counts_follow(studio: Studio) -> None:
    page = studio.page
    number = copied(studio, 1)
    page.goto(f"{studio.base}/plans/{number}/personal")
    page.wait_for_selector("#asked")
    before, box = page.inner_text("#asked"), page.locator("#a-0").bounding_box()
    assert box is not None
    thumb = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") * 1.2
    way = box["width"] - thumb
    x, y = box["x"] + thumb / 2 + 0.8 * way, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    # Beyond the lower threshold of its level, where it has to stop.
    page.mouse.move(x - 0.75 * way, y, steps=8)
    page.wait_for_function(
        "before => document.querySelector('#asked').innerText !== before", arg=before
    )
    assert "[0.8, 0.2]" in plan_text(studio, number)
    page.mouse.up()
    page.wait_for_function("() => document.querySelector('#a-0').value === '0.6'")
    page.wait_for_timeout(500)
    assert "[0.6, 0.2], [0.6, 0.4]" in plan_text(studio, number)
    assert studio.said == []


def test_a_value_is_flagged_by_one_click(studio: Studio) -> None:
    page = studio.page
    number = copied(studio, 5)
    page.goto(f"{studio.base}/plans/{number}/personal")
    row = page.locator("tr", has=page.get_by_text("hernia", exact=True))
    row.locator(".pill.high").click()
    page.wait_for_function("() => document.querySelector('.pill.high input:checked') !== null")
    page.reload()
    assert row.locator("input:checked").get_attribute("value") == "high"
    assert "hernia" in plan_text(studio, number)
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
    page.wait_for_selector("text=nothing of it was kept", timeout=LONG)
    assert studio.said == []


def test_a_second_browser_sees_nothing(studio: Studio) -> None:
    with studio.browser.new_context() as other:
        page = other.new_page()
        for path in ("/", "/runs/1", "/plans/1/data", "/api/runs"):
            answer = page.goto(f"{studio.base}{path}")
            assert answer is not None
            assert answer.status == 403
            assert "patients" not in page.content()


def test_two_windows_change_one_plan(studio: Studio) -> None:
    page = studio.page
    number = copied(studio, 1)
    page.goto(f"{studio.base}/plans/{number}/text")
    other = studio.context.new_page()
    other.goto(f"{studio.base}/plans/{number}/requirements")
    other.select_option("#method", "mondrian")
    other.wait_for_selector("text=LeFevre")
    other.close()
    page.get_by_role("button", name="Keep").click()
    page.wait_for_selector("text=changed in the meantime")
    assert "method: mondrian" in plan_text(studio, number)
    studio.said.clear()


def test_a_page_says_that_its_studio_was_ended(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "short"
    write_demo(folder, 100, 7)
    brief = Studio(folder, browser)
    page = brief.page
    page.get_by_role("button", name="Open patients-personal.yaml").click()
    page.wait_for_selector("text=The plan fits together")
    brief.server.terminate()
    brief.server.communicate(timeout=30)
    page.wait_for_selector("text=The studio does not answer", timeout=LONG)
    brief.context.close()


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
    "flags": "/plans/5/personal", "tree": "{tree}", "fits": "/plans/1/methods",
    "text": "/plans/1/text", "results": "{run}",
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
        ("audit", "Audit this release", "and every question is answered"),
        ("explain", "Explain the costs", "The plan loses"),
    ):
        page.goto(f"{studio.base}{run}/{part}")
        page.get_by_role("button", name=button).click()
        page.wait_for_selector(f"text={shown}", timeout=LONG)
    page.goto(f"{studio.base}/plans/1/personal")
    page.get_by_role("button", name="Suggest thresholds").click()
    page.wait_for_selector("text=Take it into the plan", timeout=LONG)
    page.goto(f"{studio.base}/plans/1/requirements")
    page.wait_for_selector("text=It can be met with this table", timeout=LONG)
    return run


@pytest.fixture(scope="module")
def tree(studio: Studio) -> str:
    """The address of a tree that can be edited."""
    number = copied(studio, 1)
    studio.page.goto(f"{studio.base}/plans/{number}/hierarchies")
    studio.page.get_by_role("link", name="ward", exact=True).click()
    studio.page.get_by_role("button", name="Edit as a tree").click()
    studio.page.wait_for_selector("text=Edit the tree")
    return str(studio.page.url).removeprefix(studio.base)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_legible(
    studio: Studio, finished: str, tree: str, name: str, look: str, tmp_path: Path
) -> None:
    pictures = Path(os.environ.get("SHOAL_PICTURES") or tmp_path)
    pictures.mkdir(parents=True, exist_ok=True)
    # axe must be put into the page, which the policy forbids to everybody else.
    with studio.browser.new_context(**LOOKS[look], bypass_csp=True) as context:
        context.add_cookies(studio.context.cookies())
        page = context.new_page()
        page.goto(studio.base + PAGES[name].format(run=finished, tree=tree))
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
