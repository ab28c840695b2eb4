"""The plan: what the data is, what must hold, how to get there and where to put it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias

from shoal.errors import PlanError, Problem
from shoal.plan import canonical
from shoal.plan.assembly import assemble
from shoal.plan.content import Content
from shoal.plan.database import target_of
from shoal.plan.document import Document, read_mapping, read_text
from shoal.plan.file import read_file
from shoal.plan.reference import reference
from shoal.plan.wording import describe, nearest
from shoal.source.location import FORMATS

# What stands for a plan wherever one is asked for: see `Plan.of`.
AnyPlan: TypeAlias = "Plan | Mapping[str, Any] | str | Path"

# This many names of columns that the plan does not declare are listed.
_SHOWN = 8


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Content):
    """Everything that defines a run; frozen, and checked when it is read.

    Read one with `load`, `parse` or `of`; each raises one `PlanError` that lists every problem.
    `base` is the folder to which paths are relative, `text` the file as it was written, if any.

    >>> plan = Plan.parse({"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]})
    >>> plan.method.name, plan.requirements
    ('auto', (Requirement(model='k-anonymity', parameters={'k': 2}),))
    """

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan file: YAML 1.2 or JSON, in UTF-8; paths in it are relative to its folder."""
        path = Path(path)
        document = read_text(read_file(path))
        # 'shoal run people.csv' names a table where the plan belongs.
        if path.suffix.lower() in FORMATS and not isinstance(document.data, dict):
            raise PlanError(
                f"The plan must be a mapping, got {describe(document.data)} instead.",
                f"This looks like a table: 'shoal init {path}' makes a plan of it.",
            )
        return cls._read(document, path.parent)

    @classmethod
    def parse(cls, plan: Mapping[str, Any] | str, base: str | Path | None = None) -> Self:
        """Read a mapping or a YAML text; paths are relative to `base` or the working folder."""
        document = read_text(plan) if isinstance(plan, str) else read_mapping(plan)
        return cls._read(document, Path.cwd() if base is None else Path(base))

    @classmethod
    def of(cls, plan: AnyPlan) -> Plan:
        """A plan from a plan, a mapping, a path, or a text of several lines."""
        if isinstance(plan, Plan):
            return plan
        if isinstance(plan, Mapping) or (isinstance(plan, str) and "\n" in plan):
            return cls.parse(plan)
        if isinstance(plan, (str, Path)):
            return cls.load(plan)
        raise PlanError(
            f"A plan must be a Plan, a mapping or a path, got {type(plan).__name__} instead."
        )

    @classmethod
    def _read(cls, document: Document, base: Path) -> Self:
        base = base.absolute()
        parts = assemble(document, base)
        fields = parts.fields
        return cls(
            schema=parts.schema,
            models=parts.models,
            method=parts.method,
            base=base,
            source=tuple(fields.source or ()),
            table=fields.table,
            query=fields.query,
            encoding=fields.encoding,
            decimal=fields.decimal,
            missing=tuple(dict.fromkeys(fields.missing)),
            others=fields.others,
            suppression_limit=fields.suppression.limit,
            objective=fields.objective,
            polish=parts.polish,
            ranges=fields.ranges,
            order=fields.order,
            shard_rows=None if fields.shards is None else fields.shards.rows,
            engine=parts.engine,
            seed=parts.seed,
            republish=fields.republish,
            delay=fields.delay,
            output=None if fields.output is None else fields.output.folder,
            output_database=target_of(fields.output),
            output_format="csv" if fields.output is None else fields.output.format,
            text=document.text,
            declared=parts.declared,
            repeated=parts.repeated,
            # Only columns are looked up again, when the data is there.
            lines={str(path[1]): n for path, n in document.lines.items() if _is_column(path)},
        )

    def check_columns(self, columns: Sequence[str]) -> list[Problem]:
        """What does not fit together between the columns of the data and those of the plan."""
        there, declared = set(columns), {attribute.name for attribute in self.schema.attributes}
        undeclared = [name for name in dict.fromkeys(columns) if name not in declared]
        absent = [a.name for a in self.schema.attributes if a.name not in there]
        # A column that is spelt a little differently may be meant, so it is not just left over.
        meant = {other: name for name in absent if (other := nearest(name, undeclared)) is not None}
        rest = [name for name in undeclared if name not in meant] if self.others == "error" else []
        return [
            *(self._misspelt(other, name) for other, name in meant.items()),
            *self._undeclared(rest),
            *(self._absent(name, nearest(name, undeclared)) for name in absent),
        ]

    def _undeclared(self, names: Sequence[str]) -> list[Problem]:
        """All columns that are left over, in one problem."""
        if not names:
            return []
        few = len(names) == 1
        what = f"the column {names[0]!r}" if few else f"{len(names):,} columns"
        text = f"The data has {what}, but the plan does not declare {'it' if few else 'them'}"
        if not few:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            text += f": {', '.join(map(repr, names[:_SHOWN]))}{more}"
        text += "."
        hint = f"Declare {'it' if few else 'them'}, with the role drop to leave a column out, or "
        return [Problem(text, "attributes", hint + "add 'others: drop' to leave out all others.")]

    def _misspelt(self, name: str, meant: str) -> Problem:
        text = f"The data has the column {name!r}, but the plan does not declare it."
        hint = f"The plan declares {meant!r}, which the data lacks; are they the same?"
        return Problem(text, "attributes", hint, self.lines.get(meant))

    def _absent(self, name: str, meant: str | None) -> Problem:
        text = f"The plan declares the column {name!r}, but the data has no such column."
        hint = f"Did you mean {meant!r}?" if meant is not None else ""
        return Problem(text, f"attributes.{name}", hint, self.lines.get(name))

    def to_dict(self) -> dict[str, Any]:
        """The shortest mapping with the same meaning; it reads back as an equal plan."""
        return canonical.to_dict(self)

    def to_yaml(self) -> str:
        """The same as a YAML text."""
        return canonical.to_yaml(self)

    def digest(self) -> str:
        """SHA-256 of the meaning: without seed, source, output and engine."""
        return canonical.digest(self)

    @staticmethod
    def reference() -> list[dict[str, Any]]:
        """Every key of a plan with its type in words, its default and its meaning."""
        return reference()

    def __repr__(self) -> str:
        required = ", ".join(map(str, self.requirements))
        return f"<Plan: {required} by {self.method.name}, {len(self.schema.attributes)} attributes>"


def _is_column(path: tuple[str | int, ...]) -> bool:
    return len(path) == 2 and path[0] == "attributes"
