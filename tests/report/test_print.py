"""What a browser makes of the pages: on paper, on a phone, in the dark."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shoal.report import release_report
from tests.report.sample import manifest, private_page, release

BROWSER = "chromium|google-chrome"
PROBE = """<script>addEventListener("load", () => {
  const wide = document.documentElement.scrollWidth;
  const out = [...document.querySelectorAll("figure, .tiles, .asked, p, h1, h2")].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < 0);
  document.title = `width ${wide} of ${innerWidth}, ${out.length} out`;
});</script>"""


def browse(page: Path, folder: Path, *options: str) -> str:
    program = next(filter(None, map(shutil.which, BROWSER.split("|"))))
    command = [
        program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", f"--user-data-dir={folder / 'profile'}", *options,
        page.as_uri(),
    ]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return ran.stdout


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made, _ = release()
    written = {
        "public": release_report(manifest(made), made.coded),
        "private": private_page(made),
    }
    for name, page in written.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in written}


@pytest.mark.system(BROWSER, "pdfinfo", "pdftotext", "pdftoppm")
@pytest.mark.parametrize(("name", "most"), [("public", 4), ("private", 8)])
def test_prints_on_few_sheets_of_a4(
    name: str, most: int, pages: dict[str, Path], tmp_path: Path
) -> None:
    sheet = tmp_path / "page.pdf"
    browse(pages[name], tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={sheet}")
    about = subprocess.run(["pdfinfo", sheet], capture_output=True, text=True, check=True).stdout
    n_pages = int(re.findall(r"Pages:\s+(\d+)", about)[0])
    assert 1 < n_pages <= most
    width, height = map(float, re.findall(r"Page size:\s+([\d.]+) x ([\d.]+)", about)[0])
    assert (width, height) == pytest.approx((595, 842), abs=2)
    command = ["pdftotext", "-layout", sheet, "-"]
    sheets = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")
    assert "What this does not cover" in " ".join(sheets)
    charts = [s for s in sheets if "Groups by size" in s]
    assert len(charts) == 1
    assert "people in the group" in charts[0]
    assert "How large the groups are" in charts[0]
    assert ink_in_margins(sheet, tmp_path, n_pages) == 0


def ink_in_margins(sheet: Path, folder: Path, n_pages: int) -> int:
    """Dark pixels within 8 mm of the left and right edges: what would be cut."""
    subprocess.run(["pdftoppm", "-r", "36", "-gray", sheet, folder / "sheet"], check=True)
    found, files = 0, sorted(folder.glob("sheet*.pgm"))
    assert len(files) == n_pages
    for file in files:
        head = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", file.read_bytes())
        assert head is not None
        width, height = int(head[1]), int(head[2])
        pixels = file.read_bytes()[head.end() :]
        for y in range(height):
            row = pixels[y * width : (y + 1) * width]
            found += sum(p < 200 for p in row[:11] + row[-11:])
    return found


@pytest.mark.system(BROWSER)
@pytest.mark.parametrize("name", ["public", "private"])
@pytest.mark.parametrize("width", [500, 1100])
def test_nothing_sticks_out(name: str, width: int, pages: dict[str, Path], tmp_path: Path) -> None:
    probe = tmp_path / "probe.html"
    page = pages[name].read_text(encoding="utf-8")
    probe.write_text(page.replace("</head>", PROBE + "</head>"), encoding="utf-8")
    seen = browse(probe, tmp_path, f"--window-size={width},900", "--dump-dom")
    title = re.findall(r"<title>(.*?)</title>", seen)[0]
    wide, inner, out = map(int, re.findall(r"width (\d+) of (\d+), (\d+) out", title)[0])
    assert wide <= inner
    assert out == 0
