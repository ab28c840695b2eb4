"""What a release says about itself, apart from its tables: a function of public facts only.

Two inputs that give the same tables and the same counts of rows give the same statement, whatever
they hide.
"""

from __future__ import annotations

from typing import Any

from shoal.folder.cost import class_sizes
from shoal.folder.counted import PERSON
from shoal.folder.counted_secret import CountedSecrets, count_empty
from shoal.folder.public import Public
from shoal.reading.manifest import Stated
from shoal.report.cell import cell_shares, counted_shares
from shoal.schema import Layout, Role, Schema
from shoal.verify import Recount, audit_table


def verdicts_of(
    public: Public, schema: Schema, recounted: Recount | None = None
) -> tuple[Stated, ...]:
    """The verdict on every requirement, with what a reader of the tables can count.

    What cannot be counted was verified with the original before anything was written, unless the
    method may leave it unmet: then nothing is stated. `schema` is that of the manifest; `recounted`
    is what was counted, of a table that is not at hand.
    """
    recount = recounted or audit_table(
        public.data,
        schema,
        public.requirements,
        ranges=public.ranges,
        n_repeated=public.n_repeated,
        buckets={name: t for name, t in public.tables.items() if name.startswith("buckets-")}
        if public.layout.keeps_secrets
        else None,
        symbols=public.symbols,
        sensitive=public.tables.get("sensitive") if public.layout is Layout.LINKED else None,
        n_suppressed=public.n_suppressed,
        n_entries=public.n_entries,
    )
    return tuple(
        Stated(
            requirement=v.requirement,
            attribute=v.attribute,
            holds=v.holds if v.holds is not None else _kept(v.requirement, public),
            asked=plain(v.asked),
            reached=plain(v.reached),
            offending=len(v.offending),
            posterior=v.posterior,
        )
        for v in recount.verdicts
    )


def _kept(requirement: str, public: Public) -> bool | None:
    return None if requirement in public.may_be_unmet else True


def counts_of(public: Public) -> dict[str, int]:
    """How many rows were read and left out, and what can be counted in the tables."""
    counts = {
        "rows": public.n_rows,
        "published": public.n_published,
        "suppressed": public.n_suppressed,
        "repeated": public.n_repeated,
        "classes": int(class_sizes(public)[1].sum()),
    }
    if public.republish is not None:
        counts["counterfeits"] = public.n_counterfeits
        if public.layout.keeps_secrets:
            counts["counterfeit_entries"] = public.n_entries
    if public.declared.individual is not None:
        counts["people"] = (
            public.data[PERSON].n_unique() if public.counted is None else public.counted.n_people
        )
    if isinstance(public.counted, CountedSecrets):
        counted = public.counted
        counts |= {"empty": counted.n_empty, "empty_rows": counted.n_empty_rows}
    elif public.layout.keeps_secrets:
        n_empty, n_empty_rows = count_empty(public.data, public.declared)
        counts |= {"empty": n_empty, "empty_rows": n_empty_rows}
    return counts


def cells_by_attribute(public: Public) -> dict[str, dict[str, float]]:
    """Of each quasi-identifier the share of published cells that are original, generalised, hidden.

    The plan tells which labels of a hierarchy are values.
    """
    found = {}
    for attribute in public.schema.quasi:
        spec = attribute.hierarchy
        leaves = {row[0] for row in spec.rows} if spec is not None and spec.rows else None
        kind, form = str(attribute.kind or ""), "" if spec is None else spec.form
        withheld = attribute.role is Role.SEMI_SENSITIVE
        shares = (
            cell_shares(public.data, attribute.name, kind, form, leaves, withheld=withheld)
            if public.counted is None
            else counted_shares(
                public.counted.labels[attribute.name],
                kind,
                form,
                leaves,
                withheld=withheld,
                n_rows=public.counted.n_rows,
            )
        )
        if shares:
            found[attribute.name] = shares
    return found


def singled_out(public: Public) -> float:
    """The share of published rows that the columns published as they were single out together."""
    sensitive = (Role.SENSITIVE,) if public.layout is Layout.PLAIN else ()
    names = [
        a.name
        for a in public.declared.of(Role.INSENSITIVE, *sensitive)
        if a.name not in public.symbols
    ]
    if not names or not public.n_published:
        return 0.0
    if public.counted is not None:
        return public.counted.alone / public.n_published
    return int(public.data.select(names).is_unique().sum()) / public.data.height


def plain(value: Any) -> Any:
    """A value as JSON knows it; entries without one are left out."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None}
    return value.item() if hasattr(value, "item") else value
