"""Whatever no run would have written is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests._command.audit.forge import Forged, texts, write


@pytest.mark.parametrize("form", ["split", "joined", "linked"])
def test_forms_that_the_method_has_not(release: Forged, form: str) -> None:
    release.manifest(lambda m: m.update(form=form))
    assert f"makes no release of the form '{form}'" in texts(release.audit())


class TestFolder:
    """5. Whatever a run would not have written."""

    def test_a_listed_file_too_many(self, release: Forged) -> None:
        (release.folder / "names.csv").write_text("name\nx\n")
        release.manifest(lambda m: m["files"].update({"names.csv": {}})).vouch()
        assert "names.csv: The manifest lists a file that no release" in texts(release.audit())

    def test_unknown_keys(self, release: Forged) -> None:
        release.manifest(lambda m: m.update(approved_by="the authority"))
        release.manifest(lambda m: m["columns"][0].update(safe=True))
        found = texts(release.audit())
        assert "'approved_by'" in found
        assert "'columns.0.safe'" in found
        assert "authority" not in found

    @pytest.mark.parametrize("more", ["", "<script>x()</script>", "<img src=//x.org/y onload=z()>"])
    def test_another_report(self, release: Forged, more: str) -> None:
        report = release.folder / "report.html"
        report.write_text(report.read_text().replace("</body>", f"<p>Certified.</p>{more}</body>"))
        found = texts(release.vouch().audit())
        assert ("could run" if more else "not the one that follows") in found

    @pytest.mark.parametrize(
        "more",
        [
            "<svg/onload=x()>",
            '<b title=">"onclick="x()">',
            '<meta name="x" http-equiv="refresh" content="0;url=//x.org">',
            '<img srcset="//x.org/y.png">',
            '<a href="java&#115;cript:x()">y</a>',
            '<p style="background:u\\72l(//x.org)">',
            "<style>@import '//x.org/y.css';</style>",
            "<script src=x.js",
        ],
    )
    def test_what_is_active_is_refused_whoever_wrote_it(self, release: Forged, more: str) -> None:
        report = release.folder / "report.html"
        report.write_text(report.read_text().replace("</body>", f"{more}</body>"))
        release.manifest(lambda m: m.update(version="0.0.1"))
        assert "could run a program" in texts(release.vouch().audit())

    @pytest.mark.parametrize("version", [None, "0.0.1"])
    def test_text_is_not_active(self, tmp_path: Path, version: str | None) -> None:
        """Names of columns and values stand in a report, and run nothing there."""
        names = {"age": "age onset=", "ill": "javascript: url(x) <script>"}
        frame = pl.DataFrame({names["age"]: ["1", "2"] * 3, names["ill"]: list("ab one=")[:6]})
        plan = {
            "attributes": {names["age"]: "quasi", names["ill"]: "sensitive"},
            "privacy": [{"k-anonymity": {"k": 2}}],
            "method": "mondrian",
            "seed": 1,
        }
        release = write(tmp_path, plan, frame)
        assert "onset=" in (release.folder / "report.html").read_text()
        if version is not None:
            release.manifest(lambda m: m.update(version=version))
        assert texts(release.audit()) == ""

    def test_no_report(self, release: Forged) -> None:
        (release.folder / "report.html").unlink()
        release.manifest(lambda m: m["files"].pop("report.html"))
        assert "must have a report" in texts(release.audit())

    def test_a_report_of_another_version_is_open(self, release: Forged) -> None:
        release.manifest(lambda m: m.update(version="0.0.1"))
        found = release.audit()
        assert (texts(found), found.verdict) == ("", None)


def test_two_verdicts_of_one_name(release: Forged) -> None:
    """8. The first claims more."""

    def twice(manifest: dict[str, Any]) -> None:
        manifest["verdicts"].insert(0, {**manifest["verdicts"][0], "reached": 500})

    release.manifest(twice)
    assert "two different verdicts on k-anonymity" in texts(release.audit())
