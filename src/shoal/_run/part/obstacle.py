"""Why a run must hold its table in memory, although its plan has shards."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.model import (
    KE,
    AlphaK,
    BetaLikeness,
    KAnonymity,
    LDiversity,
    Model,
    MultiLevelK,
    PSensitive,
    TCloseness,
)
from shoal.plan import Plan
from shoal.schema import Layout
from shoal.schema.advice import Advice, advise

# What holds in two classes holds in their union, and counts of one shard can show it.
_BY_SHARD = (KAnonymity, LDiversity, AlphaK, KE, PSensitive)
# So does what compares a class with shares of the whole table, which shards are given.
_BY_SHARES = (TCloseness, BetaLikeness)


def obstacle(plan: Plan, *, private: bool, database: bool) -> str:
    """The first reason that stands in the way of a run shard by shard; empty where none does."""
    return next(obstacles(plan, private=private, database=database), "")


def obstacles(plan: Plan, *, private: bool, database: bool) -> Iterator[str]:
    """All reasons that stand in the way."""
    if plan.schema.individual is not None:
        yield "the rows of a person ('individual') may be anywhere in the table"
    if plan.method.layout is Layout.LINKED:
        yield f"{plan.method.name} publishes more than one table"
    secrets = plan.method.layout.keeps_secrets
    if _flagged(plan) and not secrets:
        yield "flags of people are judged over the whole table"
    for model in plan.models:
        if not _by_shard(model) and not (isinstance(model, _BY_SHARES) and not secrets):
            yield f"{model.name} is judged over the whole table"
    if plan.ranges == "columns":
        yield "the type of 'ranges: columns' depends on the whole table"
    if plan.order == "input":
        yield "'order: input' depends on the order of the whole table"
    if private:
        yield "the private folder has a map of all rows"
    if database:
        yield "a table of a database is written in one transaction"


def _by_shard(model: Model) -> bool:
    if isinstance(model, MultiLevelK):
        # Classes of several shards that look alike would have to be repaired together.
        return not any(level.stronger for level in model.levels)
    return isinstance(model, _BY_SHARD) and getattr(model, "personal", None) is None


def _flagged(plan: Plan) -> bool:
    display = plan.method.display
    flagged = any(a.flag is not None or a.flags is not None for a in plan.schema.attributes)
    return flagged or display.every or display.conceal


def held_whole(reason: str) -> Advice:
    """Say that the whole table was held in memory, and why."""
    return advise(
        "held-whole",
        f"The whole table was held in memory although the plan has 'shards', because {reason}.",
    )
