"""Would another table have given this release? An adversary who replays the method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.inference import visible
from shoal.attack.posterior import guess, weights_of
from shoal.reading.encoding import Codes, Floats, Integers
from shoal.schema import Attribute
from shoal.schema.wording import percent
from shoal.verify.text.assignment import alike

# How many worlds the shares of a class are worth, next to those that were replayed.
_PRIOR = 10


class Minimality(Attack):
    """Minimality: which sensitive values fit what the method did?

    A method that makes classes only as coarse as their sensitive values demand thereby shows what
    these values were not. The adversary knows everybody's quasi-identifiers, the plan and the
    method, but neither the seed nor the sensitive values. They draw possible tables (worlds) in
    which the people of each class exchange values, replay the method on each, and keep the worlds
    that give the same release. The chance of a value is its share in these, together with its share
    in the class. The baseline is the class alone (inference), the control the same number of worlds
    kept at random: what drawing alone gives. `audit --plan PLAN --replay N` draws N worlds, each of
    which costs a run, so this is for small tables. Nothing is promised about it.
    """

    name: ClassVar[str] = "minimality"
    more: ClassVar[str] = " --plan PLAN --replay N"
    cite: ClassVar[papers.Citations] = (papers.cite("minimality"),)
    case: ClassVar[str] = (
        "Two people of q1 and five of q2; a method makes labels coarser only if more than half "
        "of a class have HIV. All labels are `*`, and two of seven rows show HIV. If the two "
        "people of q1 did not both have HIV, nothing would have been made coarser: so both have it."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        shown = visible(target)
        plain = target.schema.individual is None and target.second is None and not target.linked
        if target.replay is None or target.origin is None or not target.worlds or not plain:
            return
        if shown:
            worlds, kept = self._draw(target, shown)
            for attribute in shown:
                yield self._guess(target, attribute, worlds, kept)

    def _draw(
        self, target: Target, shown: list[Attribute]
    ) -> tuple[list[Integers], list[Integers]]:
        """Worlds, each as the row whose values every known row has, and those that fit."""
        assert target.replay is not None
        assert target.origin is not None
        # One draw, so that an audit says the same twice.
        draw = np.random.default_rng(0)
        names = [a.name for a in shown]
        wanted = _signature(target.data, target)
        classes = target.crowd.of_unit
        order = np.argsort(classes, kind="stable")
        worlds, kept = [], []
        for number in range(target.worlds):
            shuffled = np.lexsort((draw.random(len(classes)), classes))
            row = np.arange(target.known.height)
            # Both orders go by class first, so values only move within a class.
            row[target.origin[order]] = target.origin[shuffled]
            world = target.known.with_columns(target.known[n].gather(row) for n in names)
            worlds.append(row)
            if _signature(target.replay(world, number), target) == wanted:
                kept.append(row)
        return worlds, kept

    def _guess(
        self, target: Target, attribute: Attribute, worlds: list[Integers], kept: list[Integers]
    ) -> Gain:
        origin, classes = target.origin, target.crowd.of_unit
        assert origin is not None
        values = alike(target.known[attribute.name], attribute)
        n = int(values.max(initial=0)) + 1
        by_class = np.zeros((int(classes.max(initial=0)) + 1, n))
        np.add.at(by_class, (classes, values[origin]), 1)
        shares = (by_class / by_class.sum(axis=1, keepdims=True))[classes]
        found, alone, before = (
            guess(weights_of(_posterior(shares, values, origin, some)), values[origin])
            for some in (kept, worlds[: len(kept)], [])
        )
        totals = len(origin)
        reached = gain(
            self.name,
            attribute.name,
            found.posterior,
            Rate.of(float(found.right.sum()), totals),
            Rate.of(float(before.right.sum()), totals),
            Rate.of(float(alone.right.sum()), totals),
            origin,
        )
        note = (
            f"{len(kept)} of {len(worlds)} worlds give this release; from the class alone the "
            f"highest chance is {percent(before.posterior.max(initial=0.0))}"
        )
        return replace(reached, note=note, strangers="the same number of worlds, kept at random")


def _posterior(
    shares: Floats, values: Codes, origin: Integers, worlds: list[Integers]
) -> csr_array:
    found = _PRIOR * shares
    at = np.arange(len(origin))
    for row in worlds:
        found[at, values[row[origin]]] += 1
    return csr_array(found)


def _signature(table: pl.DataFrame, target: Target) -> list[tuple[str | None, ...]]:
    """What a release shows, whatever the order of its rows and its unchanged cells."""
    columns = [
        n
        for a in target.schema.quasi
        for n in (a.name, f"{a.name}_low", f"{a.name}_high")
        if n in table.columns
    ]
    columns += [a.name for a in target.schema.sensitive if a.name in table.columns]
    text = table.select(pl.col(columns).cast(pl.String))
    return sorted(text.rows(), key=str)
