"""Is a written release what it claims to be? Everything is read and counted again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.audit.again import OTHERWISE, made_again
from shoal._command.audit.claim import check_counts, unlike_claims
from shoal._command.audit.integrity import OTHER_VERSION, check_folder, check_report
from shoal._command.audit.known import Known
from shoal._command.audit.order import check_order
from shoal._command.audit.outcome import Audit, Inspection
from shoal._command.audit.proof import Proof, compare_plan, prove_by_map, prove_by_plan
from shoal._command.audit.statement import check_statement
from shoal._run import run
from shoal.attack import Gain
from shoal.attack.suite import Knowledge, Opened, find_gains
from shoal.errors import DataError, InfeasibleError, Problem, VerificationError
from shoal.plan import AnyPlan, Plan
from shoal.reading.folder import read_buckets, read_data
from shoal.reading.manifest import MANIFEST, Manifest
from shoal.schema import Layout, Schema, Verdict
from shoal.source import AnyTable, read
from shoal.table.form import settle_forms
from shoal.verify import audit_table, verify_manifest
from shoal.verify.model.recount import Recount, leave_open
from shoal.version import __version__

LEFT_OUT = "only the private folder (--private) says which rows the run left out"
_UNREAD = "not checkable: the published table cannot be read"


def audit(
    folder: str | Path,
    original: AnyTable | None = None,
    *,
    plan: AnyPlan | None = None,
    private: str | Path | None = None,
    register: AnyTable | None = None,
    beside: str | Path | None = None,
    replay: int = 0,
) -> Audit:
    """Read a release folder again: check its integrity and recount what it claims.

    From the release alone the sizes of classes can be counted, and the sensitive values that are
    published unchanged. With the `original` table there must be an assignment of its rows to the
    published ones in which every label covers and every unchanged cell agrees. The `plan` adds what
    labels of a hierarchy cover, the `private` folder of the run which row is whose, so that nothing
    is left open; both need the original. With the original or a `register` of people, attacks are
    measured; with the original, also those on this release together with another one of the same
    people (`beside`). `replay` is the number of worlds in which an adversary replays the method: it
    needs the plan, and each costs a run. Raises DataError if there is no manifest, or none that
    this version can read.
    """
    if not isinstance(folder, str | Path):
        raise DataError("The folder of a release must be a path.")
    if original is None:
        _require_original({"--plan": plan, "--private": private, "--with": beside})
    if replay and plan is None:
        raise DataError("Replaying the method needs the plan.", hint="Give the plan as well.")
    place = Path(folder)
    manifest = Manifest.read(place)
    findings = verify_manifest(place)
    if any(problem.where == MANIFEST for problem in findings):
        raise DataError(problem for problem in findings if problem.where == MANIFEST)
    findings += check_folder(place, manifest)
    with_ = Known.of(manifest, original, plan, private, read_data(place, manifest, "data"))
    tables = _read_tables(place, manifest, with_.schema)
    if "data" not in tables:
        findings = findings or [Problem("The folder has no table of data.")]
        recount = Recount(leave_open(with_.schema, manifest.requirements, _UNREAD))
        unlike = list(unlike_claims(manifest, recount.verdicts))
        return Audit(place, manifest, tuple(findings), recount.verdicts, tuple(unlike), ())
    same_report, wrong = check_report(place, manifest, tables)
    recount = _recount(manifest, tables, with_)
    proof = _prove(place, manifest, tables, with_, recount)
    verdicts = _merge(recount.verdicts, proof.verdicts)
    unlike = [
        *unlike_claims(manifest, verdicts, recount.verdicts),
        *check_counts(
            manifest.counts,
            tables["data"],
            with_.schema,
            recount,
            with_.original,
            with_.n_counterfeits,
        ),
    ]
    opened = Opened(manifest, tables, with_.seen)
    stated = check_statement(manifest, tables, with_.plan)
    # Another version may order rows in another way.
    if manifest.version == __version__:
        stated += check_order(tables, manifest)
    problems = dict.fromkeys([*findings, *wrong, *recount.problems, *proof.problems, *stated])
    return Audit(
        place,
        manifest,
        tuple(problems),
        verdicts,
        tuple(unlike),
        tuple(_notes(manifest, with_, replay, register is not None)),
        tuple(_checks(manifest, tables["data"], with_, recount, proof, same_report)),
        tuple(_gains(opened, with_, recount, register, beside, replay)),
    )


def _require_original(given: Mapping[str, object]) -> None:
    """Raise DataError if something is given that is of use only with the original."""
    names = [name for name, one in given.items() if one is not None]
    if names:
        need = "needs" if len(names) == 1 else "need"
        raise DataError(
            f"{' and '.join(names)} {need} --original: the table that this release was made from.",
            hint="Add --original DATA; in Python, the parameter 'original'.",
        )


def _gains(
    release: Opened,
    with_: Known,
    recount: Recount,
    register: Any,
    beside: str | Path | None,
    worlds: int,
) -> Iterator[Gain]:
    """What attacks gain; of a release that is not what it says nothing is measured."""
    if recount.n_classes is None or recount.problems:
        return
    people = None if register is None else read(register, base=Path.cwd())
    if people is not None:
        people, _ = settle_forms(people, with_.schema)
    known = Knowledge(
        with_.people,
        people,
        None if beside is None else _open(Path(beside)),
        with_.person,
        with_.sensitivity,
        None if recount.assigned is None else recount.assigned.rows,
        None if with_.plan is None else partial(_replay, with_.plan),
        worlds,
        None if beside is None else with_.in_both(Path(beside)),
    )
    yield from find_gains(release, known)


def _replay(plan: Plan, world: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The release that the plan makes of another table; empty where it makes none."""
    try:
        return run(replace(plan, seed=seed, output=None, output_database=None), world).frame
    except (InfeasibleError, VerificationError):
        return world.clear()


