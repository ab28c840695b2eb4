"""Is this table already fine? Verdicts on a table as it is; nothing is anonymised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.selectors import by_name

from shoal._run.engine import LocalEngine
from shoal._run.read import read_source
from shoal.errors import DataError, PlanError, Problem, VerificationError
from shoal.model import MODELS
from shoal.plan import AnyPlan, Plan
from shoal.release.own import column_beside
from shoal.report.snippet import verdict_snippet
from shoal.schema import Role, Schema, Verdict
from shoal.schema.wording import brief, counted
from shoal.source import AnyTable
from shoal.table import encode_column
from shoal.verify import check_table


@dataclass(frozen=True, eq=False)
class Check(Sequence[Verdict]):
    """Verdicts, with the class of every row to find the offending ones."""

    verdicts: tuple[Verdict, ...]
    frame: pl.DataFrame
    schema: Schema
    row_class: NDArray[np.int64]

    @property
    def holds(self) -> bool:
        return all(verdict.holds is True for verdict in self.verdicts)

    def __repr__(self) -> str:
        held = "holds" if self.holds else "does not hold"
        required = ", ".join(brief(verdict.requirement) for verdict in self.verdicts)
        n_classes = int(self.row_class.max(initial=0))
        rows = counted(self.frame.height, "row")
        return f"<Check of {rows} in {counted(n_classes, 'class', 'classes')}: {held} {required}>"

    def _repr_html_(self) -> str:
        return verdict_snippet(repr(self)[1:].split(":")[0], self.verdicts)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...

    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        return self.verdicts[index]

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def classes(self) -> pl.DataFrame:
        """Every class: number, size, first row (0-based) and quasi-identifiers."""
        beside = {a.name: column_beside(a.name) for a in self.schema.quasi}
        names = list(beside.values())
        return (
            self.frame.select(by_name(list(beside)))
            .rename(beside)
            .with_columns(pl.Series("class", self.row_class))
            .with_row_index("first_row")
            .group_by("class", maintain_order=True)
            .agg(pl.len().alias("size"), pl.col("first_row").first(), by_name(names).first())
            .sort("class")
        )

    def offending(self) -> pl.DataFrame:
        """The classes that fail at least one requirement."""
        failing = sorted({c for verdict in self.verdicts for c in self.failing(verdict)})
        return self.classes.filter(pl.col("class").is_in(failing))

    def failing(self, verdict: Verdict) -> list[int]:
        """The numbers of the failing classes; for a model of rows, of those with failing rows."""
        model = MODELS[verdict.requirement.partition(" ")[0]]
        if model.scope != "row":
            return list(verdict.offending)
        return sorted(set(self.row_class[list(verdict.offending)].tolist()))


def _with_kinds(frame: pl.DataFrame, schema: Schema) -> Schema:
    """Fill in the missing kinds from the values, which may already be ranges instead of numbers."""
    kinds = [
        encode_column(frame[a.name], replace(a, hierarchy=None)).attribute.kind
        if a.kind is None and a.role in (Role.QUASI, Role.SENSITIVE)
        else a.kind
        for a in schema.attributes
    ]
    pairs = zip(schema.attributes, kinds, strict=True)
    return replace(schema, attributes=tuple(replace(a, kind=kind) for a, kind in pairs))


def _listed(privacy: Any) -> Any:
    """A sequence as a list; anything else as it is, so that the plan says what is wrong with it."""
    if privacy is None or isinstance(privacy, str | Mapping):
        return privacy
    return list(privacy) if isinstance(privacy, Iterable) else privacy


def _refuse_secrets(roles: Mapping[str, Any]) -> None:
    """A table as it is has no buckets in which secrets could be counted."""
    problems = [
        Problem(
            f"{name!r} is semi-sensitive, but a table as it is has no buckets for secret cells.",
            hint="Check it with the role 'quasi' or 'sensitive'. 'shoal audit' checks a release "
            "of lgb-mdp or lgb-ncp with its buckets.",
        )
        for name, role in roles.items()
        if role == Role.SEMI_SENSITIVE
    ]
    if problems:
        raise PlanError(problems)


def check(
    data: AnyTable,
    *,
    attributes: Mapping[str, Any] | None = None,
    privacy: Sequence[Any] | None = None,
    individual: str | Mapping[str, Any] | None = None,
    plan: AnyPlan | None = None,
) -> Check:
    """Check the requirements on a table as it is.

    Give either a whole `plan`, or its `attributes` and `privacy`.

    >>> table = pl.DataFrame({"age": ["30-39", "30-39", "40-49"], "ill": ["a", "b", "a"]})
    >>> found = check(table, attributes={"age": "quasi", "ill": "sensitive"},
    ...               privacy=[{"k-anonymity": {"k": 2}}])
    >>> found[0].holds, found[0].reached, found.offending()["size"].to_list()
    (False, 1, [1])
    """
    if plan is None:
        given = attributes or {}
        # Before the plan is parsed, which would ask for what a semi-sensitive attribute needs.
        _refuse_secrets(
            {n: a.get("role") if isinstance(a, Mapping) else a for n, a in given.items()}
        )
        plan = {"attributes": given, "privacy": _listed(privacy)}
        plan |= {} if individual is None else {"individual": individual}
    plan = Plan.of(plan)
    _refuse_secrets({a.name: a.role for a in plan.schema.attributes})
    source = read_source(plan, data, Path.cwd(), LocalEngine())
    frame = source.given
    schema = _with_kinds(frame, plan.schema)
    if problems := [p for model in plan.models for p in model.problems(schema)]:
        raise PlanError(problems)
    try:
        verdicts, row_class = check_table(frame, schema, plan.requirements, source.population)
    except VerificationError as error:
        # Nothing was to be released: the table is not what the plan says.
        raise DataError(error.problems) from None
    return Check(verdicts, frame, schema, row_class)
