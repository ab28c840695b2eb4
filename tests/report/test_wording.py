from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.reading.manifest import Manifest
from shoal.report.caveat import caveats
from shoal.report.finding import Finding, findings_of
from shoal.report.gauge import Gauge, gauges
from shoal.report.histogram import histogram
from shoal.report.scale import round_ticks
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


def test_gauges_know_which_side_is_good() -> None:
    finding = Finding("alpha-k", {}, True, {"alpha": 0.5, "k": 4}, {"alpha": 0.25, "k": 6})
    found = {g.name: g.margin for g in gauges(finding)}
    assert found == {"alpha": "0.25 below the limit", "k": "2 more than asked"}
    assert Gauge("t", 0.2, 0.3, True).margin == "0.1 above the limit"
    assert Gauge("k", 5, 5, False).margin == "exactly as asked"
    assert Gauge("t", 0, 0, True).mark == 0


def test_what_is_no_number_has_no_gauge() -> None:
    levels = {"thresholds": [[0.8, 0.2]], "levels": [[6, 1]]}
    assert gauges(Finding("multi-level-k", {}, True, levels, {})) == []
    assert gauges(Finding("k-anonymity", {}, None, None, None)) == []


def test_bars_stay_in_their_box_and_keep_their_proportions() -> None:
    chart = histogram("n", "s", list("abc"), [1, 0, 4], list("abc"), second=[2.0, 8.0, 0.0])
    assert [b.height for b in chart.bars] == pytest.approx([11.5, 0, 46])
    assert max(b.second or 0 for b in chart.bars) <= 100
    assert all(b.x >= 0 and b.x + b.width <= 100 for b in chart.bars)
    assert max(t.at for t in chart.ticks) <= 100


def test_labels_are_few_and_the_last_is_shown() -> None:
    labels = [str(n) for n in range(50)]
    chart = histogram("n", "s", labels, [1] * 50, labels)
    shown = [b.label for b in chart.bars if b.label]
    assert len(shown) <= 7
    assert (shown[0], shown[-1]) == ("0", "49")


def test_ticks_are_round() -> None:
    assert round_ticks(0.07) == [0.02, 0.04, 0.06]
    assert round_ticks(1) == [0.5, 1]
