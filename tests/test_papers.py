"""The papers are named, and everything that a plan can name cites one."""

from __future__ import annotations

import pytest

from shoal import papers
from shoal.measure import MEASURES
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.schema.specification import Specification

EVERY = [*METHODS.values(), *MODELS.values(), *MEASURES.values()]


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
