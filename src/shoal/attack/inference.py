"""What does this person have? Inference from the rows that can be theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.reading.encoding import Codes, Floats, combine_codes
from shoal.schema import Attribute
from shoal.verify.text.assignment import same_codes


class Inference(Attack):
    """Attribute inference: what sensitive value does this person have?

    The adversary knows the quasi-identifiers of somebody, looks for the rows whose labels cover
    them, and guesses the commonest value in them: its share there is the posterior. The baseline is
    the commonest value of the whole release; the control is the same guess from all these rows but
    the person's own, as for somebody who is not in the data. The note says for how many people all
    rows have one value (homogeneity), and by how much at most a posterior exceeds the share of its
    value in the whole release (skew). Where there are several sensitive columns, they are also
    guessed together.
    """

    name: ClassVar[str] = "inference"
    cite: ClassVar[papers.Citations] = (papers.cite("machanavajjhala"),)

    def run(self, target: Target) -> Iterator[Gain]:
        if target.schema.individual is not None or target.linked:
            return
        shown = [a for a in target.schema.sensitive if a.name not in target.symbols]
        shown = [a for a in shown if a.name in target.data.columns and a.name in target.known]
        coded = [same_codes(target.known[a.name], target.data[a.name], a) for a in shown]
        for attribute, (own, published, n) in zip(shown, coded, strict=True):
            found = self._guess(target, attribute.name, own, published, n)
            yield replace(found, bound=_bound(target, attribute))
        if len(shown) > 1:
            n_own = target.known.height
            both, n = combine_codes(
                [(np.append(left, right), size) for left, right, size in coded],
                n_own + target.data.height,
            )
            names = " and ".join(a.name for a in shown)
            yield self._guess(target, names, both[:n_own], both[n_own:], n)

    def _guess(self, target: Target, about: str, own: Codes, shown: Codes, n: int) -> Gain:
        crowd = target.crowd
        by_kind = csr_array(
            (np.ones(len(shown), dtype=np.int64), (crowd.of_unit, shown)),
            shape=(crowd.fits.shape[1], n),
        )
        counts = (crowd.fits @ by_kind).tocsr()
        best, most, ties = _commonest(counts)
        total = np.bincount(shown, minlength=n)
        of_person, values = crowd.of_person, own[crowd.rows]
        matches = crowd.matches
        held = np.asarray(counts[of_person, values]).ravel()
        right = np.where(
            (held == most[of_person]) & (held > 0), 1 / np.maximum(ties[of_person], 1), 0
        )
        posterior: Floats = np.where(matches > 0, most[of_person] / np.maximum(matches, 1), 0.0)
        found = gain(
            self.name,
            about,
            posterior,
            Rate.of(float(right.sum()), len(right)),
            Rate.of(float((values == int(total.argmax())).sum()), len(values)),
            _without_own(most, ties, counts, of_person, values),
        )
        single = float(
            ((most == np.maximum(crowd.fits @ crowd.sizes, 1)) & (most > 0))[of_person].mean()
        )
        lift = posterior / np.maximum(total[best[of_person]] / max(total.sum(), 1), 1e-12)
        text = f"{single:.1%} of people fit rows of one value only; the largest lift is "
        return replace(
            found,
            person=None if found.person is None else int(crowd.rows[found.person]),
            note=f"{text}{lift.max(initial=0):.3g}",
        )


def _bound(target: Target, attribute: Attribute) -> float | None:
    """The largest posterior that requirements allow; distinct and entropy l allow any below 1."""
    limits = [
        1 / r.parameters["l"]
        for r in target.requirements
        if r.model == "l-diversity"
        and r.parameters.get("kind") == "frequency"
        and r.parameters.get("attribute") in (None, attribute.name)
    ]
    limits += [
        r.parameters["alpha"]
        for r in target.requirements
        if r.model == "alpha-k" and r.parameters.get("attribute") in (None, attribute.name)
    ]
    return min(limits, default=None)


def _commonest(counts: csr_array) -> tuple[Codes, Floats, Floats]:
    """Per row the commonest value, how often it is there, and how many are as common."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    table = pl.DataFrame({"row": rows, "value": counts.indices, "n": counts.data})
    top = table.filter(pl.col("n") == pl.col("n").max().over("row"))
    found = top.group_by("row").agg(pl.col("value").min(), pl.col("n").first(), pl.len().alias("t"))
    best = np.zeros(counts.shape[0], dtype=np.int32)
    most, ties = np.zeros(counts.shape[0]), np.zeros(counts.shape[0])
    at = found["row"].to_numpy()
    best[at], most[at], ties[at] = (found[c].to_numpy() for c in ("value", "n", "t"))
    return best, most, ties


def _without_own(
    most: Floats, ties: Floats, counts: csr_array, of_person: Codes, values: Codes
) -> Rate:
    """How often the guess is right if the person's own row is taken away."""
    held = np.asarray(counts[of_person, values]).ravel()
    own_top = held == most[of_person]
    # Without the own row its value has one fewer: still commonest only if it was by more than one,
    # or shares the first place if it was by one; who had most with others falls behind them.
    second = _second(counts, most, ties)[of_person]
    rest = held - 1
    wins = own_top & (ties[of_person] == 1) & (rest > second)
    shares = own_top & (ties[of_person] == 1) & (rest == second) & (rest > 0)
    behind = np.where(shares, 1 / (1 + _times(counts, second, of_person)), 0.0)
    return Rate.of(float(wins.sum() + behind.sum()), len(values))


def _second(counts: csr_array, most: Floats, ties: Floats) -> Floats:
    """Per row the count of the second commonest value, the same as the first where several are."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    below = np.where(counts.data < most[rows], counts.data, 0)
    second = np.zeros(counts.shape[0])
    np.maximum.at(second, rows, below)
    return np.where(ties > 1, most, second)


def _times(counts: csr_array, wanted: Floats, of_person: Codes) -> Floats:
    """How many values have this count in the row of each person."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    table = pl.DataFrame({"row": rows, "n": counts.data.astype(np.float64)})
    number = table.group_by("row", "n").len()
    asked = pl.DataFrame({"row": of_person.astype(np.int64), "n": wanted})
    found = asked.join(number, on=["row", "n"], how="left", maintain_order="left")["len"]
    return found.fill_null(1).to_numpy().astype(np.float64)
