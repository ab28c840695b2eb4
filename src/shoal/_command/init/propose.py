"""From the profile of a table to a first plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shoal._command.init.database import find_database
from shoal._command.init.diversity import choose_diversity, without_gaps
from shoal._command.init.entry import DECIDED, Entry
from shoal._command.init.handful import choose_handful
from shoal._command.init.hierarchy import (
    HierarchyChoice,
    hierarchy_choices,
    hierarchy_files,
    no_hierarchy,
)
from shoal._command.init.household import name_households
from shoal._command.init.nature import Nature
from shoal._command.init.oddity import check_header, oddities
from shoal._command.init.person import (
    Person,
    find_person,
    leave_out_visits,
    repeating,
    with_differing,
)
from shoal._command.init.profile import Profile
from shoal._command.init.profile import profile as look_at
from shoal._command.init.proposal import Proposal
from shoal._command.init.role import choose_roles, with_a_quasi_identifier
from shoal._command.init.text import plan_text
from shoal._command.init.trial import TrialTable
from shoal.schema import Role
from shoal.schema.wording import counted, percent
from shoal.source import AnyTable

# Above this loss, or this share of cells that are *, fewer quasi-identifiers are published.
_LOSS, _STARS = 0.35, 0.2
_FEWEST = 3
# A hierarchy may cost so much more than ranges and sets, since its groups read better.
_DEARER, _MORE = 1.05, 0.005


def propose(
    profile: Profile,
    *,
    k: int = 5,
    source: str | None = None,
    hierarchies: str | Path | None = None,
    base: str | Path | None = None,
    output: str = "release/",
    decided: Mapping[str, Role] | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Proposal:
    """A commented plan for this table, which runs as it is.

    `source` is written as it is given; hierarchy files are taken from the folder `hierarchies` and
    named relative to `base`, the folder of the plan. `decided` are roles that are given and not
    chosen. `table` or `query` are those of a source that is a database.

    >>> import polars as pl
    >>> from shoal._command.init.profile import profile
    >>> ages = pl.DataFrame({"age": [31, 35, 42, 58, 61, 64, 70], "illness": list("abcabca")})
    >>> text = propose(profile(ages)).text
    >>> "age: {role: quasi, kind: numeric" in text
    True
    """
    check_header(profile)
    roles = decided or {}
    kept = frozenset(roles)
    place = None if base is None else Path(base)
    files = hierarchy_files(None if hierarchies is None else Path(hierarchies))
    entries = name_households(profile, choose_roles(profile))
    entries, person = leave_out_visits(entries, find_person(profile, entries), profile.n_rows)
    entries = _decide(entries, roles)
    choices = {
        one.name: hierarchy_choices(one.column, files, place)
        for one in entries
        if one.role is Role.QUASI or (files and one.is_open)
    }
    entries, order = _handful(profile, entries, choices, kept)
    # Whoever has it published coarsely says that it does not name people.
    if person is not None and person.column in order:
        person = None
    if person is not None:
        # Some of the handful were not taken for quasi-identifiers before, and so not compared.
        person = with_differing(profile, person, order)
        entries, person = leave_out_visits(entries, person, profile.n_rows, kept)
        entries = without_gaps(entries)
        public = {one.name for one in entries if one.role is Role.QUASI}
        order = [name for name in order if name in public]
    n_units = profile.n_rows if person is None else person.n_people
    least = max(1, min(k, n_units))
    trial = TrialTable(profile, person, least, place)
    entries = _with_hierarchies(entries, order, trial, choices)
    entries, order = _fewer(entries, order, trial, kept)
    entries, diversity = choose_diversity(entries, trial, least, kept)
    method = "auto" if person is None or not diversity else "danonyir"
    proposal = Proposal(
        entries=tuple(entries),
        person=None if person is None else _of_published(person, order),
        k=least,
        diversity=diversity,
        n_rows=profile.n_rows,
        together=_together(profile, order, person),
        rehearsed=trial.measure(entries, diversity),
        n_rehearsed=trial.n_rows,
        notes=(
            *_small(k, n_units, person),
            *([] if person else map(_repeated, repeating(entries))),
            *_shared(entries),
            *_no_description(person, profile.n_rows),
            *([] if hierarchies is None else _unused(entries, len(files))),
            *oddities(profile),
        ),
        source=source,
        output=output,
        method=method,
        table=table,
        query=query,
    )
    return replace(proposal, text=plan_text(proposal))


def init(
    data: AnyTable,
    *,
    k: int = 5,
    hierarchies: str | Path | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Proposal:
    """Look at a table and propose a commented plan for it, `init(data).text`.

    `data` is a polars, pandas or pyarrow table, a path, or the address of a database with a `table`
    or a `query`. No value of a cell enters the plan.

    >>> import polars as pl
    >>> found = init(pl.DataFrame({"age": [31, 35, 42, 58, 61], "illness": list("ababa")}))
    >>> [(entry.name, str(entry.role)) for entry in found.entries], found.diversity
    ([('age', 'quasi'), ('illness', 'sensitive')], {'illness': 2})
    """
    source = str(data) if isinstance(data, str | Path) else None
    found = look_at(find_database(data, table, query) or data)
    return propose(found, k=k, source=source, hierarchies=hierarchies, table=table, query=query)


def _decide(entries: Sequence[Entry], decided: Mapping[str, Role]) -> list[Entry]:
    """The same with the roles that are given."""
    return [
        replace(one, role=decided[one.name], reason=DECIDED, instead=None)
        if one.name in decided
        else one
        for one in entries
    ]


def _handful(
    profile: Profile,
    entries: Sequence[Entry],
    choices: Mapping[str, Sequence[HierarchyChoice]],
    decided: frozenset[str],
) -> tuple[list[Entry], list[str]]:
    """The same with a handful of quasi-identifiers, and these in order.

    Who decides for a column, or has a hierarchy for it, wants it to be published.
    """
    filed = {name for name, found in choices.items() if found[0].is_file}
    wanted = [
        one.name
        for one in entries
        if (one.role is Role.QUASI and one.name in decided)
        or (one.name in filed and one.instead is not Role.SENSITIVE)
    ]
    order, follows = choose_handful(profile, entries, wanted)
    changed = with_a_quasi_identifier([_settled(one, order, follows) for one in entries])
    return changed, order or [one.name for one in changed if one.role is Role.QUASI]


def _settled(one: Entry, order: Sequence[str], follows: Mapping[str, str]) -> Entry:
    if one.name in order and one.role is not Role.QUASI:
        return replace(
            one, role=Role.QUASI, reason=("unclear; it distinguishes people"), instead=None
        )
    if one.role is not Role.QUASI or one.name in order:
        return one
    if one.name in follows:
        return one.left_open(f"follows from {follows[one.name]}")
    known = one.column.known
    return one.left_open(f"known in {percent(known, 0)} of the rows" if known < 0.5 else one.reason)


def _with_hierarchies(
    entries: Sequence[Entry],
    order: Sequence[str],
    trial: TrialTable,
    choices: Mapping[str, Sequence[HierarchyChoice]],
) -> list[Entry]:
    """The same with a hierarchy for each quasi-identifier where it costs next to nothing."""
    found = [
        replace(one, hierarchy=(choices.get(one.name) or [no_hierarchy(one.column)])[0])
        if one.role is Role.QUASI or one.is_open
        else one
        for one in entries
    ]
    public = [one for one in found if one.role is Role.QUASI]
    if not any(choices.get(name, ())[1:] for name in order):
        return found
    best = trial.measure(public, {})
    for name in order:
        for choice in choices.get(name, ())[1:]:
            tried = [replace(o, hierarchy=choice) if o.name == name else o for o in public]
            cost = trial.measure(tried, {})
            if best and cost and cost.loss <= _DEARER * best.loss + _MORE:
                public, best = tried, cost
    settled = {one.name: one for one in public}
    return [settled.get(one.name, one) for one in found]


def _fewer(
    entries: Sequence[Entry], order: Sequence[str], trial: TrialTable, decided: frozenset[str]
) -> tuple[list[Entry], list[str]]:
    """The same with so few quasi-identifiers that the release is of use."""
    entries, order = list(entries), list(order)
    while len(order) > _FEWEST:
        found = trial.measure([one for one in entries if one.role is Role.QUASI], {})
        if found is None or (found.loss <= _LOSS and found.stars <= _STARS):
            break
        filed = [o.name for o in entries if o.hierarchy is not None and o.hierarchy.is_file]
        open_ = [name for name in order if name not in decided and name not in filed]
        if not open_:
            break
        known = {one.name: one.nature.known for one in entries}
        # Not 1, or what everybody knows would never go, whatever it costs.
        worst = max(open_, key=lambda name: found.by_attribute[name] * (1.2 - known[name]))
        reason = f"with it the release would lose {percent(found.loss, 0)} of its detail"
        entries = [one.left_open(reason) if one.name == worst else one for one in entries]
        order.remove(worst)
    return entries, order


def _of_published(person: Person, order: Sequence[str]) -> Person:
    """The person, with what is overwritten in the columns that are published."""
    kept = {name: count for name, count in person.overwritten.items() if name in order}
    return replace(person, overwritten=kept)


def _together(profile: Profile, order: Sequence[str], person: Person | None) -> dict[str, int]:
    """For each quasi-identifier, whom it and those before it single out."""
    column = None if person is None else person.column
    return {
        name: profile.n_singled_out(list(order[: place + 1]), column)
        for place, name in enumerate(order)
    }


def _unused(entries: Sequence[Entry], n_files: int) -> list[str]:
    if any(entry.hierarchy is not None and entry.hierarchy.is_file for entry in entries):
        return []
    return [
        f"no hierarchy file is used ({n_files} with the ending .csv or .txt found): a file must be "
        "named like its column and contain all of its values"
    ]


def _small(k: int, n_units: int, person: Person | None) -> list[str]:
    units = counted(n_units, "row") if person is None else counted(n_units, "person", "people")
    least = max(1, min(k, n_units))
    notes = []
    if n_units < k:
        notes.append(f"the table has only {units}, so k is {least} instead of {k}")
    if n_units < 2:
        notes.append(
            "a table with one person cannot be protected, since there is nobody to hide among; do "
            "not publish it"
        )
    elif least == 1:
        notes.append("with k = 1 a crowd may be a single person, who is not hidden")
    return notes


def _repeated(name: str) -> str:
    return (
        f"{name!r} has the same value in several rows; if these belong to one person, declare it "
        "with 'individual', or a whole crowd may be one person"
    )


def _shared(entries: Sequence[Entry]) -> list[str]:
    houses = [one.name for one in entries if one.nature is Nature.HOUSEHOLD]
    if not houses:
        return []
    return [
        f"the rows with the same {houses[0]!r} are a household; anybody who knows one member may "
        "know all of them, and a whole crowd may be one household"
    ]


def _no_description(person: Person | None, n_rows: int) -> list[str]:
    """Say where the only quasi-identifier is a fact of a visit."""
    # As many as may be slips: see leave_out_visits.
    if person is None or max(person.overwritten.values(), default=0) <= 0.02 * n_rows:
        return []
    return [
        "no column describes people, so facts about their rows are published with one value for "
        "each person, which is false; join the table with one that describes people"
    ]
