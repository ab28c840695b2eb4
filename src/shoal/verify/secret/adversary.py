"""What an adversary learns who knows everything about everybody that is not secret.

A published row can be a person if, of each attribute, it shows a label and the person's cell is
public and lies in it, or points to a bucket and the person's cell is secret, or withholds it. The
risk of identity is one over the number of rows that can be the person. What is learned of a secret
is bounded by the mean over these rows of |b(s')|/|b|, the share of the commonest value in the row's
bucket (Lemma 2), where a withheld cell counts with that share among all cells in buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.reading.encoding import Codes, Floats, Integers, combine_codes
from shoal.schema import Attribute, Requirement, Schema
from shoal.verify.secret.appearance import find_appearance
from shoal.verify.secret.match import Search
from shoal.verify.secret.rule import kind_of, secret_targets
from shoal.verify.secret.secret import Bucketed
from shoal.verify.text.published import Published

# Comparisons before the people left are only bounded: about a second of work.
_WORK = 1_000_000_000
# Comparisons between two looks at the budget.
_STAGE = 100_000_000
# People with the highest bound, who most often settle the risk at once.
_FIRST = 32
# Means of shares are sums of floats: what differs by less is the same share.
_SLACK = 1e-12


@dataclass(frozen=True)
class Risks:
    """What an adversary can gain at most, over all people in the release.

    `posteriors` has an entry for every attribute that somebody in the release holds secret. Where
    not everybody who matters was examined, the numbers are upper bounds, and not `exact`.
    `examined` is how many different people were examined. The limits are those that the
    requirements set: 1/k, and 1/l where l is of kind distinct or frequency.
    """

    identity: float
    identity_exact: bool
    posteriors: Mapping[str, float]
    posteriors_exact: Mapping[str, bool]
    examined: int
    identity_limit: float | None = None
    posterior_limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PersonRisk:
    """The published rows that can be one person, and what the adversary gains of that person.

    `identity` is 0 where no row can be the person; `posteriors` are of the person's secrets.
    """

    rows: Integers
    identity: float
    posteriors: Mapping[str, float]


def adversary_risks(published: Published) -> Risks:
    """The highest risks of the people in a sound release; never less than they are.

    People are examined by how high their risk may be: those in small classes, then those whose
    class gives most away. Nobody is examined whose risk cannot exceed the highest found.
    """
    return find_risks(Bucketed.of(published))


def find_risks(published: Bucketed) -> Risks:
    """The highest risks of the people in a sound release."""
    shown = find_appearance(published)
    hunt = _Hunt(Search(shown))
    identity, exact = hunt.identity()
    posteriors, exactly = {}, {}
    for attribute in published.schema.secret:
        if hunt.search.holds(attribute, published.origin).any():
            name = attribute.name
            learned, exactly[name] = hunt.posterior(attribute)
            posteriors[name] = _tidy(learned)
    return Risks(
        identity,
        exact,
        posteriors,
        exactly,
        hunt.search.n_examined,
        *_limits(published.schema, published.requirements),
    )


def _tidy(share: float) -> float:
    """The share, as one over a whole number where it is that but for rounding."""
    whole = 1 / round(1 / share) if share > 0 else 0.0
    return whole if abs(share - whole) <= _SLACK else share


def _limits(
    schema: Schema, requirements: Sequence[Requirement]
) -> tuple[float | None, dict[str, float]]:
    k = max((r.parameters["k"] for r in requirements if r.model == "k-anonymity"), default=None)
    limits: dict[str, float] = {}
    for requirement in requirements:
        if kind_of(requirement) in ("distinct", "frequency"):
            for attribute in secret_targets(schema, requirement):
                limit = 1 / requirement.parameters["l"]
                limits[attribute.name] = min(limit, limits.get(attribute.name, 1.0))
    return None if k is None else 1 / k, limits


class _Hunt:
    """The highest risks, found by examining as few people as possible."""

    def __init__(self, search: Search) -> None:
        self.search, self.shown = search, search.shown
        self.n_rows = self.shown.sizes[self.shown.of_row]
        self.seen = np.zeros(len(self.n_rows), dtype=np.bool_)
        secrets = [attribute.name for attribute in self.shown.published.schema.secret]
        self.found: dict[str | None, float] = dict.fromkeys([None, *secrets], 0.0)

    def identity(self) -> tuple[float, bool]:
        """The highest risk of identity: whoever is left has a class at least as large."""

        # In a sound release, all rows of a person's own class can be the person.
        def settled(row: int) -> bool:
            return bool(self.found[None] >= 1 / self.n_rows[row])

        if not len(self.n_rows):
            return 0.0, True

        # Most often nobody outside a smallest class looks like its people.
        small = np.argpartition(self.n_rows, min(_FIRST, len(self.n_rows)) - 1)[:_FIRST]
        least = self.n_rows.min()
        small = small[self.n_rows[small] == least]
        self._look(small)
        if settled(int(small[0])):
            return self.found[None], True
        # The other half of the budget is for what is learned of secrets.
        stopped = self._walk(self.different, settled, _WORK // 2)
        found = self.found[None]
        return (
            (found, True) if stopped is None else (max(found, 1 / int(self.n_rows[stopped])), False)
        )

    def posterior(self, attribute: Attribute) -> tuple[float, bool]:
        """The most that is learned of an attribute, and whether that is exact.

        Nobody learns more than the highest mean of any class: what is learned of a person is the
        mean over the rows of several classes, each of which matches as a whole.
        """
        name, origin = attribute.name, self.shown.published.origin
        means = self.shown.given_away[name] / self.shown.sizes
        bound = float(means.max(initial=0.0))

        def settled(row: int) -> bool:
            return self.found[name] >= bound * (1 - _SLACK)

        holders = self.search.holds(attribute, origin)
        top = (means >= bound * (1 - _SLACK))[self.shown.of_row] & holders
        self._look(np.flatnonzero(top)[:_FIRST])
        if not settled(0):
            left = self.different[holders[self.different] & ~self.seen[self.different]]
            # An order that finds the worst early; the bound is the same for everybody.
            left = left[np.argsort(-means[self.shown.of_row[left]], kind="stable")]
            if self._walk(left, settled, _WORK) is not None:
                return bound, False
        return self.found[name], True

    def _walk(self, rows: Integers, settled: Callable[[int], bool], budget: int) -> int | None:
        """Examine people in this order until nobody left matters; the row where work ran out."""
        n_tests = max(1, len(self.shown.class_at) * len(self.shown.attributes))
        step = min(max(_FIRST, _STAGE // n_tests), 1 << 12)
        for start in range(0, len(rows), step):
            if settled(int(rows[start])):
                return None
            if self.search.work > budget:
                return int(rows[start])
            part = rows[start : start + step]
            self._look(part[~self.seen[part]])
        return None

    def _look(self, rows: Integers) -> None:
        """Find the risks of the people of these published rows."""
        people = self.shown.published.origin[rows]
        matched = self.search.match(people)
        self.seen[rows] = True
        # Somebody whom no row fits has a risk of 1 rather than none: that may only be too high.
        n_rows = np.maximum(matched.n_rows, 1)
        self._keep(None, 1 / n_rows)
        for attribute in self.shown.published.schema.secret:
            learned = matched.sums[attribute.name] / n_rows
            self._keep(attribute.name, learned[self.search.holds(attribute, people)])

    def _keep(self, name: str | None, risks: Floats) -> None:
        self.found[name] = max(self.found[name], float(risks.max(initial=0.0)))

    @cached_property
    def different(self) -> Integers:
        """One published row for people of whom the same is known; small classes first.

        Of these it is the one in the largest class: all of their classes match each of them.
        """
        origin = self.shown.published.origin
        columns: list[tuple[Codes, int]] = []
        for attribute, bits in zip(self.shown.attributes, self.shown.bits, strict=True):
            secret = self.search.secret[attribute.name][origin]
            codes = np.where(secret, len(bits.slots), bits.codes[origin])
            columns.append((codes, len(bits.slots) + 1))
        alike, n_alike = combine_codes(columns, len(origin))
        order = np.argsort(self.n_rows, kind="stable")
        chosen = np.empty(n_alike, dtype=np.int64)
        # The last assignment stays, which is that of the largest class.
        chosen[alike[order]] = order
        return chosen[np.argsort(self.n_rows[chosen], kind="stable")]


def matching_rows(published: Published, row: int, *, mapped: bool = True) -> PersonRisk:
    """The published rows that can be the person of one input row, and what is learned of them.

    Without the row map (not `mapped`: neither `origin` nor `classes` is used), a class that
    shows nothing of an attribute may withhold it: from outside that looks like missing values.
    """
    shown = find_appearance(Bucketed.of(published), members=mapped)
    search = Search(shown)
    found = [places for _, places in search.pairs(np.array([row]))]
    can_be = np.zeros(len(shown.samples), dtype=np.bool_)
    can_be[np.concatenate([np.zeros(0, dtype=np.int64), *found])] = True
    rows = np.flatnonzero(can_be[shown.of_row])
    person = np.array([row])
    learned = {
        a.name: float(shown.given_away[a.name][can_be].sum() / max(len(rows), 1))
        for a in published.schema.secret
        if search.holds(a, person)[0]
    }
    return PersonRisk(rows, 1 / len(rows) if len(rows) else 0.0, learned)
