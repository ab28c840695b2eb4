"""Whatever no run would have written is found."""

from __future__ import annotations

from typing import Any

import pytest

from tests._command.audit.forge import Forged, texts


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
