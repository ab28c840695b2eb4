"""Where the rows of a batch go: by the codes that shards are cut by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.cut import CutTree, Question, SlotCounts, counted_sensitive
from shoal._run.part.fact import SHARD, Facts
from shoal._run.part.secret import shard_codes
from shoal._run.secret import Secrets
from shoal.method.lgb.bucket import Rule
from shoal.model.requirement import Requirements
from shoal.table.space import stack_columns

Codes = Callable[[pl.DataFrame], NDArray[Any]]


def codes_of(facts: Facts, requirements: Requirements, rules: Mapping[str, Rule]) -> Codes:
    """What gives the codes of rows by which they are cut, and those that are counted."""
    if rules:
        return partial(shard_codes, facts, Secrets.of(facts.sketch, rules))
    sensitive = [c.attribute.name for c in counted_sensitive(requirements)]
    return partial(_plain_codes, facts, [*(a.name for a in facts.schema.quasi), *sensitive])


def quasi_codes(facts: Facts) -> Codes:
    """What gives the codes of quasi-identifiers, by which people are cut."""
    return partial(_plain_codes, facts, [a.name for a in facts.schema.quasi])


def _plain_codes(facts: Facts, names: list[str], rows: pl.DataFrame) -> NDArray[Any]:
    return stack_columns([facts.codes(rows, name) for name in names])


def count_codes(codes: Codes, question: Question, rows: pl.DataFrame) -> SlotCounts:
    """What a batch answers to a question of the shard plan."""
    return question.count(codes(rows))


def place_rows(cuts: CutTree, codes: Codes, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the number of their shard, and sorted by it."""
    # Sorted here: what brings shards together then cuts the batch instead of writing it again.
    numbers = cuts.find(codes(rows))
    return rows.with_columns(pl.Series(SHARD, numbers.astype(np.uint32))).sort(
        SHARD, maintain_order=True
    )
