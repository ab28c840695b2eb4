"""Does the manifest say what follows from the tables? All that it states is stated again.

A manifest is a function of the published tables, the public part of the plan and the counts of rows
that were read and left out. So what it states besides them is made again, as the report is, and
compared: counts, shares, losses, verdicts and columns. Without the plan only some of the losses can
be computed: what a label of a hierarchy loses depends on the whole hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from shoal._run.publish import may_be_unmet
from shoal.errors import Problem
from shoal.folder.cost import cost_of
from shoal.folder.manifest import state
from shoal.folder.public import Public
from shoal.folder.statement import cells_by_attribute, counts_of, singled_out, verdicts_of
from shoal.method import Display
from shoal.plan import Plan
from shoal.reading.manifest import MANIFEST, Manifest, Stated
from shoal.schema import Schema
from shoal.version import __version__

_OF_SIZES = ("dm", "avg-class", "suppression", "privacy-loss")
_NEEDED = ("rows", "published", "suppressed", "repeated", "classes")
PublishedTables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Told(Public):
    """What is public by the manifest alone, which says of kinds and symbols what a plan decided."""

    told: Manifest

    @cached_property
    def schema(self) -> Schema:
        return self.declared

    @cached_property
    def symbols(self) -> Mapping[str, str]:
        return {c.name: c.symbols for c in self.told.columns if c.symbols is not None}


def check_statement(
    manifest: Manifest, tables: PublishedTables, plan: Plan | None
) -> list[Problem]:
    """What the manifest states besides the tables, but does not follow from them.

    With the plan that is all but the time and the digest of the plan. What another version states
    is only required to be there.
    """
    needed = (*_NEEDED, *(("people",) if manifest.counts_people else ()))
    absent = [name for name in needed if name not in manifest.counts]
    if absent:
        return [Problem(f"The manifest does not say: counts.{name}.", MANIFEST) for name in absent]
    if manifest.version != __version__:
        return []
    try:
        found = _alone(manifest, tables) if plan is None else _planned(manifest, tables, plan)
        places = list(dict.fromkeys(found))
    except Exception as error:  # A forged manifest may not fit the tables in any way.
        text = f"No statement follows from the manifest and the tables ({type(error).__name__})."
        return [Problem(text, MANIFEST)]
    if not places:
        return []
    text = "What the manifest states does not follow from the tables"
    return [Problem(f"{text}: {', '.join(places)}.", MANIFEST)]


def _public(manifest: Manifest, tables: PublishedTables, declared: Schema) -> dict[str, Any]:
    counts = manifest.counts
    return {
        "tables": tables,
        "declared": declared,
        "requirements": manifest.requirements,
        "method": manifest.method,
        "ranges": manifest.ranges,
        "layout": manifest.form,
        "n_rows": counts["rows"],
        "n_suppressed": counts["suppressed"],
        "n_repeated": counts["repeated"],
        "n_counterfeits": counts.get("counterfeits", 0),
        "n_entries": counts.get("counterfeit_entries", 0),
        "republish": manifest.republish,
    }


def state_again(manifest: Manifest, tables: PublishedTables, plan: Plan) -> Manifest:
    """What a run of the plan states besides these tables, given the manifest's counts of rows."""
    schema = plan.shown_schema
    declared = schema.without_hierarchies() if plan.method.sheds_hierarchies else schema
    given = _public(manifest, tables, declared) | {
        "requirements": plan.requirements,
        "method": plan.method.name,
        "ranges": plan.ranges,
        "layout": plan.method.layout,
        "display": plan.method.display,
        "may_be_unmet": may_be_unmet(plan),
        "republish": plan.republish,
    }
    return state(Public(**given))


def _planned(manifest: Manifest, tables: PublishedTables, plan: Plan) -> Iterator[str]:
    again = state_again(manifest, tables, plan)
    for name in ("method", "ranges", "form", "individual", "conflict", "republish", "columns"):
        if getattr(manifest, name) != getattr(again, name):
            yield name
    yield from _differ("counts", manifest.counts, again.counts)
    yield from _differ("measures", manifest.measures, again.measures)
    yield from _differ("loss_by_attribute", manifest.loss_by_attribute, again.loss_by_attribute)
    yield from _differ("cells_by_attribute", manifest.cells_by_attribute, again.cells_by_attribute)
    yield from _differ("singled_out", manifest.singled_out, again.singled_out)
    yield from _verdicts(manifest.verdicts, again.verdicts, known=True)


def _alone(manifest: Manifest, tables: PublishedTables) -> Iterator[str]:
    schema = manifest.as_schema()
    given = _public(manifest, tables, schema)
    told = _Told(**given, display=Display(), may_be_unmet=frozenset(), told=manifest)
    yield from _differ("counts", manifest.counts, counts_of(told))
    yield from _differ("singled_out", manifest.singled_out, singled_out(told))
    known = [c.name for c in manifest.quasi if c.hierarchy is None and c.loss_over == "published"]
    cells, said = cells_by_attribute(told), manifest.cells_by_attribute
    for name in known:
        yield from _differ(f"cells_by_attribute.{name}", said.get(name, {}), cells.get(name, {}))
    bare = tuple(replace(a, hierarchy=None) for a in schema.attributes)
    plain = replace(told, declared=replace(schema, attributes=bare))
    cost = cost_of(plain)
    yield from _of_keys("loss_by_attribute", manifest.loss_by_attribute, cost.by_attribute, known)
    whole = len(known) == len(manifest.quasi) and not manifest.flagged
    measured = tuple(cost.measures) if whole else _OF_SIZES
    yield from _of_keys("measures", manifest.measures, cost.measures, measured)
    if manifest.measures.keys() != cost.measures.keys():
        yield "measures"
    yield from _verdicts(manifest.verdicts, verdicts_of(told, schema))


def _of_keys(
    place: str, said: Mapping[str, Any], again: Mapping[str, Any], keys: Any
) -> Iterator[str]:
    one, other = ({k: d[k] for k in keys if k in d} for d in (said, again))
    yield from _differ(place, one, other)


def _verdicts(
    said: tuple[Stated, ...], again: tuple[Stated, ...], *, known: bool = False
) -> Iterator[str]:
    """What is left out of a verdict, or added; numbers that differ are reported with the claims.

    `known`: the plan says what the method may leave unmet, so nothing need be stated of it.
    """
    if [(s.requirement, s.attribute) for s in said] != [
        (s.requirement, s.attribute) for s in again
    ]:
        yield "verdicts"
        return
    for i, (one, other) in enumerate(zip(said, again, strict=True)):
        if one.offending != other.offending:
            yield f"verdicts.{i}.offending"
        for name in ("asked", "reached", "posterior"):
            if (getattr(one, name) is None) != (getattr(other, name) is None):
                yield f"verdicts.{i}.{name}"
        countable = known or other.reached is not None
        if one.holds is None and other.holds is not None and countable:
            yield f"verdicts.{i}.holds"


def _differ(place: str, said: Any, again: Any) -> Iterator[str]:
    if isinstance(said, Mapping) and isinstance(again, Mapping):
        for key in sorted({*said, *again}):
            if key not in said or key not in again:
                yield f"{place}.{key}"
            else:
                yield from _differ(f"{place}.{key}", said[key], again[key])
    elif abs(said - again) > 1e-9 * max(1.0, abs(again)):
        yield place
