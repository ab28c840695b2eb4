"""All attacks that apply to a release, given the original, a register or another release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from shoal.attack import ATTACKS
from shoal.attack.base import Gain
from shoal.attack.target import Replay, Target
from shoal.errors import DataError, Problem
from shoal.reading.encoding import Integers
from shoal.reading.manifest import Manifest
from shoal.schema import Layout, Schema
from shoal.verify import bucket_contents


@dataclass(frozen=True)
class Opened:
    """A release as attacks see it: its manifest, its tables and the attributes they show."""

    manifest: Manifest
    tables: Mapping[str, pl.DataFrame]
    schema: Schema

    def target(self, known: pl.DataFrame, person: str | None) -> Target:
        """The release with what an adversary knows; raises DataError where that is too little."""
        absent = [a.name for a in self.schema.quasi if a.name not in known.columns]
        if absent:
            text = "Attacks need every quasi-identifier of people, but the table lacks"
            raise DataError(Problem(f"{text} {name!r}.") for name in absent)
        manifest, data = self.manifest, self.tables["data"]
        own = {n: t for n, t in self.tables.items() if n.startswith("buckets-")}
        linked = manifest.form is Layout.LINKED
        return Target(
            data,
            self.schema,
            manifest.requirements,
            known,
            ranges=manifest.ranges,
            symbols=tuple(c.name for c in manifest.flagged),
            person=person,
            linked=linked,
            buckets=bucket_contents(data, self.schema, manifest.ranges, own)
            if manifest.keeps_secrets
            else {},
            second=self.tables.get("sensitive") if linked else None,
        )


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What an adversary has: the original, a register, another release, the method itself.

    `person` and `sensitivity` are columns of the original; `origin`, `replay` and `worlds` are as
    in Target. `both` are the people who are in the other release too, where that is known.
    """

    original: pl.DataFrame | None = None
    register: pl.DataFrame | None = None
    other: Opened | None = None
    person: str | None = None
    sensitivity: str | None = None
    origin: Integers | None = None
    replay: Replay | None = None
    worlds: int = 0
    both: pl.DataFrame | None = None


def find_gains(release: Opened, known: Knowledge) -> Iterator[Gain]:
    """What every attack gains for which all that it needs is given."""
    targets = {}
    original, register = known.original, known.register
    if original is not None:
        # An original without the column of people still shows what rows alone do.
        person = known.person if known.person in original.columns else None
        target = replace(
            release.target(original, person),
            outsiders=_outside(release.schema, original, register),
            sensitivity=known.sensitivity,
            origin=known.origin,
            replay=known.replay,
            worlds=known.worlds,
        )
        targets["the original"] = target
        if known.other is not None:
            targets["another release"] = _beside(release, known.other, known, person)
    if register is not None:
        targets["a register"] = release.target(register, None)
    for needs, target in targets.items():
        for attack in ATTACKS.values():
            if attack.needs == needs:
                yield from attack().run(target)


def _beside(release: Opened, other: Opened, known: Knowledge, person: str | None) -> Target:
    """The release with another one, and those who are in both, as far as that is known."""
    assert known.original is not None
    shared = known.original if known.both is None else known.both
    promised = (release.manifest.republish, other.manifest.republish)
    return replace(
        release.target(shared, person),
        other=other.target(shared, person),
        together=known.both is not None and None not in promised,
    )


def _outside(
    schema: Schema, original: pl.DataFrame, register: pl.DataFrame | None
) -> pl.DataFrame | None:
    """The people of a register of whom nobody in the original has the quasi-identifiers."""
    names = [a.name for a in schema.quasi]
    if register is None or not names or not set(names) <= set(register.columns):
        return None
    text = [pl.col(name).cast(pl.String).alias(f"key {name}") for name in names]
    there = original.select(text)
    apart = register.with_columns(text).join(
        there, on=there.columns, how="anti", nulls_equal=True, maintain_order="left"
    )
    return apart.select(register.columns)
