"""Secret values into buckets, attribute by attribute (Algorithm 2 of LGB).

A bucket says which values its rows hold, but not which row holds which. Buckets of one attribute
know nothing of those of another, or of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, PlanError, Problem
from shoal.method.omission import rank_within
from shoal.model import LDiversity, Model, TCloseness
from shoal.model.base import Reach, safe_text
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Role, Schema
from shoal.schema.wording import counted
from shoal.table import Domain, Table, read_own_l
from shoal.table.partition import SECRET, SUPPRESSED, Partition
from shoal.table.space import starts_of

if TYPE_CHECKING:
    from shoal.kernels.bucket.deal import Stock
    from shoal.kernels.requirement import SensitiveFacts

RowNumbers = NDArray[np.int64]
Draw = Callable[[str], NDArray[Any]]


@dataclass(frozen=True)
class Rule:
    """What every bucket of an attribute must meet, by all requirements on it."""

    attribute: str
    diversity: tuple[LDiversity, ...] = ()
    closeness: tuple[TCloseness, ...] = ()

    @property
    def l(self) -> int:  # noqa: E743
        """Buckets of this many different values meet every l that is required."""
        return max(ceil(m.l) for m in self.diversity)

    @property
    def entropy_alone(self) -> bool:
        return all(m.kind == "entropy" for m in self.diversity)

    @property
    def counts_values(self) -> bool:
        """Whether a bucket of l different values holds, whatever is in the others."""
        return not (self.closeness or self.personal) and any(
            m.kind != "entropy" for m in self.diversity
        )

    @property
    def personal(self) -> tuple[str, ...]:
        """The columns with the l of each person."""
        return tuple(m.personal for m in self.diversity if m.personal is not None)

    @property
    def within_shards(self) -> bool:
        """Whether counts of values alone decide on buckets, so that each shard has its own.

        Distances are to the secrets of the whole table, and a personal l is one of each row.
        """
        return not self.closeness and not self.personal


def rules_of(models: Sequence[Model], schema: Schema) -> dict[str, Rule]:
    """The rule of every attribute with secrets; raises PlanError with all that lack one."""
    rules: dict[str, Rule] = {}
    problems: list[Problem] = []
    for attribute in schema.secret:
        own = [m for m in models if attribute.name in _targets(m, schema)]
        rule = Rule(
            attribute.name,
            tuple(m for m in own if isinstance(m, LDiversity)),
            tuple(m for m in own if isinstance(m, TCloseness)),
        )
        rules[attribute.name] = rule
        problems += _problems(attribute, rule)
    if problems:
        raise PlanError(problems)
    return rules


def _targets(model: Model, schema: Schema) -> Sequence[str]:
    return model.targets(schema) if isinstance(model, (LDiversity, TCloseness)) else ()


def _problems(attribute: Attribute, rule: Rule) -> Iterator[Problem]:
    name = attribute.name
    if not rule.diversity and not rule.closeness:
        yield Problem(
            f"{name!r} needs a requirement for its buckets, but the plan has none.",
            hint=f"Add '- l-diversity: {{attribute: {name}, l: 3}}', or t-closeness.",
        )
    if rule.closeness and (rule.diversity or len(rule.closeness) > 1):
        yield Problem(
            f"{name!r} can have one requirement for its buckets, but has t-closeness and another.",
            hint="Keep one of them for this attribute.",
        )
    if any(m.kind == "recursive" for m in rule.diversity):
        yield Problem(
            f"Buckets do not support recursive l-diversity, but {name!r} requires it.",
            hint="Choose 'kind: distinct', frequency or entropy.",
        )
    if any(m.missing == "ignore" for m in rule.diversity):
        yield Problem(
            f"In buckets a missing value counts as a value, but {name!r} requires "
            "'missing: ignore'.",
            hint="Leave 'missing' out.",
        )
    if rule.personal and any(m.kind == "entropy" for m in rule.diversity):
        yield Problem(
            f"A personal l needs distinct or frequency l-diversity, but {name!r} requires entropy."
        )


def bucketise(
    table: Table,
    partition: Partition,
    rules: Mapping[str, Rule],
    draw: Draw,
    shards: NDArray[np.int32] | None = None,
) -> dict[str, NDArray[np.int32]]:
    """The bucket of every row, -1 where its cell is in none; attributes without secrets are absent.

    `shards` is the shard of every class, where there are several: no bucket spans two of them,
    unless its rule is on the whole table.

    Only cells that every member of a class keeps secret go into buckets. Rows of one value are
    interchangeable: who goes where is drawn, in the order of the numbers that `draw` gives the rows
    for an attribute. It must not be known outside, or buckets could be undone. Raises
    InfeasibleError that names, for every attribute whose l cannot be achieved, the largest that
    could be.
    """
    found: dict[str, NDArray[np.int32]] = {}
    problems: list[Problem] = []
    for name, rule in rules.items():
        rows = secret_rows(table, partition, name)
        drawn = rows[np.argsort(draw(name)[rows], kind="stable")]
        try:
            buckets = _in_shards(table, name, rule, drawn, shards, partition)
        except InfeasibleError as error:
            problems += error.problems
            continue
        if len(rows):
            of_row = np.full(table.n_rows, -1, dtype=np.int32)
            of_row[drawn] = buckets
            found[name] = of_row
    if problems:
        raise InfeasibleError(problems)
    return found


def secret_rows(table: Table, partition: Partition, name: str) -> RowNumbers:
    """The rows whose cell goes into a bucket: of all people, or of those who keep it secret."""
    kept = partition.unit_class != SUPPRESSED
    if table.schema[name].role is Role.SENSITIVE or partition.pattern is None:
        return np.flatnonzero(kept)
    place = [a.name for a in table.schema.quasi].index(name)
    secret = np.append(partition.pattern[:, place] == SECRET, False)
    return np.flatnonzero(secret[partition.unit_class])


def _in_shards(
    table: Table,
    name: str,
    rule: Rule,
    rows: RowNumbers,
    shards: NDArray[np.int32] | None,
    partition: Partition,
) -> NDArray[np.int32]:
    """The bucket of each of these rows, those of one shard after those of another."""
    if shards is None or not rule.within_shards:
        return _buckets(table, name, rule, rows)
    shard = shards[partition.unit_class[rows]]
    order = np.argsort(shard, kind="stable")
    ends = np.cumsum(np.bincount(shard))[:-1]
    found, n_buckets = np.empty(len(rows), dtype=np.int32), 0
    for places in np.split(order, ends):
        own = _buckets(table, name, rule, rows[places])
        found[places] = own + n_buckets
        n_buckets += int(own.max(initial=-1)) + 1
    return found


def _buckets(table: Table, name: str, rule: Rule, rows: RowNumbers) -> NDArray[np.int32]:
    """The bucket of each of these rows."""
    values = place_of_value(table, name)[rows]
    if not len(rows):
        return np.empty(0, dtype=np.int32)
    if rule.closeness:
        return _close(table, name, rule.closeness[0], rows, values)
    if rule.personal:
        return _personal(table, rule, rows, values)
    counts = np.bincount(values)
    # Eligible, as Algorithm 2 has it: the commonest value is at most one in l.
    if _most(counts) >= rule.l:
        return spread(values, rule.l)
    # Entropy alone may allow one bucket of all cells where buckets of l different values fail.
    if fits(rule, counts):
        return np.zeros(len(rows), dtype=np.int32)
    raise InfeasibleError(too_much(name, rule, counts))


def fits(rule: Rule, counts: NDArray[np.int64]) -> bool:
    """Whether secrets with these counts fit into buckets, by a rule on counts alone."""
    if not counts.any() or _most(counts) >= rule.l:
        return True
    # exp(entropy) of equally frequent values is a whole number only up to rounding.
    least = max(m.l for m in rule.diversity) - 1e-9
    return rule.entropy_alone and _entropy_l(counts) >= least


def place_of_value(table: Table, name: str) -> NDArray[np.int64]:
    """The value of every row as its place in the order of values."""
    column = table.columns[name]
    place = np.empty(len(column.domain), dtype=np.int64)
    place[value_order(column.domain)] = np.arange(len(column.domain))
    return np.asarray(place[column.codes])


def value_order(domain: Domain) -> NDArray[np.int32]:
    """Codes in the order of values: of numbers, else of the leaves of the hierarchy, else text."""
    if domain.tree is not None and domain.numbers is None:
        return np.arange(len(domain), dtype=np.int32)
    return domain.natural


def _most(counts: NDArray[np.int64]) -> int:
    """The largest l for which the commonest value is at most one in l."""
    return int(counts.sum() // max(int(counts.max(initial=0)), 1))


def _entropy_l(counts: NDArray[np.int64]) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(np.exp(-(share * np.log(share)).sum()))


def too_much(name: str, rule: Rule, counts: NDArray[np.int64]) -> Problem:
    """The problem that buckets of values with these counts cannot hold what their rule requires."""
    n_values = int(np.count_nonzero(counts))
    found = f"one value is {counts.max()} of {counts.sum()} secret cells"
    best = _entropy_l(counts) if rule.entropy_alone else _most(counts)
    if n_values < rule.l:
        found, best = f"its secret cells have {counted(n_values, 'distinct value')}", n_values
    instead = f"; or require t-closeness of {name!r} instead" if n_values > 1 else ""
    return Problem(
        f"Buckets of {name!r} cannot have l = {rule.l}: {found}.",
        hint=f"The largest possible l is {safe_text(best, least=False)}{instead}.",
    )


def spread(values: NDArray[np.int64], l: int) -> NDArray[np.int32]:  # noqa: E741
    """Buckets of at least l values, all different."""
    from shoal.kernels.bucket.fill import fill_buckets

    counts = np.bincount(values).astype(np.int64)
    slots = np.empty(len(values), dtype=np.int32)
    fill_buckets(counts, np.int64(l), slots)
    buckets = np.empty(len(values), dtype=np.int32)
    buckets[np.argsort(values, kind="stable")] = slots
    return buckets


def _close(
    table: Table, name: str, model: TCloseness, rows: RowNumbers, values: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Rows in the order of values, dealt round-robin into as many buckets as stay within t.

    Every bucket has at least two different values: one that has a single value publishes it, and t
    alone does not rule that out.
    """
    from shoal.kernels.bucket.deal import most_dealt

    order = np.argsort(values, kind="stable")
    shown, begins = np.unique(values[order], return_index=True)
    if len(shown) < 2:
        raise InfeasibleError(_all_alike(name, len(rows)))
    asked = Requirements.of([model], _alone(table, name))
    (bound,) = asked.all_bounds
    codes = value_order(table.columns[name].domain)[shown]
    stock = _stock(np.append(begins, len(rows)), codes, bound.reach, asked.facts)
    n_buckets = most_dealt(stock, int(bound.reach), bound.limit)
    buckets = np.empty(len(rows), dtype=np.int32)
    buckets[order] = np.arange(len(rows)) % n_buckets
    return buckets


