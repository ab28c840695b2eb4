"""A query understood: its attributes are there, its values fit them, and each is weighed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from shoal._command.query.condition import (
    ConditionValues,
    Numbers,
    Texts,
    Vocabulary,
    join_conditions,
)
from shoal._command.query.folder import ReleaseFolder
from shoal._command.query.grammar import Query, QueryCondition, QueryError, place
from shoal._command.query.name import Meaning, weigh_texts
from shoal._command.query.share import Weighed, WeighedNumbers
from shoal._command.query.stretch import Stretches, read_stretches, weigh_numbers
from shoal.errors import DataError, Problem
from shoal.plan import Plan
from shoal.plan.wording import did_you_mean, nearest, one_of
from shoal.reading.encoding import Codes, encode_text
from shoal.schema import Kind

_LONGEST_NAME = 60
_MOST_NAMES = 12
_MOST_NEAR = 3


@dataclass(frozen=True, eq=False)
class Interpretation:
    """Every attribute of a query, weighed: the conditions, and the numbers to sum if any."""

    conditions: Mapping[str, Weighed]
    summed: WeighedNumbers | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Interpreter:
    """Understands queries to one release; what it has read of an attribute it keeps."""

    release: ReleaseFolder
    plan: Plan | None = None
    _meanings: dict[str, Meaning] = field(default_factory=dict)
    _stretches: dict[str, Stretches] = field(default_factory=dict)
    _words: dict[str, Vocabulary] = field(default_factory=dict)

    def interpret(self, query: Query) -> Interpretation:
        """Weigh every attribute of a query; raises QueryError with every problem there is."""
        if unknown := list(_unknown_names(query, self.release)):
            raise QueryError(unknown)
        targets = self._conditions(query)
        notes = list(_other_plan(self.release, self.plan))
        summed = None
        if query.attribute is not None:
            numbers = targets.pop(query.attribute)
            assert isinstance(numbers, Numbers)
            # A missing number is in no sum, and in no mean.
            summed = self._weigh_numbers(query.attribute, Numbers(numbers.spans, missing=False))
            self._check_amounts(query.attribute, summed)
        weighed = {name: self._weigh(name, one, notes) for name, one in targets.items()}
        return Interpretation(weighed, summed, tuple(notes))

    def people(self, query: Query) -> Codes:
        """The person of every row; raises QueryError if the release does not tell them apart."""
        person = self.release.manifest.person
        if person is None:
            text = "COUNT(DISTINCT …) needs people with numbers, but each row is a person here."
            raise QueryError(Problem(text, place(query.position), "Write COUNT(*)."))
        return encode_text(self.release.data[person]).codes

    def group_values(self, query: Query) -> list[str | None]:
        """The values of the attribute of GROUP BY, in order, None for the missing one."""
        assert query.group is not None
        if unknown := list(_unknown_names(query, self.release)):
            raise QueryError(unknown)
        view = self.release.view(query.group)
        if view.kind in (Kind.NUMERIC, Kind.DATE):
            text = f"GROUP BY needs categories, but {query.group!r} is {view.kind}."
            hint = "Ask for ranges one by one: WHERE … BETWEEN … AND …."
            raise QueryError(Problem(text, place(query.group_position), hint))
        domain = self._meaning(query.group).domain
        return [*sorted(domain - {""}), *([None] if "" in domain else [])]

    def _vocabulary(self, name: str) -> Vocabulary:
        if name not in self._words:
            attributes = () if self.plan is None else self.plan.schema.attributes
            declared = next((a for a in attributes if a.name == name), None)
            self._words[name] = Vocabulary(name, self.release.view(name).kind, declared)
        return self._words[name]

    def _conditions(self, query: Query) -> dict[str, ConditionValues]:
        """All conditions on an attribute together, for every attribute of the query."""
        conditions: dict[str, list[QueryCondition]] = {}
        for condition in query.conditions:
            conditions.setdefault(condition.attribute, []).append(condition)
        problems: list[Problem] = []
        if query.attribute is not None:
            conditions.setdefault(query.attribute, [])
            problems += _no_number(query, self.release.view(query.attribute).kind)
        targets: dict[str, ConditionValues] = {}
        for name, own in conditions.items():
            try:
                targets[name] = join_conditions(own, self._vocabulary(name))
            except QueryError as error:
                problems += error.problems
        if problems:
            raise QueryError(problems)
        return targets

    def _weigh(self, name: str, target: ConditionValues, notes: list[str]) -> Weighed:
        if isinstance(target, Numbers):
            return self._weigh_numbers(name, target)
        meaning = self._meaning(name)
        notes += _never_seen(meaning, target)
        return weigh_texts(meaning, target)

    def _meaning(self, name: str) -> Meaning:
        if name not in self._meanings:
            self._meanings[name] = Meaning(self.release.view(name), self._vocabulary(name))
        return self._meanings[name]

    def _weigh_numbers(self, name: str, target: Numbers) -> WeighedNumbers:
        if name not in self._stretches:
            view = self.release.view(name)
            self._stretches[name] = read_stretches(view, self._vocabulary(name))
        return weigh_numbers(self._stretches[name], target)

    def _check_amounts(self, name: str, weighed: WeighedNumbers) -> None:
        """A sum over cells that show nothing needs at least a domain."""
        blind = weighed.hidden | weighed.unknown
        blind &= weighed.amounts.least != weighed.amounts.least
        if self.release.view(name).count(blind):
            text = "A sum needs at least one number, but the release shows none of this attribute."
            raise DataError(Problem(text, name, "Give a plan with its domain: --plan PLAN."))


def _unknown_names(query: Query, release: ReleaseFolder) -> Iterator[Problem]:
    names = {} if query.attribute is None else {query.attribute: query.position}
    for condition in query.conditions:
        names.setdefault(condition.attribute, condition.position)
    if query.group is not None:
        names.setdefault(query.group, query.group_position)
    for name, position in names.items():
        if name not in release.columns:
            short = len(name) <= _LONGEST_NAME
            hint = did_you_mean(name, release.columns) if short else ""
            name = name if short else f"{name[:_LONGEST_NAME]}…"
            text = f"The release has no attribute {name!r}."
            yield Problem(text, place(position), hint or _names(release))


def _names(release: ReleaseFolder) -> str:
    names = [repr(name) for name in release.columns]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"It has {', '.join(names[:_MOST_NAMES])}{more}." if names else ""


def _no_number(query: Query, kind: Kind) -> list[Problem]:
    if kind is Kind.NUMERIC:
        return []
    text = f"{query.function} needs numbers, but {query.attribute!r} is {kind}."
    return [Problem(text, place(query.position), "COUNT(*) counts rows.")]


def _never_seen(meaning: Meaning, target: Texts) -> Iterator[str]:
    """A slip of the pen gives 0 without any other sign."""
    seen = meaning.domain | meaning.values | meaning.words.leaves.keys()
    lost = target.named - seen - frozenset(meaning.bare)
    if not lost:
        return
    name = meaning.view.name
    hint = _shown_near(lost, seen | frozenset(meaning.bare))
    if len(target.named) == 1:
        text = f"No row shows the value that {name!r} is compared with."
    else:
        few = "value" if len(lost) == 1 else "values"
        text = (
            f"No row shows {len(lost)} of the {len(target.named)} values that {name!r} is compared "
            f"with: the {few} may be misspelt."
        )
    yield f"{text} {hint}".rstrip()


def _shown_near(lost: Iterable[str], shown: Collection[str]) -> str:
    """Published labels that may have been meant; a label of a release is no secret."""
    found = [nearest(one, shown) for one in sorted(lost) if len(one) <= _LONGEST_NAME]
    near = sorted({one for one in found if one is not None})[:_MOST_NEAR]
    return f"Did you mean {one_of(near)}?" if near else ""


def _other_plan(release: ReleaseFolder, plan: Plan | None) -> Iterator[str]:
    """What the manifest says of the plan must fit; its digest is salted and says nothing here."""
    if plan is None:
        return
    stated, columns = release.manifest, release.columns
    required = {str(requirement) for requirement in stated.requirements}
    differs = stated.method not in ("", plan.method.name)
    differs |= bool(required) and required != {str(r) for r in plan.requirements}
    differs |= any(
        a.name in columns and columns[a.name].role != a.role for a in plan.schema.attributes
    )
    if differs:
        yield "The release was made with another plan: its method, requirements or roles differ."
