"""Changes to a plan, one at a time: something is left out, or required one step less strictly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

from shoal._run.code import CodedInput
from shoal.model import Model
from shoal.plan import Plan
from shoal.schema import Attribute, Role
from shoal.schema.wording import AT_MOST, brief
from shoal.table import Column, Table, encode_column

# Sizes of crowds that people choose: one step looser is the next smaller one.
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True)
class Change:
    """What is changed, how, and what the plan and the coded table become by it.

    `over` are the quasi-identifiers whose loss is compared: those that are published both with and
    without the change.
    """

    kind: str
    what: str
    how: str
    plan: Plan
    coded: CodedInput
    over: tuple[str, ...]


def list_changes(plan: Plan, coded: CodedInput) -> Iterator[Change]:
    """Every change worth a rehearsal; the coding of unchanged columns is shared."""
    quasi = tuple(a.name for a in coded.table.schema.quasi)
    for place, model in enumerate(plan.models):
        for how, models in _looser(plan.models, place):
            what = brief(str(model.requirement()))
            yield Change("requirement", what, how, replace(plan, models=models), coded, quasi)
    for attribute in coded.table.schema.of(Role.QUASI):
        others = tuple(name for name in quasi if name != attribute.name)
        if others:
            without = _each_table(coded, partial(_without, attribute))
            yield Change("quasi-identifier", attribute.name, "not published", plan, without, others)
        if attribute.hierarchy is not None and not plan.method.sheds_hierarchies:
            yield Change(
                "hierarchy",
                f"hierarchy of {attribute.name}",
                "left out",
                plan,
                _bare(coded, attribute),
                quasi,
            )


def _looser(models: Sequence[Model], place: int) -> Iterator[tuple[str, tuple[Model, ...]]]:
    """A requirement left out, where others remain, and one step less strict."""
    before, after = models[:place], models[place + 1 :]
    if before or after:
        yield "left out", (*before, *after)
    for name, less in _steps(models[place]):
        changed = models[place].model_copy(update={name: less})
        yield f"{name} = {less:g}", (*before, changed, *after)


def _steps(model: Model) -> Iterator[tuple[str, float]]:
    """The parameters of a model with a value one step less strict, unless that asks for nothing."""
    for name, value in model.parameters().items():
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            continue
        if name == "k" and value > 2:
            yield name, max(size for size in _SIZES if size < value)
        # In LKC-privacy l says how many columns somebody knows.
        elif name in ("l", "p") and value > 2 and model.name != "lkc":
            yield name, ceil(value) - 1
        elif name in AT_MOST and value < 1:
            yield name, min(1.0, round(value * 1.5, 4))


def _each_table(coded: CodedInput, change: Callable[[Table, bool], Table]) -> CodedInput:
    """The same change to the table and to the one with repeated rows merged."""
    table = change(coded.table, False)
    merged = table if coded.merged is coded.table else change(coded.merged, True)
    return replace(coded, table=table, merged=merged)


def _without(attribute: Attribute, table: Table, merged: bool) -> Table:
    """The table without a column."""
    kept = tuple(a for a in table.schema.attributes if a.name != attribute.name)
    columns = {name: c for name, c in table.columns.items() if name != attribute.name}
    return replace(table, schema=replace(table.schema, attributes=kept), columns=columns)


def _bare(coded: CodedInput, attribute: Attribute) -> CodedInput:
    """The coded table with one quasi-identifier coded again, without its hierarchy."""
    column = encode_column(coded.source.frame[attribute.name], replace(attribute, hierarchy=None))
    rows = coded.published_once.nonzero()[0]
    once = Column(column.domain, column.codes[rows])
    return _each_table(coded, lambda table, merged: _with(table, once if merged else column))


def _with(table: Table, column: Column) -> Table:
    own = column.attribute
    attributes = tuple(own if a.name == own.name else a for a in table.schema.attributes)
    return replace(
        table,
        schema=replace(table.schema, attributes=attributes),
        columns={**table.columns, own.name: column},
    )
