"""Is a written release what it claims to be? Everything is read and counted again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError, Problem
from shoal.reading.folder import read_buckets, read_data
from shoal.reading.manifest import MANIFEST, Manifest, Stated
from shoal.report.snippet import snippet, verdict_snippet
from shoal.schema import Layout, Schema, Verdict
from shoal.source import read
from shoal.table.form import settle_forms
from shoal.verify import audit_table, verify_manifest
from shoal.verify.release.audit import Recount, leave_open

_HOLDS: dict[bool | None, str] = {True: "holds", False: "does not hold", None: "is not known"}
_UNREAD = "not checkable: the published table cannot be read"


@dataclass(frozen=True)
class Claim:
    """One requirement: what the manifest claims, and what was counted again.

    `holds` is None if it is not checkable, and `note` says why; `recounted` is None if counting
    again gave no number.
    """

    requirement: str
    attribute: str | None
    holds: bool | None
    asked: Any
    claimed: Any
    recounted: Any
    note: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found in a release folder.

    `findings` are breaches of its integrity, `verdicts` the requirements counted again (`holds` is
    None if that needs the original), `unlike` the claims of the manifest that proved wrong, `notes`
    what the audit takes on trust.
    """

    folder: Path
    manifest: Manifest
    findings: tuple[Problem, ...]
    verdicts: tuple[Verdict, ...]
    unlike: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing was found against the release; what is not checkable does not count."""
        broken = any(verdict.holds is False for verdict in self.verdicts)
        return not (self.findings or self.unlike or broken)

    def __repr__(self) -> str:
        found = "nothing against it" if self.holds else "findings"
        return f"<Audit of {self.folder}: {found}, {len(self.verdicts)} requirements>"

    def _repr_html_(self) -> str:
        title = f"Audit: {'nothing found against the release' if self.holds else 'findings'}"
        problems = [(p.where, p.text) for p in (*self.findings, *self.unlike)]
        found = snippet("Findings", ("Where", "What"), problems) if problems else ""
        return verdict_snippet(title, self.verdicts) + found

    @property
    def complete(self) -> bool:
        """Whether every requirement could be counted again."""
        return all(verdict.holds is not None for verdict in self.verdicts)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every requirement with its claim and what was recounted."""
        claimed = _stated(self.manifest)
        nothing = Stated(requirement="")
        return tuple(
            Claim(
                v.requirement,
                v.attribute,
                v.holds,
                v.asked,
                claimed.get((v.requirement, v.attribute), nothing).reached,
                v.reached,
                v.note,
            )
            for v in self.verdicts
        )


def audit(folder: str | Path, original: Any = None) -> Audit:
    """Read a release folder again: check its integrity and recount what it claims.

    From the release alone the sizes of classes can be counted, and the sensitive values that are
    published as they were. With the `original` table they are counted after every published row has
    been matched to a row of it with the same unchanged values. Raises DataError if there is no
    manifest, or none that this version can read.
    """
    if not isinstance(folder, str | Path):
        raise DataError("The folder of a release must be a path.")
    place = Path(folder)
    manifest = Manifest.read(place)
    schema = manifest.as_schema()
    source = None if original is None else read(original, base=Path.cwd())
    if source is not None:
        source, _ = settle_forms(source, schema)
    findings = verify_manifest(place)
    if any(problem.where == MANIFEST for problem in findings):
        raise DataError(problem for problem in findings if problem.where == MANIFEST)
    data = read_data(place, manifest)
    if data is None:
        findings = findings or [Problem("The folder has no table of data.")]
        recount = Recount(leave_open(schema, manifest.requirements, _UNREAD))
        unlike = list(_unlike(manifest, recount.verdicts))
    else:
        n_repeated = manifest.counts.get("repeated", 0) if schema.individual else 0
        recount = audit_table(
            data,
            schema,
            manifest.requirements,
            source,
            manifest.ranges,
            n_repeated,
            read_buckets(place, manifest, schema) if manifest.keeps_secrets else None,
            [column.name for column in manifest.columns if column.symbols is not None],
            read_data(place, manifest, "sensitive") if manifest.form is Layout.LINKED else None,
            manifest.counts.get("suppressed"),
        )
        unlike = [
            *_unlike(manifest, recount.verdicts),
            *_check_counts(manifest.counts, data, schema, recount, source),
        ]
    problems = (*findings, *recount.problems)
    return Audit(place, manifest, problems, recount.verdicts, tuple(unlike), _notes(source))


