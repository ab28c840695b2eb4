"""What an audit found: one finding of any kind speaks against a release."""

from __future__ import annotations

from dataclasses import replace

import pytest

import shoal
from shoal._command.audit import Audit, Inspection
from shoal.errors import Problem
from tests._command.audit.forge import Forged


@pytest.fixture(scope="module")
def found(good: Forged) -> Audit:
    return shoal.audit(good.folder)


def test_an_honest_release_has_nothing_against_it(found: Audit) -> None:
    assert found.holds
    assert found.verdict is (True if found.complete else None)
    assert "nothing against it" in repr(found)
    assert "nothing found against the release" in found._repr_html_()


@pytest.mark.parametrize("field", ["findings", "unlike"])
def test_one_problem_is_enough(found: Audit, field: str) -> None:
    bad = replace(found, **{field: (Problem("<b>A digest differs.", "data.csv"),)})
    assert (bad.holds, bad.verdict) == (False, False)
    assert "&lt;b&gt;A digest differs." in bad._repr_html_()
    assert "findings" in repr(bad)


@pytest.mark.parametrize(("holds", "verdict"), [(True, True), (None, None), (False, False)])
def test_a_check_counts_like_a_requirement(
    found: Audit, holds: bool | None, verdict: bool | None
) -> None:
    one = Inspection("cells", "Cells are true", holds)
    asked = replace(found, checks=(one,), verdicts=())
    assert asked.verdict is verdict
    assert asked.asked == [one]


def test_every_requirement_has_its_claim(found: Audit) -> None:
    assert [(c.requirement, c.attribute) for c in found.claims] == [
        (v.requirement, v.attribute) for v in found.verdicts
    ]
    assert all(c.claimed == c.recounted for c in found.claims if c.recounted is not None)
