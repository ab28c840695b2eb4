"""From the profile of a table to a first plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal._command.init.entry import Entry
from shoal._command.init.hierarchy import choose_hierarchy, hierarchy_files
from shoal._command.init.oddity import check_header, oddities
from shoal._command.init.person import Person, find_person, leave_out_visits, repeating
from shoal._command.init.profile import Profile
from shoal._command.init.profile import profile as look_at
from shoal._command.init.proposal import Proposal
from shoal._command.init.role import choose_roles
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

    `source` is written as it is given; hierarchy files are taken from the folder `hierarchies` and
    named relative to `base`, the folder of the plan.

    >>> import polars as pl
    >>> from shoal._command.init.profile import profile
    >>> ages = pl.DataFrame({"age": [31, 35, 42, 58, 61, 64, 70], "illness": list("abcabca")})
    >>> text = propose(profile(ages)).text
    >>> "age: {role: quasi, kind: numeric, hierarchy: {width: 2, levels: 4}}" in text
    True
    """
    check_header(profile)
    roles = choose_roles(profile)
    roles, person = leave_out_visits(roles, find_person(profile, roles), profile.n_rows)
    files = hierarchy_files(None if hierarchies is None else Path(hierarchies))
    place = None if base is None else Path(base)
    entries = tuple(
        replace(one, hierarchy=choose_hierarchy(one.column, files, place))
        if one.role is Role.QUASI
        else one
        for one in roles
    )
    n_units = profile.n_rows if person is None else person.n_people
    quasi = [entry.name for entry in entries if entry.role is Role.QUASI]
    n_alone = profile.singled_out(quasi, None if person is None else person.column)
    unit = "rows" if person is None else "people"
    proposal = Proposal(
        entries=entries,
        person=person,
        k=max(1, min(k, n_units)),
        diversity=_diversity(entries),
        n_rows=profile.n_rows,
        n_singled_out=n_alone,
        notes=(
            f"the quasi-identifiers ({len(quasi)}) together single out {n_alone:,} of "
            f"{n_units:,} {unit} ({n_alone / n_units:.1%})",
            *_small(k, n_units, person),
            *([] if person else map(_repeated, repeating(entries))),
            *([] if hierarchies is None else _unused(entries, len(files))),
            *oddities(profile),
        ),
        source=source,
        output=output,
    )
    return replace(proposal, text=plan_text(proposal))


def init(data: Any, *, k: int = 5, hierarchies: str | Path | None = None) -> Proposal:
    """Look at a table and propose a commented plan for it, `init(data).text`.

    `data` is a polars, pandas or pyarrow table, or a path. No value of a cell enters the plan.

    >>> import polars as pl
    >>> found = init(pl.DataFrame({"age": [31, 35, 42, 58, 61], "illness": list("ababa")}))
    >>> [(entry.name, str(entry.role)) for entry in found.entries], found.diversity
    ([('age', 'quasi'), ('illness', 'sensitive')], {'illness': 2})
    """
    source = str(data) if isinstance(data, str | Path) else None
    return propose(look_at(data), k=k, source=source, hierarchies=hierarchies)


def _diversity(entries: Sequence[Entry]) -> dict[str, int]:
    """The l to require for each sensitive attribute, as far as values that are known carry it."""
    sensitive = [entry.column for entry in entries if entry.role is Role.SENSITIVE]
    n_values = {c.name: c.n_distinct for c in sensitive}
    return {name: min(n, _MOST_DIVERSE) for name, n in n_values.items() if n > 1}


def _unused(entries: Sequence[Entry], n_files: int) -> list[str]:
    if any(entry.hierarchy is not None and entry.hierarchy.is_file for entry in entries):
        return []
    return [
        f"no hierarchy file is used ({n_files} with the ending .csv or .txt found): a file must be "
        "named like its column and contain all of its values"
    ]


def _small(k: int, n_units: int, person: Person | None) -> list[str]:
    if n_units >= k:
        return []
    word = "rows" if person is None else "people"
    return [f"the table has only {n_units} {word}, so k is {max(1, n_units)} instead of {k}"]


def _repeated(name: str) -> str:
    return (
        f"{name!r} has the same value in several rows; if these belong to one person, declare it "
        "with 'individual', or a whole crowd may be one person"
    )
