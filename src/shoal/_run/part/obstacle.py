"""Why a run must hold its table in memory, although its plan has shards."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.model import (
    KE,
    AlphaK,
    BetaLikeness,
    EIRAlphaBeta,
    EIRl,
    IRAlphaBeta,
    IRk,
    IRkl,
    KAnonymity,
    LDiversity,
    Model,
    MultiLevelK,
    PSensitive,
    TCloseness,
)
from shoal.plan import Plan
from shoal.schema import Layout, Role
from shoal.schema.advice import Advice, advise

# What holds in two classes holds in their union, and counts of one shard can show it.
_BY_SHARD = (
    KAnonymity, LDiversity, AlphaK, KE, MultiLevelK, IRk, IRkl, IRAlphaBeta, EIRl, EIRAlphaBeta,
)  # fmt: skip
# So does what compares a class with shares of the whole table, which shards are given. It is so of
# rows: with buckets, or where people have several rows, other counts decide.
_OF_ROWS = (PSensitive, TCloseness, BetaLikeness)


class Whole(Exception):
    """The table must be held in memory after all, for this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def obstacle(plan: Plan, *, private: bool, database: bool) -> str:
    """The first reason that prevents a run shard by shard; empty where none does."""
    return next(obstacles(plan, private=private, database=database), "")


def obstacles(plan: Plan, *, private: bool, database: bool) -> Iterator[str]:
    """All reasons that prevent it."""
    secrets = plan.method.layout.keeps_secrets
    if plan.method.layout is Layout.LINKED:
        yield f"{plan.method.name} publishes more than one table"
    if plan.schema.of(Role.SEMI_SENSITIVE) and not secrets:
        yield "secrets of people are judged over the whole table"
    if secrets and any(a.flag or a.flags for a in plan.schema.of(Role.SENSITIVE)):
        yield "flags of attributes in buckets are judged over the whole table"
    if plan.schema.individual is not None and (secrets or plan.schema.of(Role.SENSITIVITY)):
        yield "people with several rows have secrets or sensitivities of their own"
    if plan.method.display.conceal:
        yield "'conceal' draws cells and merges classes over the whole table"
    plain = not secrets and plan.schema.individual is None
    for model in plan.models:
        if not (_by_shard(model) or (plain and isinstance(model, _OF_ROWS))):
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
    # Where levels ask for more, classes of several shards that look alike would have to be
    # repaired together.
    alone = not model.asks_more_at_levels and getattr(model, "personal", None) is None
    return isinstance(model, _BY_SHARD) and alone


def held_whole(reason: str) -> Advice:
    """Say that the whole table was held in memory, and why."""
    return advise(
        "held-whole",
        f"The whole table was held in memory although the plan has 'shards', because {reason}.",
    )