def _stock(
    begins: NDArray[np.int64], codes: NDArray[np.int32], reach: Reach, facts: SensitiveFacts
) -> Stock:
    """Values with these codes for the kernel that deals them, ranked as the distance asks."""
    from shoal.kernels.bucket.deal import Stock

    n_codes = len(facts.natural)
    place = np.arange(n_codes)
    if reach is Reach.EMD_ORDERED:
        place[facts.natural] = np.arange(n_codes)
    by_rank = np.argsort(place[codes])
    rank = np.empty(len(codes), dtype=np.int64)
    rank[by_rank] = np.arange(len(codes))
    counts = np.diff(begins)[by_rank]
    before = starts_of(counts)
    node = facts.node.reshape(-1, n_codes)[:, codes[by_rank]]
    under = [np.bincount(level, weights=counts)[level].astype(np.int64) for level in node]
    return Stock(
        value=np.repeat(np.arange(len(codes)), np.diff(begins)),
        begins=begins,
        rank=rank,
        before=before,
        sums=starts_of(before[1:]),
        node=node,
        under=np.array(under, dtype=np.int64).reshape(node.shape),
    )


def _all_alike(name: str, n_cells: int) -> Problem:
    return Problem(
        f"Buckets of {name!r} need at least two different values, but all {n_cells} secret cells "
        "have the same one.",
        hint="A bucket of one value publishes it. Leave the column out of the release.",
    )


