"""Claims of a manifest against what was counted."""

from __future__ import annotations

from typing import Any

import pytest

from shoal._command.audit.claim import stated_by, unlike_claims
from shoal.reading.manifest import Manifest
from shoal.schema import Verdict

K = "k-anonymity {k: 3}"


def manifest(**claim: Any) -> Manifest:
    verdict = {"requirement": K, "holds": True, "asked": 3, "reached": 4, **claim}
    requirements = [{"model": "k-anonymity", "parameters": {"k": 3}}]
    return Manifest.model_validate(
        {"ranges": "tight", "columns": [], "requirements": requirements, "verdicts": [verdict]}
    )


COUNTED = Verdict(K, True, 3, 4)


def told(claim: Manifest, counted: Verdict = COUNTED) -> str:
    return "\n".join(map(str, unlike_claims(claim, (counted,))))


def test_a_true_claim_is_passed_over() -> None:
    assert told(manifest()) == ""
    assert stated_by(manifest())[K, None].reached == 4


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ({"reached": 500}, "claims 500, but 4 is reached"),
        ({"asked": 5}, "claims 5, but 3 is required"),
        ({"holds": False}, "claims that it does not hold, but it holds"),
        ({"requirement": "k-anonymity {k: 9}"}, "does not list it as a requirement"),
    ],
)
def test_false_claims_are_told(claim: dict[str, Any], text: str) -> None:
    assert text in told(manifest(**claim))


def test_nothing_is_told_of_what_is_open() -> None:
    assert told(manifest(reached=500), Verdict(K, None, 3, None)) == ""
