"""The papers are named, and everything that a plan can name cites one."""

from __future__ import annotations

import os
import pkgutil
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shoal import papers
from shoal.attack import ATTACKS
from shoal.measure import MEASURES
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.schema.specification import Specification

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EVERY = [*METHODS.values(), *MODELS.values(), *MEASURES.values(), *ATTACKS.values()]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_everything_that_a_plan_names_cites_a_paper(kind: type[Specification]) -> None:
    assert kind.cite
    for citation, reference in zip(kind.cite, kind.describe()["references"], strict=True):
        assert papers.PAPERS[citation.paper.key] is citation.paper
        assert citation.paper.title in reference
        assert str(citation.paper.year) in reference


def test_every_paper_is_cited() -> None:
    cited = {citation.paper.key for kind in EVERY for citation in kind.cite}
    assert cited == set(papers.PAPERS)


def test_the_five_systems_come_first() -> None:
    assert [paper.key for paper in papers.SYSTEMS] == ["mks3wd", "lgb", "identity", "graph", "mhsa"]
    assert list(papers.PAPERS.values())[:5] == list(papers.SYSTEMS)


# docs/papers: what of each paper is implemented, and by what.

NUMBERED = {
    "mks3wd": {"Definition": 13, "Equation": 21, "Algorithm": 3, "Theorem": 1, "Example": 5},
    "lgb": {"Definition": 16, "Lemma": 2, "Corollary": 3, "Algorithm": 4, "Proposition": 2},
    "identity": {"Definition": 16, "Equation": 19, "Algorithm": 7, "Theorem": 2},
    "graph": {"Definition": 6, "Equation": 5},
    "mhsa": {"Definition": 9, "Equation": 4, "Algorithm": 3},
}
KEYS = list(NUMBERED)
# Sections, tables and figures are listed where something in them is run that has no number.
UNNUMBERED = re.compile("Section|Table|Figure|Corollary$|Experiment$")


def items_of(key: str) -> dict[str, list[str]]:
    path = DOCS / "papers" / f"{key}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", KEYS)
def test_as_many_items_are_listed_as_the_paper_numbers(key: str) -> None:
    kinds = Counter(item.split()[0] for item in items_of(key) if not UNNUMBERED.match(item))
    assert kinds == NUMBERED[key]


@pytest.mark.parametrize("key", KEYS)
def test_every_paper_has_its_worked_example(key: str) -> None:
    examples = [item for item in items_of(key) if re.match("Example|Table|Figure", item)]
    assert any(f"[{key}.md]({key}.md)" in items_of(key)[item][2] for item in examples)


@pytest.mark.parametrize("key", KEYS)
def test_every_symbol_can_be_imported_and_every_gap_has_a_reason(key: str) -> None:
    for item, (what, symbols, reach) in items_of(key).items():
        assert what, item
        assert reach, item
        for symbol in symbols.split():
            assert pkgutil.resolve_name(symbol) is not None


@pytest.mark.parametrize("key", KEYS)
def test_every_name_of_a_plan_or_measure_that_is_told_is_there(key: str) -> None:
    for item, (_, _, reach) in items_of(key).items():
        assert set(re.findall(r'measures\["([^"]+)"\]', reach)) <= set(MEASURES), item
        assert set(re.findall(r"`method: \{?([a-z0-9-]+)", reach)) <= set(METHODS), item
        for models in re.findall(r"`privacy: \[([^\]]+)\]", reach):
            assert set(models.split(", ")) <= set(MODELS), item


@pytest.mark.parametrize("key", KEYS)
def test_nothing_that_the_paper_numbers_is_missing(key: str) -> None:
    text = _seed(key)
    printed = {
        f"{kind} {number}"
        for kind, number in re.findall(
            r"^[#* ]*(Definition|Lemma|Theorem|Corollary|Proposition|Algorithm|Example) ?"
            r"(\d+(?:\.\d+)?)(?![\d.]*\d)",
            text,
            re.M,
        )
    }
    tags = re.findall(r"\\tag\{(\d+)\}|\\quad \((\d+)\)|^\((\d+)\)$", text, re.M)
    printed |= {f"Equation {number}" for found in tags for number in found if number}
    assert printed <= set(items_of(key)), "docs/papers lacks these"
    assert len(printed) == sum(NUMBERED[key].values())


@pytest.mark.parametrize("key", KEYS)
def test_references_are_as_the_paper_prints_them(key: str) -> None:
    paper, text = papers.PAPERS[key], " ".join(_seed(key).split())
    assert paper.title in text
    for author in paper.authors:
        surname, given = author.split(", ")
        assert f"{given} {surname}" in text or f"{surname}. {given.rstrip('.')}" in text
    assert str(paper.year) in text
    assert paper.doi in text
    if key in ("mks3wd", "lgb", "graph"):
        assert paper.venue in text


def _seed(key: str) -> str:
    folder = Path(os.environ.get("SHOAL_PAPERS", ROOT.parent / "shared" / "seeds"))
    found = sorted(folder.glob(f"{KEYS.index(key):03}_*.txt"))
    if not found:
        pytest.skip("the texts of the papers are not here; SHOAL_PAPERS names their folder")
    return found[0].read_text(encoding="utf-8")


def test_readme_and_citation_name_the_five() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cited = YAML(typ="safe").load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for paper, found in zip(papers.SYSTEMS, cited["references"], strict=True):
        assert paper.reference in readme
        authors = tuple(f"{a['family-names']}, {a['given-names']}" for a in found["authors"])
        assert (found["title"], authors, found["year"]) == (paper.title, paper.authors, paper.year)
        assert (found.get("journal", ""), found.get("doi", "")) == (paper.venue, paper.doi)
