"""An audit as a page: the verdict first, no value of the table."""

from __future__ import annotations

import re

import pytest

from shoal._command.audit.page import audit_page
from tests._command.audit.forge import Forged


@pytest.mark.parametrize(
    ("given", "word"), [((), "holds"), (("original",), "open"), (("original", "plan"), "holds")]
)
def test_the_verdict_at_a_glance(good: Forged, given: tuple[str, ...], word: str) -> None:
    page = audit_page(good.audit(*given))
    claim = re.search(r'class="claim"><span[^>]*>([^<]*)<', page)
    assert claim is not None
    assert claim[1] == word
    assert "What is outside the promise" in page
    assert ("What an adversary gains" in page) is bool(given)
    assert "zoster" not in page
    assert "<script" not in page


def test_every_attack_has_its_plot(good: Forged) -> None:
    found = good.audit("original", "plan")
    page = audit_page(found)
    for word in ("linkage", "inference", "guessing", "control", "worst person", "made-up people"):
        assert word in page
    assert page.count('<svg class="attack"') == len(found.gains)


def test_a_forged_release_is_told(release: Forged) -> None:
    release.manifest(lambda m: m.update(approved="yes"))
    page = audit_page(release.audit())
    assert "This release is not what it claims to be" in page
    assert "approved" in page