def _open(place: Path) -> Opened:
    """Another release, as its manifest describes it; raises DataError where it has no table."""
    manifest = Manifest.read(place)
    schema = manifest.as_schema()
    tables = _read_tables(place, manifest, schema)
    if "data" not in tables:
        raise DataError(f"The published table in {place} cannot be read.")
    return Opened(manifest, tables, schema)


def _read_tables(place: Path, manifest: Manifest, schema: Schema) -> dict[str, pl.DataFrame]:
    """All published tables that can be read, by name."""
    names = ("data", "sensitive") if manifest.form is Layout.LINKED else ("data",)
    found = {name: read_data(place, manifest, name) for name in names}
    tables = {name: table for name, table in found.items() if table is not None}
    return tables | (read_buckets(place, manifest, schema) if manifest.keeps_secrets else {})


def _recount(manifest: Manifest, tables: Mapping[str, pl.DataFrame], with_: Known) -> Recount:
    buckets = {name: table for name, table in tables.items() if name.startswith("buckets-")}
    return audit_table(
        tables["data"],
        with_.schema,
        manifest.requirements,
        with_.original,
        manifest.ranges,
        manifest.counts.get("repeated", 0) if with_.schema.individual else 0,
        buckets if manifest.keeps_secrets else None,
        [column.name for column in manifest.columns if column.symbols is not None],
        tables.get("sensitive") if manifest.form is Layout.LINKED else None,
        manifest.counts.get("suppressed"),
        with_.person,
        # With the private folder, counterfeits stand at the end of the original.
        0 if with_.own is not None else manifest.counts.get("counterfeits", 0),
        n_entries=manifest.counts.get("counterfeit_entries", 0),
    )


def _prove(
    place: Path,
    manifest: Manifest,
    tables: Mapping[str, pl.DataFrame],
    with_: Known,
    recount: Recount,
) -> Proof:
    """What the verifier says, given the private folder or the plan."""
    if with_.original is None:
        return Proof(None)
    if with_.own is not None and with_.private is not None:
        found = prove_by_map(with_.own, (with_.private, place), manifest, tables, with_.original)
        if with_.plan is None or with_.full is None:
            return found
        # Whether the run of the private folder was one of this plan, only the plan says.
        wrong = compare_plan(with_.plan, with_.full, manifest)
        return replace(found, problems=(*found.problems, *wrong))
    if with_.plan is None or with_.full is None or recount.assigned is None:
        return Proof(None)
    return prove_by_plan(with_.plan, with_.full, manifest, tables, with_.original, recount.assigned)


