"""`shoal suggest`: a table, a page, and a plan that is edited in its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shoal.plan import Plan
from tests.cli.place import SECRET, Place
from tests.report.document import Document

PLAN = """\
# A plan with a comment
source: people.csv
attributes:
  name: identifier
  age:  {role: quasi, kind: numeric, hierarchy: {width: 5, levels: 2}}   # years
  town: {role: quasi, hierarchy: flat}
  f: sensitivity
privacy:
  - k-anonymity: {k: 1}   # at least nothing
method: mondrian   # for now
seed: 7
"""


@pytest.fixture
def levels(place: Place) -> Place:
    rows = [
        f"{SECRET}{i},{20 + i % 13},{SECRET}-{'uv'[i % 2]},{(i * 7) % 80 / 80}" for i in range(80)
    ]
    place.write("people.csv", "\n".join(["name,age,town,f", *rows, ""]))
    place.write("plan.yaml", PLAN)
    return place


def test_every_candidate_is_listed_and_one_recommended(levels: Place) -> None:
    before = levels.look()
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Loss: ILR = ISR + IGR" in outcome.out
    assert "all: 4 (80)" in outcome.out
    assert ">=0.5: 4 (40)" in outcome.out
    assert "<0.5: 1 (40)" in outcome.out
    assert "<=0.5" not in outcome.out
    assert "glm" in outcome.out
    assert any(line.split()[:1] == ["mondrian"] for line in outcome.out.splitlines())
    assert "✓ Recommended: number" in outcome.out
    assert "published unchanged, perhaps alone" in outcome.out
    assert "The plan is unchanged" in outcome.out
    assert SECRET not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert levels.look() == before


def test_the_document_says_the_same(levels: Place) -> None:
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4", "--all-schemes", "--json")
    found = outcome.data
    rows = found["suggestions"]
    assert {row["scheme"] for row in rows} == {"sd-mks3wd", "se-mks3wd", "ece-mks3wd"}
    assert found["baseline"]["people"] == [{"k": 4, "people": 80}]
    assert found["written"] is None
    best = next(row for row in rows if row["number"] == found["recommended"])
    assert best["holds"]
    assert best["ilr"] == pytest.approx(best["isr"] + best["igr"])
    assert sum(entry["people"] for entry in best["people"]) == 80
    own = levels.run("suggest", "plan.yaml", "--json").data["suggestions"]
    assert {row["scheme"] for row in own} == {"ece-mks3wd"}


def test_the_recommended_one_is_written_and_nothing_else_changes(levels: Place) -> None:
    path = levels.folder / "plan.yaml"
    path.chmod(0o640)
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4", "--write")
    assert outcome.code == 0
    assert "method: mondrian is now ece-mks3wd" in outcome.out
    lines = path.read_text().splitlines()
    assert [line for line in PLAN.splitlines() if line not in lines] == [
        "method: mondrian   # for now"
    ]
    assert "method: ece-mks3wd   # for now" in lines
    assert len(lines) == len(PLAN.splitlines()) + 3
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(entry.name for entry in levels.folder.iterdir()) == ["people.csv", "plan.yaml"]
    assert levels.run("run", "plan.yaml").code == 0


def test_who_asks_for_nothing_still_gets_what_stays(levels: Place) -> None:
    levels.write("plan.yaml", PLAN.replace("{k: 1}", "{k: 3}"))
    said = " ".join(levels.run("suggest", "plan.yaml", "--highest", "4").out.split())
    assert "ask for 1, but get at least 3, since the plan requires that" in said
    assert "published as they are" not in said


def test_what_speaks_against_the_recommended_one_is_said(levels: Place) -> None:
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4")
    found = levels.run("suggest", "plan.yaml", "--highest", "4", "--json").data
    best = next(row for row in found["suggestions"] if row["number"] == found["recommended"])
    assert found["beaten_by_plain"] is (best["glm"] > found["plain"]["glm"])
    assert ("loses less glm" in " ".join(outcome.out.split())) is found["beaten_by_plain"]
    rows = [f"{SECRET}{i},{20 + i % 13},{SECRET}-u,{i % 40 / 100}" for i in range(80)]
    levels.write("people.csv", "\n".join(["name,age,town,f", *rows, ""]))
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4")
    found = levels.run("suggest", "plan.yaml", "--highest", "4", "--json").data
    assert found["passed_over"]
    said = " ".join(outcome.out.split())
    assert "more than half of the people ask for k = 1, which hides nobody" in said
    assert "which loses least" not in said


def test_another_one_is_written_by_its_number(levels: Place) -> None:
    rows = levels.run("suggest", "plan.yaml", "--highest", "4", "--json").data["suggestions"]
    for arguments in (("--write", "2", "plan.yaml"), ("plan.yaml", "--write=2")):
        levels.write("plan.yaml", "\ufeff" + PLAN)
        outcome = levels.run("suggest", "--highest", "4", *arguments)
        assert "Number 2 is in plan.yaml" in outcome.out
        content = (levels.folder / "plan.yaml").read_bytes()
        assert content.startswith(b"\xef\xbb\xbf#")
        model = Plan.load(levels.folder / "plan.yaml").models[-1]
        assert model.parameters()["thresholds"] == rows[1]["thresholds"]
    before = levels.look()
    outcome = levels.run("suggest", "plan.yaml", "--highest", "4", "--write", "99")
    assert outcome.code == 2
    assert "The number must be from 1 to" in outcome.words
    assert levels.look() == before


def test_a_link_to_a_plan_stays_a_link(levels: Place) -> None:
    (levels.folder / "link.yaml").symlink_to("plan.yaml")
    assert levels.run("suggest", "link.yaml", "--highest", "2", "--write").code == 0
    assert (levels.folder / "link.yaml").is_symlink()
    assert "multi-level-k" in (levels.folder / "plan.yaml").read_text()


def test_a_failed_rename_leaves_the_plan_and_no_remains(
    levels: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError(28, os.strerror(28))

    before = levels.look()
    monkeypatch.setattr(Path, "replace", fail)
    outcome = levels.run("suggest", "plan.yaml", "--highest", "2", "--write")
    assert outcome.code == 3
    assert levels.look() == before


def test_the_page_stands_by_itself(levels: Place) -> None:
    outcome = levels.run(
        "suggest", "plan.yaml", "--highest", "4", "--all-schemes", "--plot", "out/levels.html"
    )
    assert "The page is in out/levels.html" in outcome.out
    page = (levels.folder / "out" / "levels.html").read_text()
    document = Document(page)
    assert document.faults == []
    assert not document.of("script")
    assert "http" not in page
    pictures = [a for a in document.of("svg") if a.get("role") == "img"]
    assert len(pictures) == 3
    assert sum(a.get("class") == "ring" for a in document.of("circle")) == 1
    rows = levels.run("suggest", "plan.yaml", "--highest", "4", "--all-schemes", "--json").data
    dots = [a for a in document.of("circle") if "r" in a and a["r"] == "4" and "%" in str(a["cx"])]
    assert len(dots) == len(rows["suggestions"])
    assert SECRET not in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--highest", "1"), "at least 2"),
        (("--highest", "81"), "got 81 for 80 rows"),
        (("--share", "2"), "between 0 and 1"),
        (("--plot", "plan.yaml"), "end in '.html'"),
    ],
)
def test_what_cannot_be_asked_is_said(
    levels: Place, arguments: tuple[str, ...], words: str
) -> None:
    before = levels.look()
    outcome = levels.run("suggest", "plan.yaml", *arguments)
    assert outcome.code in (1, 2)
    assert words in outcome.words
    assert levels.look() == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("f: sensitivity", "f: insensitive", "'role: sensitivity'"),
        ("hierarchy: flat", "kind: categorical", "'town' has none"),
        ("source: people.csv\n", "", "--data DATA"),
    ],
)
def test_plans_that_lack_something_are_told_so(
    levels: Place, old: str, new: str, words: str
) -> None:
    levels.write("plan.yaml", PLAN.replace(old, new))
    outcome = levels.run("suggest", "plan.yaml", "--write")
    assert outcome.code == 2
    assert words in outcome.words


def test_data_may_be_named_instead_of_a_source(levels: Place) -> None:
    levels.write("plan.yaml", PLAN.replace("source: people.csv\n", ""))
    outcome = levels.run("suggest", "plan.yaml", "--highest", "2", "--data", "people.csv", "-q")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