def _stated(manifest: Manifest) -> dict[tuple[str, str | None], Stated]:
    return {(claim.requirement, claim.attribute): claim for claim in manifest.verdicts}


def _unlike(manifest: Manifest, verdicts: tuple[Verdict, ...]) -> Iterator[Problem]:
    """Claims that prove wrong when counted again, or that belong to no requirement."""
    claims = _stated(manifest)
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
        for word, said, counted in (
            ("required", claim.asked, verdict.asked),
            ("reached", claim.reached, verdict.reached),
            ("the largest share of a value in a bucket", claim.posterior, verdict.posterior),
        ):
            # What a manifest leaves out cannot be counted from the tables alone.
            if said is not None and counted is not None and not _same(said, counted):
                yield Problem(
                    f"{verdict.requirement}: the manifest claims {_words(said)}, but "
                    f"{_words(counted)} is {word}.",
                    where,
                )
    for requirement, attribute in claims:
        yield Problem(
            f"The manifest has a verdict on {requirement}, but does not list it as a requirement.",
            attribute or "",
        )


def _check_counts(
    counts: dict[str, int],
    data: pl.DataFrame,
    schema: Schema,
    recount: Recount,
    original: pl.DataFrame | None,
) -> Iterator[Problem]:
    """Counts of the manifest that cannot be right."""
    rows, published, suppressed = map(counts.get, ("rows", "published", "suppressed"))
    if published is not None and published != data.height:
        yield Problem(
            f"The manifest claims {published} published rows, but there are {data.height}."
        )
    yield from _check_sum(counts, schema)
    if suppressed is not None and recount.n_unseen is not None and recount.n_unseen > suppressed:
        yield Problem(
            f"{recount.n_unseen} different rows of the original have unchanged values that no "
            f"published row has, but the manifest claims {suppressed} suppressed rows."
        )
    most = counts.get("classes")
    if most is not None and recount.n_classes is not None and most < recount.n_classes:
        yield Problem(f"The manifest claims {most} classes, but there are {recount.n_classes}.")
    people = counts.get("people")
    if people is not None and schema.individual and schema.individual.column in data.columns:
        n_people = data[schema.individual.column].n_unique()
        if n_people > people:
            yield Problem(f"The manifest claims {people} people, but {n_people} are published.")
    if original is not None and rows is not None and rows != original.height:
        yield Problem(
            f"The original has {original.height} rows, but the manifest claims {rows}.",
            hint="Is it the table that the release was made from?",
        )


def _check_sum(counts: dict[str, int], schema: Schema) -> Iterator[Problem]:
    """Every row is published or suppressed, or repeats another one of the same person."""
    if not {"rows", "published", "suppressed"} <= counts.keys():
        return
    rest = counts["rows"] - counts["published"] - counts["suppressed"]
    if schema.individual is None:
        if rest or counts.get("repeated"):
            yield Problem("The published and suppressed rows of the manifest are not all its rows.")
    elif rest != counts.get("repeated", 0):
        yield Problem(
            "The published, suppressed and repeated rows of the manifest are not all its rows."
        )


def _notes(original: pl.DataFrame | None) -> tuple[str, ...]:
    """What an audit takes on trust."""
    trusted = (
        "The manifest says which columns describe people, which are secret, and what is required; "
        "whoever can change every file of a release can change that too.",
        "Losses are not measured again: that needs the plan.",
    )
    if original is None:
        return trusted
    return (
        *trusted,
        "A published row is matched to the original by its unchanged values; only the publisher "
        "knows which row it was made from.",
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