def _alone(table: Table, name: str) -> Table:
    """The table with one sensitive attribute and nothing else."""
    schema = Schema((replace(table.schema[name], role=Role.SENSITIVE),))
    return Table(schema, {name: table.columns[name]}, table.n_rows)


def _personal(
    table: Table, rule: Rule, rows: RowNumbers, values: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Buckets in which every person has the l that they ask for.

    Those who require most come first. If they are too alike among themselves, just enough people
    who require less are taken in, with the values that are commonest among these. If too few are
    left for somebody later, all have the largest l that anybody requires, where that is possible.
    """
    given = [read_own_l(table.unpublished[c], rule.l)[rows] for c in rule.personal]
    own = np.max(given, axis=0)
    buckets, n_buckets = np.full(len(rows), -1, dtype=np.int32), 0
    # The largest l first: whoever requires less can join a bucket of more values, not the reverse.
    for l in np.unique(own)[::-1].tolist():  # noqa: E741
        left = buckets < 0
        pool = _with_others(values, left & (own >= l), left, own, l)
        if pool is None:
            if _most(np.bincount(values)) >= own.max():
                return spread(values, int(own.max()))
            raise InfeasibleError(_too_much_for_some(rule.attribute, values, own, l))
        if pool.any():
            buckets[pool] = spread(values[pool], l) + n_buckets
            n_buckets = int(buckets.max()) + 1
    return buckets


def _with_others(
    values: NDArray[np.int64],
    pool: NDArray[np.bool_],
    left: NDArray[np.bool_],
    own: NDArray[np.int64],
    l: int,  # noqa: E741
) -> NDArray[np.bool_] | None:
    """The pool with as many others as make it eligible for l; None where they are too few."""
    counts = np.bincount(values[pool], minlength=int(values.max()) + 1)
    most = int(counts.max(initial=0))
    wanted = l * most - int(counts.sum())
    if wanted <= 0:
        return pool
    others = np.flatnonzero(left & ~pool)
    others = others[np.argsort(-own[others], kind="stable")]
    rest = np.bincount(values[others], minlength=len(counts))
    # No value may become commoner than the commonest of the pool: even more others would then be
    # needed.
    taken = _even_out(rest, np.minimum(rest, most - counts), wanted)
    if taken is None:
        return None
    pool = pool.copy()
    pool[others[rank_within(values[others]) < taken[values[others]]]] = True
    return pool


def _even_out(
    rest: NDArray[np.int64], most: NDArray[np.int64], wanted: int
) -> NDArray[np.int64] | None:
    """How many to take of each value, `wanted` in all, so that the largest rests shrink first."""
    if int(most.sum()) < wanted:
        return None

    def taken(level: int) -> NDArray[np.int64]:
        return np.clip(rest - level, 0, most)

    low, high = 0, int(rest.max())
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if taken(middle).sum() >= wanted else (low, middle - 1)
    found, above = taken(low), taken(low + 1)
    surplus = int(found.sum()) - wanted
    spare = np.flatnonzero(found > above)[:surplus]
    found[spare] -= 1
    return found


def _too_much_for_some(
    name: str,
    values: NDArray[np.int64],
    own: NDArray[np.int64],
    l: int,  # noqa: E741
) -> Problem:
    n = int(np.count_nonzero(own >= l))
    best = _most(np.bincount(values))
    return Problem(
        f"Buckets of {name!r} cannot have l = {l}, which "
        f"{counted(n, 'person requires', 'people require')}.",
        hint=f"The largest l that everybody could have is {best}.",
    )
