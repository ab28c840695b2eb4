from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.reading.manifest import Manifest
from shoal.report.caveat import caveats
from shoal.report.finding import Finding, findings_of
from shoal.report.wording import MEASURES, sentence
from tests.report.sample import by_hand, manifest, release


def titles(manifest: Manifest) -> str:
    return " | ".join(c.title for c in caveats(manifest, findings_of(manifest)))


def asked(model: str, **parameters: Any) -> dict[str, Any]:
    text = f"{model} {{{', '.join(f'{k}: {v}' for k, v in parameters.items())}}}"
    verdict = {"requirement": text, "holds": True, "attribute": parameters.get("attribute")}
    return {"requirements": [{"model": model, "parameters": parameters}], "verdicts": [verdict]}


def test_a_secret_that_nothing_was_asked_of_is_named() -> None:
    columns = {"a": "quasi", "ill": "sensitive"}
    assert "a whole group shares" in titles(by_hand(columns, **asked("k-anonymity", k=3)))
    guarded = asked("t-closeness", t=0.2, attribute="ill")
    assert "a whole group shares" not in titles(by_hand(columns, **guarded))


def test_limits_follow_the_form_of_the_table() -> None:
    made, _ = release()
    stated = manifest(made)
    dumped = stated.model_dump()["columns"]
    assert "Ends of ranges are real" in titles(stated)
    assert "Ends of ranges are real" not in titles(manifest(made, ranges="snapped"))
    assert "Columns that were left as they were" in titles(stated)
    assert "Likely guesses" in titles(stated)
    assert "Rows that were left out" not in titles(stated)
    assert "Rows that were left out" in titles(manifest(made, counts={"suppressed": 1}))
    people = [{"name": "Id_num", "role": "person"}, *dumped]
    assert "One row is taken" in titles(stated)
    assert "One row is taken" not in titles(manifest(made, columns=people))


def test_limits_that_no_release_escapes() -> None:
    found = titles(by_hand())
    for limit in ("already knows", "Several releases", "know the method"):
        assert limit in found


@pytest.mark.parametrize("name", sorted(m["name"] for m in shoal.models()))
def test_every_model_has_a_sentence_of_its_own(name: str) -> None:
    assert "What the model" not in sentence(Finding(name, {}, True))


def test_every_measure_has_a_title() -> None:
    assert {m["name"] for m in shoal.measures()} <= set(MEASURES)