def _merge(
    recounted: tuple[Verdict, ...], proved: tuple[Verdict, ...] | None
) -> tuple[Verdict, ...]:
    """The verdicts, those of the verifier in place of the recounted ones where there are some."""
    known = {(v.requirement, v.attribute): v for v in proved or ()}
    return tuple(known.get((v.requirement, v.attribute), v) for v in recounted)


def _checks(
    manifest: Manifest,
    data: pl.DataFrame,
    with_: Known,
    recount: Recount,
    proof: Proof,
    same_report: bool | None,
) -> Iterator[Inspection]:
    """What is asked besides the requirements: the report and, given the original, every cell."""
    note = OTHER_VERSION if same_report is None else ""
    yield Inspection(
        "report", "The report follows from the manifest and the tables", same_report, note
    )
    assigned = recount.assigned
    if with_.original is None or assigned is None:
        return
    holds, note = assigned.holds, "; ".join(assigned.doubts)
    if with_.own is not None:
        holds, note = not (proof.problems or assigned.problems), ""
    elif proof.problems:
        holds = False
    yield Inspection(
        "cells", "Every published row comes from the original, and its cells are true", holds, note
    )
    if proof.together is not None:
        text = "Everybody is hidden among the same sensitive values in all versions"
        yield Inspection("versions", text, proof.together)
    n_left = manifest.counts.get("suppressed", 0)
    if n_left:
        left: bool | None = None if with_.own is None else holds
        note = "" if left is not None else LEFT_OUT
        if with_.own is None and with_.plan is not None and holds is not False:
            same = made_again(with_.plan, manifest, data, with_.original)
            left, note = (True, "") if same else (None, OTHERWISE)
        text = (
            "The row of the original that is left out is the one that the run left out"
            if n_left == 1
            else f"The {n_left:,} rows of the original that are left out are those that the run "
            "left out"
        )
        yield Inspection("left out", text, left, note)


def _notes(manifest: Manifest, with_: Known, worlds: int, has_register: bool) -> Iterator[str]:
    """What an audit takes on trust: what nobody can find with what it was given."""
    if with_.own is None and with_.plan is None:
        yield (
            "The manifest says which columns describe people, which are secret, and what is "
            "required. Anybody who can change every file of a release can change this too."
        )
    declared = [c for c in manifest.quasi if c.hierarchy is not None or c.loss_over == "declared"]
    if with_.plan is None and with_.own is None and (declared or manifest.flagged):
        yield (
            "Losses of labels that the plan declares are not measured again, as this needs the "
            "plan."
        )
    if with_.original is not None or has_register:
        yield from _blind_to(manifest, with_)
    if with_.original is None:
        yield (
            "If counts and digests were forged to match, only the original can reveal that "
            "labels, values or numbers of people were changed, that rows changed classes, or that "
            "rows or whole classes were dropped or invented."
        )
        return
    if not worlds:
        yield (
            "Whether the method itself gives values away (minimality) is tested only with --plan "
            "and --replay N."
        )
    if with_.own is None:
        yield (
            "A published row is matched to any row of the original that fits it. Only the private "
            "folder can reveal that rows fitting the same people changed places, or that the rows "
            "are in a different random order."
        )


def _blind_to(manifest: Manifest, with_: Known) -> Iterator[str]:
    """The labels that attacks do not understand, as only the plan or the private folder does."""
    if with_.plan is not None or with_.own is not None:
        return
    used = (*manifest.quasi, *(c for c in manifest.flagged if c not in manifest.quasi))
    names = [repr(c.name) for c in used if c.hierarchy in ("file", "tree")]
    if names:
        yield (
            f"The labels of {', '.join(names)} are explained only by the plan: without --plan the "
            "attacks are weaker than they could be."
        )
