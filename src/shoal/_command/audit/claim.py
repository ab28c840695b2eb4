"""What a manifest claims, against what was counted again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from shoal.errors import Problem
from shoal.reading.manifest import Manifest, Stated
from shoal.schema import Schema, Verdict
from shoal.schema.wording import counted
from shoal.verify.model.recount import Recount

_HOLDS: dict[bool | None, str] = {True: "holds", False: "does not hold", None: "is not known"}


def stated_by(manifest: Manifest) -> dict[tuple[str, str | None], Stated]:
    return {(claim.requirement, claim.attribute): claim for claim in manifest.verdicts}


def unlike_claims(
    manifest: Manifest, verdicts: tuple[Verdict, ...], alone: tuple[Verdict, ...] = ()
) -> Iterator[Problem]:
    """Claims that prove wrong when counted again, or that belong to no requirement.

    `alone` are the verdicts as the release alone gives them, as far as others stand in their place.
    """
    claims = stated_by(manifest)
    # A manifest states the k of the highest level, the verifier that of the highest that anybody
    # is on: which levels people are on is not public.
    required = {(v.requirement, v.attribute): v.asked for v in (*verdicts, *alone)}
    found = {(verdict.requirement, verdict.attribute): verdict for verdict in verdicts}
    for key, verdict in found.items():
        claim = claims.pop(key, None)
        where = verdict.attribute or ""
        if claim is None:
            yield Problem(f"The manifest has no verdict on {verdict.requirement}.", where)
            continue
        if verdict.holds is None:
            continue
        if claim.holds is not None and claim.holds is not verdict.holds:
            claimed = _HOLDS[claim.holds]
            yield Problem(
                f"{verdict.requirement}: the manifest claims that it {claimed}, but it "
                f"{_HOLDS[verdict.holds]}.",
                where,
            )
        for word, said, recounted in (
            ("required", claim.asked, required[key]),
            ("reached", claim.reached, verdict.reached),
            ("the largest share of a value in a bucket", claim.posterior, verdict.posterior),
        ):
            # What a manifest leaves out cannot be counted from the tables alone.
            if said is not None and recounted is not None and not _same(said, recounted):
                yield Problem(
                    f"{verdict.requirement}: the manifest claims {_words(said)}, but "
                    f"{_words(recounted)} is {word}.",
                    where,
                )
    for requirement, attribute in claims:
        yield Problem(
            f"The manifest has a verdict on {requirement}, but does not list it as a requirement.",
            attribute or "",
        )


def check_counts(
    counts: dict[str, int],
    data: pl.DataFrame,
    schema: Schema,
    recount: Recount,
    original: pl.DataFrame | None,
    n_counterfeits: int = 0,
) -> Iterator[Problem]:
    """Counts of the manifest that cannot be right."""
    rows, published = map(counts.get, ("rows", "published"))
    if published is not None and published != data.height:
        claimed = counted(published, "published row")
        yield Problem(f"The manifest claims {claimed}, but there are {data.height:,}.")
    yield from _check_sum(counts, schema)
    assigned = recount.assigned
    if original is not None and assigned is not None and assigned.counted is not None:
        repeated = original.height - len(assigned.counted)
        if counts.get("repeated", 0) != repeated:
            yield Problem(
                f"The manifest claims {counted(counts.get('repeated', 0), 'repeated row')}, but "
                f"{counted(repeated, 'row of the original repeats', 'rows of the original repeat')}"
                " another one of the same person."
            )
    most = counts.get("classes")
    if most is not None and recount.n_classes is not None and most < recount.n_classes:
        claimed = counted(most, "class", "classes")
        yield Problem(f"The manifest claims {claimed}, but there are {recount.n_classes:,}.")
    people = counts.get("people")
    if people is not None and schema.individual and schema.individual.column in data.columns:
        n_people = data[schema.individual.column].n_unique()
        if n_people > people:
            claimed = counted(people, "person", "people")
            yield Problem(f"The manifest claims {claimed}, but {n_people:,} are published.")
    n_rows = None if original is None else original.height - n_counterfeits
    if rows is not None and n_rows is not None and rows != n_rows:
        yield Problem(
            f"The original has {counted(n_rows, 'row')}, but the manifest claims {rows:,}.",
            hint="Is it the table that the release was made from?",
        )


def _check_sum(counts: dict[str, int], schema: Schema) -> Iterator[Problem]:
    """Every row is published or suppressed, or repeats another one of the same person."""
    if not {"rows", "published", "suppressed"} <= counts.keys():
        return
    rest = counts["rows"] + counts.get("counterfeits", 0)
    rest -= counts["published"] + counts["suppressed"]
    if schema.individual is None:
        if rest or counts.get("repeated"):
            yield Problem("The published and suppressed rows do not add up to the manifest's rows.")
    elif rest != counts.get("repeated", 0):
        yield Problem(
            "The published, suppressed and repeated rows do not add up to the manifest's rows."
        )


def _words(value: Any) -> str:
    """A number or several by name, for a message."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(part)}" for name, part in value.items())
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _same(claimed: Any, found: Any) -> bool:
    if isinstance(claimed, dict) and isinstance(found, dict):
        return claimed.keys() == found.keys() and all(
            _same(claimed[key], found[key]) for key in found
        )
    numbers = (int, float)
    if isinstance(claimed, bool) or isinstance(found, bool):
        return claimed is found
    if isinstance(claimed, numbers) and isinstance(found, numbers):
        return abs(claimed - found) <= 1e-9 * max(1.0, abs(claimed))
    return bool(claimed == found)
