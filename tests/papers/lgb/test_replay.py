"""Why a seed is as secret as the data: whoever has it replays the run for every possible table.

The attacker knows the plan, everybody's public cells and the release, and lists every table that
fits the release: in a class any record may be anybody's, in a bucket any value may be any row's.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import polars as pl
import pytest

import shoal

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cem", "Dia", "Eva", "Fay"],
        "age": [21, 23, 34, 37, 58, 59],
        "ill": ["flu", "HIV", "flu", "cold", "cold", "HIV"],
    }
)
PLAN: dict[str, Any] = {
    "attributes": {"name": "identifier", "age": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2, "attribute": "ill"}}],
    "method": "lgb-mdp",
}


def _published(release: shoal.Release) -> dict[str, str]:
    return {name: table.write_csv() for name, table in release.tables.items()}


def _worlds(release: shoal.Release) -> Iterator[tuple[str, ...]]:
    """The illnesses of everybody, in every way that fits the release."""
    data, buckets = release.frame, release.tables["buckets-ill"]
    known = dict(PEOPLE.select("name", "age").rows())
    places = [
        [place for place in range(data.height) if data["GID"][place] == gid]
        for gid in data["GID"].unique(maintain_order=True)
    ]
    groups = []
    for members in places:
        low, high = map(int, data["age"][members[0]].strip("[]").split(", "))
        groups.append([name for name, age in known.items() if low <= age <= high])
    bids = buckets["BID"].unique(maintain_order=True).to_list()
    values = [buckets.filter(pl.col("BID") == bid)["value"].to_list() for bid in bids]
    for who in product(*(permutations(group) for group in groups)):
        owner = {
            place: name
            for members, names in zip(places, who, strict=True)
            for place, name in zip(members, names, strict=True)
        }
        for dealt in product(*(permutations(own) for own in values)):
            hand = {bid: iter(own) for bid, own in zip(bids, dealt, strict=True)}
            ill = {owner[place]: next(hand[data["ill_BID"][place]]) for place in range(data.height)}
            yield tuple(ill[name] for name in PEOPLE["name"])


def _replaying(release: shoal.Release, seed: int) -> set[tuple[str, ...]]:
    """The worlds whose run with this seed gives the release."""
    wanted, found = _published(release), set()
    worlds = set(_worlds(release))
    assert len(worlds) > 20
    assert tuple(PEOPLE["ill"]) in worlds
    for world in worlds:
        table = PEOPLE.with_columns(ill=pl.Series(world))
        if _published(shoal.run({**PLAN, "seed": seed}, table)) == wanted:
            found.add(world)
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_a_known_seed_gives_everybody_away_and_is_warned_of(seed: int) -> None:
    release = shoal.run({**PLAN, "seed": seed}, PEOPLE)
    assert _replaying(release, seed) == {tuple(PEOPLE["ill"])}
    assert "seed-in-plan" in [advice.code for advice in release.warnings]


def test_who_lacks_the_seed_has_nothing_to_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda bits: 2**bits // 3)
    release = shoal.run(PLAN, PEOPLE)
    assert release.seed == 2**128 // 3
    assert "seed-in-plan" not in [advice.code for advice in release.warnings]
    assert tuple(PEOPLE["ill"]) not in _replaying(release, seed=1), "what fits is chance"
