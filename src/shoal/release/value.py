"""What deserves a second look in the values of columns; counts only, never a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.model import LDiversity, Model
from shoal.model.requirement import Requirements
from shoal.recode import hash_columns
from shoal.release import fact
from shoal.release.outcome import Outcome
from shoal.schema import Kind
from shoal.schema.advice import Advice, advise
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition

_SHOWN = 3
# With fewer combinations of values than this, counting is cheaper than hashing.
_FEW = 1 << 24
# By attribute, l and requirement.
Short: TypeAlias = Mapping[tuple[str, float, str], int]


def unknown_values(release: Outcome) -> Iterator[Advice]:
    """Values that the rules of flags list but nobody has: a misspelt one leaves cells open."""
    for attribute in release.schema.sensitive:
        if not attribute.flags or attribute.kind is Kind.NUMERIC:
            continue
        there = _texts(release, attribute.name)
        places = [
            f"{level} {place}"
            for level, listed in attribute.flags.items()
            for place, value in enumerate(listed if isinstance(listed, (list, tuple)) else [], 1)
            if str(value) not in there
        ]
        if places:
            more = ", …" if len(places) > _SHOWN else ""
            yield advise(
                "unknown-flag-value",
                f"The flag rules of '{attribute.name}' list {len(places)} "
                f"{'value' if len(places) == 1 else 'values'} that no row has "
                f"({', '.join(places[:_SHOWN])}{more}). A misspelt value protects nobody.",
            )


def _texts(release: Outcome, name: str) -> set[str | None]:
    """The different texts of a column; of a table that is not in memory, as it was counted."""
    if name in release.source.columns:
        return set(release.source[name].cast(pl.String).unique().str.strip_chars().to_list())
    texts, counts = release.table.columns[name].domain.texts, release.table.counts(name)
    return {text for text, n in zip(texts, counts.tolist(), strict=True) if n}


def look_alikes(release: Outcome) -> Iterator[Advice]:
    """Values that differ only in case or blanks: to a reader they are one, to every count two."""
    for name, column in release.table.columns.items():
        if column.attribute.kind is not Kind.CATEGORICAL:
            continue
        texts = [text for text in column.domain.texts if text is not None]
        n = len(texts) - len({"".join(text.split()).casefold() for text in texts})
        if n:
            yield advise(
                "look-alike-values",
                f"'{name}' has {n:,} {'value' if n == 1 else 'values'} that {_differ(n)} from "
                "another only in case or spaces. They count as different values, so a group may "
                "look more varied, or a description rarer, than it is.",
            )


def _differ(n: int) -> str:
    return "differs" if n == 1 else "differ"


def missing_that_count(release: Outcome) -> Iterator[Advice]:
    """Groups and buckets that reach l only because a missing value counts as a value."""
    view = release.measures.view
    buckets = release.coded if release.keeps_secrets else None
    yield from say_short(count_short(view.models, view.table, view.partition, buckets), buckets)


def count_short(
    models: Iterable[Model],
    table: Table,
    partition: Partition,
    buckets: Mapping[str, pl.DataFrame] | None,
) -> Short:
    """How many groups, or buckets, reach the l of an attribute by a missing value alone.

    Counts of parts of a table add up.
    """
    found: dict[tuple[str, float, str], int] = {}
    for model in models:
        if not isinstance(model, LDiversity) or model.missing != "value":
            continue
        for name in model.targets(table.schema):
            if table.columns[name].domain.missing < 0:
                continue
            if buckets is None:
                n = _short_classes(table, partition, name, model)
            else:
                n = _short_buckets(buckets, name, model)
            found[name, model.l, str(model.requirement())] = n
    return found


def say_short(short: Short, buckets: object) -> Iterator[Advice]:
    """The same in words; `buckets` is None where groups were counted."""
    crowd, remedy = "group", " 'missing: ignore' prevents that."
    if buckets is not None:
        crowd, remedy = "bucket", ""
    # Kinds of the same l are one warning: that of whichever more groups fall short of. It is chosen
    # here, since the largest of sums over parts is not the sum of the largest.
    most: dict[tuple[str, float], int] = {}
    for (name, least, _), n in short.items():
        most[name, least] = max(n, most.get((name, least), 0))
    for (name, least), n in most.items():
        if n:
            yield advise(
                "missing-counts",
                f"{n:,} {crowd}{'' if n == 1 else 's'} {'reaches' if n == 1 else 'reach'} "
                f"l = {least:g} for '{name}' only because a missing value counts as a value."
                + remedy,
            )


def _short_classes(table: Table, partition: Partition, name: str, model: LDiversity) -> int:
    strict = model.model_copy(update={"missing": "ignore", "attribute": name})
    return int(Requirements.of([strict], table).failing(partition).sum())


def _short_buckets(buckets: Mapping[str, pl.DataFrame], name: str, model: LDiversity) -> int:
    """Buckets with fewer than l different values that are known, whichever kind is required."""
    own = buckets.get(f"buckets-{name}")
    if own is None:
        return 0
    known = own.group_by("BID").agg(pl.col("value").drop_nulls().n_unique().alias("n"))
    return int((known["n"] < model.l).sum())


def telling_numbers_of_rows(release: Outcome) -> Iterator[Advice]:
    """People whose number of rows nobody else in their group has: whoever knows it finds them."""
    view = release.measures.view
    if view.table.people is None:
        return
    classes = view.partition.unit_class
    n_rows = np.bincount(view.table.people.person, minlength=len(classes))
    published = n_rows[classes != SUPPRESSED]
    if not len(published) or (published == published[0]).all():
        return
    share = count_telling(classes, n_rows) / len(published)
    if share > fact.MANY:
        yield advise("rows-of-person", fact.rows_of_person(share))


def count_telling(classes: NDArray[np.int32], n_rows: NDArray[np.int64]) -> int:
    """How many published people have a number of rows that nobody else in their class has."""
    published = classes != SUPPRESSED
    pairs = classes[published].astype(np.int64) * (int(n_rows.max(initial=0)) + 1)
    n_same = np.unique(pairs + n_rows[published], return_counts=True)[1]
    return int(np.count_nonzero(n_same == 1))


def exact_sets(release: Outcome, table: pl.DataFrame | Mapping[str, pl.Series]) -> Iterator[Advice]:
    """Quasi-identifiers published as sets, which name what is in a group and nothing else."""
    found = fact.with_sets(release.schema.quasi)
    shown = [name for name in found if _has_sets(table[name])]
    if shown:
        names = fact.listed([f"'{name}'" for name in shown], most=len(shown))
        said = fact.exact_sets(names)
        yield advise("exact-sets", f"{said} With a hierarchy, broader terms are shown instead.")


def _has_sets(cells: pl.Series) -> bool:
    distinct = cells.unique().cast(pl.String).drop_nulls()
    return bool(distinct.str.starts_with("{").any())


def share_singled_out(
    names: Sequence[str], frame: pl.DataFrame, table: Table, rows: NDArray[np.integer]
) -> float:
    """The share of these rows, which are published, that these columns single out together.

    Whoever knows the columns from elsewhere needs no quasi-identifier to find such a row. Rows that
    are left out hide nobody: a row is alone if no other published row is like it.
    """
    if not names:
        return 0.0
    columns = [table.columns.get(name) for name in names]
    if prod(len(c.domain) if c is not None else _FEW for c in columns) < _FEW:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in columns:
            assert column is not None
            keys = keys * len(column.domain) + column.codes[rows]
        counts = np.bincount(keys)
    else:
        _, counts = np.unique(hash_columns(frame[rows], list(names)), return_counts=True)
    return float(np.count_nonzero(counts == 1) / len(rows))
