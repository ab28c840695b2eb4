"""What there is to choose from, all and one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import shoal
from tests.cli.place import Place

FAMILIES = {"methods": shoal.methods, "models": shoal.models, "measures": shoal.measures}


@pytest.mark.parametrize(("family", "registry"), FAMILIES.items())
def test_every_one_is_listed_and_told_in_detail(
    place: Place, family: str, registry: Callable[[], list[dict[str, Any]]]
) -> None:
    known = registry()
    listed = place.run(family)
    assert listed.code == 0
    found = place.run(family, "--json").data[family]
    assert [one["name"] for one in found] == [one["name"] for one in known]
    for one in known:
        assert f"\n{one['name']} " in listed.out
        told = place.run(family, one["name"])
        assert told.code == 0
        assert told.out.startswith(f"{one['name']}\n")
        words = " ".join(told.out.split())
        assert one["summary"] in words
        assert one["references"]
        assert all(reference in words for reference in one["references"])
        for name, parameter in one["parameters"].items():
            assert f"\n{name} " in told.out
            assert not parameter["required"] or "required" in words
        details = place.run(family, one["name"], "--json").data
        assert details["text"].startswith(one["summary"])
        assert ">>>" not in details["text"]


def test_a_name_that_is_not_there_is_wrong_input(place: Place) -> None:
    outcome = place.run("models", "l-diversty")
    assert outcome.code == 2
    assert "Did you mean 'l-diversity'?" in outcome.words
    assert place.run("measures", "zzz", "--json").data["error"] == "UsageError"
