"""What do two releases of the same people give away together?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.inference import counts_of, visible
from shoal.attack.posterior import guess, less_own
from shoal.schema import Attribute
from shoal.verify.text.assignment import same_codes


class Intersection(Attack):
    """Intersection: what do two releases of overlapping people give away together?

    Somebody who is in both has a value that both allow. The adversary weighs each value by its
    share in the rows that can be the person, in the one release times in the other. The baseline is
    what the one release gives by itself (inference), the control the same guess without
    the person's own row in either.
    """

    name: ClassVar[str] = "intersection"
    needs: ClassVar[str] = "another release"
    cite: ClassVar[papers.Citations] = (papers.cite("xiao"),)

    def run(self, target: Target) -> Iterator[Gain]:
        other = target.other
        if other is None or target.schema.individual is not None or target.linked or other.linked:
            return
        shared = {a.name for a in visible(other)}
        for attribute in visible(target):
            if attribute.name in shared:
                yield self._guess(target, other, attribute)

    def _guess(self, target: Target, other: Target, attribute: Attribute) -> Gain:
        name = attribute.name
        both = pl.concat([one.data[name].cast(pl.String) for one in (target, other)])
        own, shown, n = same_codes(target.known[name], both, attribute)
        parts = shown[: target.data.height], shown[target.data.height :]
        one, two = (counts_of(t, codes, n) for t, codes in zip((target, other), parts, strict=True))
        values = own[target.crowd.rows]
        ones = np.ones(len(values))
        found = guess(one.multiply(two).tocsr(), values)
        alone = guess(
            less_own(one, values, ones).multiply(less_own(two, values, ones)).tocsr(), values
        )
        single = guess(one, values)
        reached = gain(
            self.name,
            name,
            found.posterior,
            Rate.of(float(found.right.sum()), len(values)),
            Rate.of(float(single.right.sum()), len(values)),
            Rate.of(float(alone.right.sum()), len(values)),
        )
        certain = float((found.posterior == 1).mean()) if len(values) else 0.0
        before = float((single.posterior == 1).mean()) if len(values) else 0.0
        note = f"both releases allow {certain:.1%} of people one value only, the one {before:.1%}"
        return replace(reached, note=note)
