"""A query understood: its attributes are there, its values fit them, and each is weighed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shoal._command.query.condition import Numbers, Texts, Vocabulary, Wanted, wanted
from shoal._command.query.folder import ReleaseFolder, Shown
from shoal._command.query.grammar import Condition, Query, QueryError, place
from shoal._command.query.line import Line, read_line, weigh_numbers
from shoal._command.query.name import Meaning, weigh_texts
from shoal._command.query.share import Weighed
from shoal.errors import DataError, Problem
from shoal.plan import Plan
from shoal.plan.wording import did_you_mean
from shoal.schema import Attribute, Kind

_LONGEST_NAME = 60


@dataclass(frozen=True, eq=False)
class Reading:
    """Every attribute that a query names, weighed, and what is to be said of that."""

    weighed: Mapping[str, Weighed]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Told:
    """What a plan tells of one attribute."""

    attribute: Attribute | None
    leaves: Mapping[str, frozenset[str]]

    @staticmethod
    def by(plan: Plan | None, name: str) -> _Told:
        known = {} if plan is None else {a.name: a for a in plan.schema.attributes}
        attribute = known.get(name)
        if attribute is None or attribute.hierarchy is None:
            return _Told(attribute, {})
        below: dict[str, set[str]] = {}
        for row in attribute.hierarchy.rows:
            for label in row:
                below.setdefault(label, set()).add(row[0])
        return _Told(attribute, {label: frozenset(leaves) for label, leaves in below.items()})

    @property
    def order(self) -> tuple[str, ...] | None:
        return None if self.attribute is None else self.attribute.values

    @property
    def domain(self) -> tuple[float, float] | None:
        return None if self.attribute is None else self.attribute.domain

    @property
    def values(self) -> frozenset[str] | None:
        """The declared domain of categories: values, else the leaves of a hierarchy."""
        if self.order is not None:
            return frozenset(self.order)
        return frozenset().union(*self.leaves.values()) if self.leaves else None

    def nodes(self) -> dict[str, frozenset[str]]:
        """The nodes that are no leaves themselves: what else a query may ask for by name."""
        leaves = self.values if self.leaves else frozenset()
        assert leaves is not None
        return {label: below for label, below in self.leaves.items() if label not in leaves}


@dataclass(frozen=True, eq=False)
class Reader:
    """Understands queries to one release; what it has read of an attribute it keeps."""

    release: ReleaseFolder
    plan: Plan | None = None
    _lines: dict[str, Line] = field(default_factory=dict)
    _meanings: dict[str, Meaning] = field(default_factory=dict)
    _told: dict[str, _Told] = field(default_factory=dict)

    def read(self, query: Query) -> Reading:
        """Weigh every attribute of a query; raises QueryError with every problem there is."""
        release = self.release
        if unknown := list(_unknown_names(query, release)):
            raise QueryError(unknown)
        asked = self._wanted(query)
        if query.attribute is not None:
            # A missing number is in no sum, and in no mean.
            asked[query.attribute] = _present(asked[query.attribute])
        notes = list(_other_plan(release, self.plan))
        weighed = {name: self._weigh(name, one, notes) for name, one in asked.items()}
        if query.attribute is not None:
            _check_amounts(release.shown(query.attribute), weighed[query.attribute])
        return Reading(weighed, tuple(notes))

    def told(self, name: str) -> _Told:
        """What the plan tells of an attribute."""
        if name not in self._told:
            self._told[name] = _Told.by(self.plan, name)
        return self._told[name]

    def _wanted(self, query: Query) -> dict[str, Wanted]:
        """All conditions on an attribute together, for every attribute that is named."""
        conditions: dict[str, list[Condition]] = {}
        for condition in query.conditions:
            conditions.setdefault(condition.attribute, []).append(condition)
        problems: list[Problem] = []
        if query.attribute is not None:
            conditions.setdefault(query.attribute, [])
            problems += _no_number(query, self.release)
        asked: dict[str, Wanted] = {}
        for name, own in conditions.items():
            told, kind = self.told(name), self.release.shown(name).kind
            try:
                asked[name] = wanted(own, Vocabulary(name, kind, told.order, told.nodes()))
            except QueryError as error:
                problems += error.problems
        if problems:
            raise QueryError(problems)
        return asked

    def _weigh(self, name: str, one: Wanted, notes: list[str]) -> Weighed:
        shown, told = self.release.shown(name), self.told(name)
        if isinstance(one, Numbers):
            if name not in self._lines:
                self._lines[name] = read_line(shown, told.leaves, told.domain)
            return weigh_numbers(shown, self._lines[name], one)
        if name not in self._meanings:
            self._meanings[name] = Meaning(shown, told.leaves, told.values)
        notes += _never_seen(self._meanings[name], one)
        return weigh_texts(self._meanings[name], one)


def _present(one: Wanted) -> Numbers:
    assert isinstance(one, Numbers)
    return one.present()


def _unknown_names(query: Query, release: ReleaseFolder) -> Iterator[Problem]:
    asked = {} if query.attribute is None else {query.attribute: query.position}
    for condition in query.conditions:
        asked.setdefault(condition.attribute, condition.position)
    for name, position in asked.items():
        if name not in release.columns:
            shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
            hint = did_you_mean(name, release.columns) if len(name) <= _LONGEST_NAME else ""
            text = f"The release has no attribute {shown!r}."
            yield Problem(text, place(position), hint or _names(release))


def _names(release: ReleaseFolder) -> str:
    names = [repr(name) for name in release.columns]
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"It has {', '.join(names[:12])}{more}." if names else ""


def _no_number(query: Query, release: ReleaseFolder) -> list[Problem]:
    assert query.attribute is not None
    shown = release.shown(query.attribute)
    if shown.kind is Kind.NUMERIC:
        return []
    text = f"{query.function} is of numbers, and {query.attribute!r} is {shown.kind}."
    return [Problem(text, place(query.position), "COUNT(*) counts rows.")]


def _check_amounts(shown: Shown, weighed: Weighed) -> None:
    """A sum over cells that show nothing needs at least a domain."""
    assert weighed.amounts is not None
    blind = weighed.hidden | weighed.unknown
    blind &= weighed.amounts.least != weighed.amounts.least
    if weighed.count(shown, blind):
        raise DataError(
            Problem(
                "The release shows no number of it, so that there is nothing to sum.",
                shown.name,
                "A plan that declares its domain would do: --plan PLAN.",
            )
        )


def _never_seen(meaning: Meaning, one: Texts) -> Iterator[str]:
    """A slip of the pen gives 0 without any other sign."""
    seen = meaning.domain | meaning.values | meaning.leaves.keys()
    lost = one.named - seen - frozenset(meaning.bare)
    if lost:
        few = "is" if len(lost) == 1 else "are"
        yield (
            f"{len(lost)} of the {len(one.named)} values asked of {meaning.shown.name!r} {few} "
            "not among those that the release shows."
        )


def _other_plan(release: ReleaseFolder, plan: Plan | None) -> Iterator[str]:
    if plan is not None and release.manifest.plan not in ("", plan.digest()):
        yield "The plan is not the one that the release was made by: its digest is another one."
