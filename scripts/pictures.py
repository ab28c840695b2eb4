"""Take the pictures of the README and of docs/studio.md again, in a real browser.

python scripts/pictures.py

The report is that of the README's two commands, on the demo's table. The studio's pages are those
that its browser tests look at; docs/studio.md says which of them it shows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from shoal._command.demo import write_demo

PROJECT = Path(__file__).parents[1]
IMAGES = PROJECT / "docs" / "images"
# The headline and the requirements, but not half of the chart below them.
VIEW = {"width": 1000, "height": 930}


def picture_report(folder: Path) -> None:
    """Publish the demo's patients as a newcomer would, and take the report's first screen."""
    write_demo(folder / "hospital")
    for words in (["init", "patients.csv"], ["run", "plan.yaml"]):
        command = [sys.executable, "-m", "shoal", *words, "--quiet"]
        subprocess.run(command, cwd=folder / "hospital", check=True)
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=VIEW)  # type: ignore[arg-type]
        page.goto((folder / "hospital" / "release-patients" / "report.html").as_uri())
        page.screenshot(path=IMAGES / "report.png")
        browser.close()


def picture_studio(folder: Path) -> None:
    """Take the pages of the studio that the docs show from those that the tests took."""
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "system", "tests/studio/test_browser.py"],
        cwd=PROJECT,
        env=os.environ | {"SHOAL_PICTURES": str(folder)},
        check=True,
    )
    text = (PROJECT / "docs" / "studio.md").read_text(encoding="utf-8")
    for name in re.findall(r"\(images/studio-(\w+)\.png\)", text):
        shutil.copyfile(folder / f"{name}-light.png", IMAGES / f"studio-{name}.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        picture_report(Path(place))
        picture_studio(Path(place))
