"""All attacks that apply to a release, given the original or a register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from shoal.attack import ATTACKS, Gain, Target
from shoal.errors import DataError, Problem
from shoal.reading.manifest import Manifest
from shoal.schema import Layout, Schema


def find_gains(
    manifest: Manifest,
    tables: Mapping[str, pl.DataFrame],
    schema: Schema,
    original: pl.DataFrame | None,
    register: pl.DataFrame | None,
    person: str | None,
) -> Iterator[Gain]:
    """What every attack gains for which all that it needs is given."""
    for needs, known in (("the original", original), ("a register", register)):
        if known is None:
            continue
        absent = [a.name for a in schema.quasi if a.name not in known.columns]
        if absent:
            text = f"{needs.capitalize()} must have every quasi-identifier, but it lacks"
            raise DataError(Problem(f"{text} {name!r}.") for name in absent)
        target = Target(
            tables["data"],
            schema,
            manifest.requirements,
            known,
            inside=needs == "the original",
            ranges=manifest.ranges,
            symbols=tuple(c.name for c in manifest.flagged),
            person=person,
            linked=manifest.form is Layout.LINKED,
        )
        for attack in ATTACKS.values():
            if attack.needs == needs:
                yield from attack().run(target)
