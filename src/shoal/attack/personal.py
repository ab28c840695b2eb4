"""What does the size of a class say of those in it? Crowds that people require for themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Target
from shoal.attack.posterior import ratio
from shoal.attack.value import ValueShares, infer, spread
from shoal.model import MultiLevelK
from shoal.reading.encoding import Floats, Integers, dense_codes
from shoal.schema import Requirement
from shoal.schema.wording import percent
from shoal.verify.model.personal import required_k


class Personal(Attack):
    """Personal k: what does the size of a class say about how sensitive its people are?

    People of high sensitivity require a larger crowd, so nobody who requires k is in a class
    of fewer rows. The adversary knows the levels, which are published, and how many people require
    each k; a row in a class of a given size may require any k up to that size. The guess is the k
    of somebody whose quasi-identifiers are known, from all rows that fit. The baseline is the
    commonest k, the control the same guess for made-up people. Nothing is promised about it.
    """

    name: ClassVar[str] = "personal-k"
    more: ClassVar[str] = " --plan PLAN"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Definition 10"),)
    case: ClassVar[str] = (
        "People above a sensitivity of 0.8 require 3, those below 0.2 only 1. Somebody whose "
        "row is alone does not require 3: their sensitivity is low, for certain. In a class of "
        "three nothing is certain."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        column = target.sensitivity
        if column is None or column not in target.known.columns:
            return
        f = target.known[column].cast(pl.Float64, strict=False)
        if f.null_count():
            return
        for requirement in target.requirements:
            if requirement.model == MultiLevelK.name:
                yield self._guess(target, requirement, f.to_numpy())

    def _guess(self, target: Target, requirement: Requirement, f: Floats) -> Gain:
        required = required_k(requirement, f)
        # Of a person's rows the highest counts.
        highest = np.zeros(int(target.who.max(initial=-1)) + 1, dtype=np.int64)
        np.maximum.at(highest, target.who, required)
        codes, ks = dense_codes(highest)
        totals = np.bincount(codes, minlength=len(ks)).astype(float)
        own = spread(np.arange(len(codes), dtype=np.int32), codes, len(ks))
        shown = _by_size(target, ks, totals)
        found, guess = infer(self.name, "required k", target, ValueShares(own, shown, totals))
        certain = float((guess.posterior >= 1).mean()) if len(codes) else 0.0
        note = (
            f"for {percent(certain)} of people, the size of their class is compatible with only "
            "one k"
        )
        return replace(found, note=note)


def _by_size(target: Target, ks: Integers, totals: Floats) -> csr_array:
    """Per unit the chance of each k, given how many units look like it."""
    sizes = target.crowd.sizes[target.crowd.of_unit]
    weights = np.where(ks[None, :] <= sizes[:, None], totals[None, :], 0.0)
    return csr_array(ratio(weights, weights.sum(axis=1, keepdims=True)))
