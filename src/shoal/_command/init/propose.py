"""From the profile of a table to a first plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shoal._command.init.ladder import hierarchy_files, propose_ladder
from shoal._command.init.oddity import check_header, oddities
from shoal._command.init.person import Person, find_person, leave_out_visits, repeating
from shoal._command.init.profile import Profile
from shoal._command.init.proposal import Entry, Proposal
from shoal._command.init.role import Proposed, propose_roles
from shoal._command.init.text import plan_text
from shoal.schema import Role

_MOST_DIVERSE = 3


def propose(
    profile: Profile,
    *,
    k: int = 5,
    source: str | None = None,
    hierarchies: str | Path | None = None,
    base: str | Path | None = None,
    output: str = "release/",
) -> Proposal:
    """A commented plan for this table, which runs as it is.

    `source` is written as it is given; hierarchy files are looked for in the folder `hierarchies`
    and named relative to `base`, the folder of the plan.

    >>> import polars as pl
    >>> from shoal._command.init.profile import profile
    >>> ages = pl.DataFrame({"age": [31, 35, 42, 58, 61, 64, 70], "illness": list("abcabca")})
    >>> text = propose(profile(ages)).text
    >>> "age: {role: quasi, kind: numeric, hierarchy: {width: 2, levels: 4}}" in text
    True
    """
    check_header(profile)
    roles = propose_roles(profile)
    roles, person = leave_out_visits(roles, find_person(profile, roles), profile.n_rows)
    files = hierarchy_files(None if hierarchies is None else Path(hierarchies))
    place = None if base is None else Path(base)
    entries = tuple(
        Entry(one, propose_ladder(one.column, files, place) if one.role is Role.QUASI else None)
        for one in roles
    )
    n_units = profile.n_rows if person is None else person.n_people
    quasi = [entry.name for entry in entries if entry.role is Role.QUASI]
    found = Proposal(
        entries=entries,
        person=person,
        k=max(1, min(k, n_units)),
        diversity=_diversity(roles),
        n_rows=profile.n_rows,
        n_singled_out=profile.singled_out(quasi),
        notes=(
            *_small(k, n_units, person),
            *_repeated(roles, person),
            *([] if hierarchies is None else _unused(entries, len(files))),
            *oddities(profile),
        ),
        source=source,
        output=output,
    )
    return replace(found, text=plan_text(found))


def _diversity(roles: Sequence[Proposed]) -> dict[str, int]:
    """For each sensitive attribute the l to ask for."""
    sensitive = [one.column for one in roles if one.role is Role.SENSITIVE]
    n_values = {c.name: c.n_distinct + bool(c.n_missing) for c in sensitive}
    return {name: min(n, _MOST_DIVERSE) for name, n in n_values.items() if n > 1}


def _unused(entries: Sequence[Entry], n_files: int) -> list[str]:
    if any(entry.ladder is not None and entry.ladder.is_file for entry in entries):
        return []
    looked = f"{n_files} file{'' if n_files == 1 else 's'} (.csv, .txt) looked at"
    return [
        f"no hierarchy file is used, {looked}: a file must be named like its column, "
        "and have every value of it"
    ]


def _small(k: int, n_units: int, person: Person | None) -> list[str]:
    if n_units >= k:
        return []
    word = "rows" if person is None else "people"
    return [f"the table has only {n_units} {word}, so k is {max(1, n_units)} and not {k}"]


def _repeated(roles: Sequence[Proposed], person: Person | None) -> list[str]:
    if person is not None:
        return []
    return [
        f"{name!r} has the same value in several rows; if these are one person, say so with "
        "'individual', else a crowd of rows may be one person"
        for name in repeating(roles)
    ]
