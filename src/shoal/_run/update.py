"""People who arrive later, and people who leave: a release on from the private side of another.

state → the new rows, with those that stay → coded → classes renewed → and on as in a run
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import code
from shoal._run.engine import Engine, LocalEngine
from shoal._run.invariance import extended, names_of, renew_signed, with_counterfeits
from shoal._run.overlap import Overlap, compare_versions
from shoal._run.pattern import renew_patterns
from shoal._run.read import Input, read_declared, settle
from shoal._run.release import Release
from shoal._run.renew import Earlier, Renewal, renew
from shoal._run.run import demand_ledger, publish, with_history
from shoal._run.seed import Seed
from shoal._run.signed import Before, Bucketiser, Versions
from shoal._run.solve import solve
from shoal.errors import DataError, InfeasibleError, PlanError
from shoal.folder.private import release_of
from shoal.folder.state import State, read_state
from shoal.folder.writing import Progress, claim_places, write_release
from shoal.plan import Plan
from shoal.release.ledger import Ledger
from shoal.schema.advice import advise
from shoal.source import AnyTable

_MOST_LINES = 10


@dataclass(frozen=True, eq=False)
class Update(Release):
    """A release that continues from another: how many came and left, and what both reveal together.

    `touched` classes were computed again; all of them where the method cannot do less (`whole`).
    """

    arrived: int = 0
    left: int = 0
    touched: int = 0
    whole: bool = False
    overlap: Overlap | None = None


def update(
    state: str | Path,
    data: AnyTable | None = None,
    remove: Iterable[Any] | None = None,
    *,
    engine: Engine | None = None,
    output: str | Path | None = None,
    private: str | Path | None = None,
    force: bool = False,
    refuse: bool = False,
    progress: Progress | None = None,
) -> Update:
    """The release of the people of a state, with those of `data` and without those of `remove`.

    `state` is the private folder of a run; it is not changed. `data` has the columns of its plan:
    rows of new people, or further rows of people who are there. `remove` names people by the
    column of individuals, or rows by their numbers from 0 where the plan has none. Everybody else
    stays in their class, unless it no longer holds; the result is verified like any other release.
    With `refuse` nothing is written where the new version, together with that of the state, would
    show fewer sensitive values of somebody than each version alone must.
    """
    earlier = read_state(Path(state))
    plan = Plan.parse(earlier.plan, earlier.folder)
    folder, own = (None if place is None else Path(place) for place in (output, private))
    if own is not None and folder is None:
        raise PlanError(
            "A private folder needs a release, but the call names no output.",
            hint="Give an output folder too.",
        )
    demand_ledger(plan, folder, own)
    if plan.republish is not None and earlier.ledger is None:
        raise DataError(
            f"{plan.republish} needs the ledger of earlier versions, but the state in '{state}' "
            "has none.",
            "Take it from a backup, or run the plan again for people who are in no version.",
        )
    claim_places(folder, own, force)
    engine, stage = engine or LocalEngine(), progress or (lambda _: nullcontext())
    with stage("reading"):
        stay = _staying(plan, earlier, remove)
        arriving = None if data is None else _arriving(plan, earlier, data, engine)
        if arriving is None and stay.all():
            hint = "Name a table of people who arrive, or --remove FILE."
            raise DataError("The update is empty: nobody arrives and nobody leaves.", hint)
        given = earlier.frame.filter(pl.Series(stay))
        known = earlier.classes[stay]
        if arriving is not None:
            given = pl.concat([given, arriving])
            known = np.concatenate([known, np.zeros(arriving.height, dtype=np.int64)])
        source = settle(plan, given, earlier.seed, typed=earlier.typed)
    before = Earlier(known, earlier.heights, earlier.patterns, together=refuse)
    made, found = _go_on(plan, source, stay, before, earlier, engine, stage)
    overlap = compare_versions(made, earlier, stay)
    release = _as_update(made, found, stay, given.height, overlap)
    few, alone = overlap.exposed, overlap.thinned if plan.republish is None else 0
    if refuse and (few or alone):
        raise InfeasibleError(
            f"Refused: with the earlier version, {few:,} people would show fewer sensitive values "
            f"than required, and {alone:,} would be hidden among fewer people than required.",
            hint="Publish it without '--refuse' if you accept that, or make a new release.",
        )
    if folder is not None and own is not None:
        release = with_history(release, folder, own)
    if folder is not None:
        with stage("writing"):
            write_release(
                release, folder, private=own, force=force, format=release.format, progress=progress
            )
    return release


def _go_on(
    plan: Plan,
    source: Input,
    stay: NDArray[np.bool_],
    before: Earlier,
    state: State,
    engine: Engine,
    stage: Progress,
) -> tuple[Release, Renewal]:
    """Classes that continue from those before, and the release of them."""
    if plan.method.layout.keeps_secrets:
        return _go_on_in_buckets(plan, source, stay, before, state, engine, stage)
    seed = Seed(state.seed, "drawn")
    with stage("coding"):
        coded = code(plan, source, seed.value, complete=plan.republish is None)
    ledger = _with_last(state)
    with stage(plan.method.name):
        if plan.republish is None:
            found = renew(plan, coded, engine, before)
        else:
            found, made = renew_signed(plan, coded, engine, before, ledger)
    repaired = found.repaired
    if plan.republish is not None and len(made):
        with stage("counterfeits"):
            source = with_counterfeits(plan, source, made, seed.value, typed=state.typed)
            coded = code(plan, source, seed.value)
            repaired = extended(repaired, made)
    return publish(plan, coded, repaired, stage, seed, ledger), found


def _with_last(state: State) -> Ledger:
    """The ledger of a state, with the release that it belongs to by its name."""
    ledger = Ledger.empty() if state.ledger is None else state.ledger
    return replace(ledger, releases=(*ledger.releases, release_of(state.folder)))


def _go_on_in_buckets(
    plan: Plan,
    source: Input,
    stay: NDArray[np.bool_],
    earlier: Earlier,
    state: State,
    engine: Engine,
    stage: Progress,
) -> tuple[Release, Renewal]:
    """Classes and buckets that continue from those before; classes hold no secrets.

    With m-invariance buckets keep everybody's signature.
    """
    seed, ledger = Seed(state.seed, "drawn"), _with_last(state)
    with stage("coding"):
        coded = code(plan, source, seed.value)
    n_new = coded.table.n_rows - int(np.count_nonzero(stay))
    nowhere = np.full(n_new, -1, dtype=np.int64)
    before = {name: np.append(own[0][stay], nowhere) for name, own in state.held.items()}
    versions: Bucketiser = Before(before)
    left_out = None
    if plan.republish is not None:
        versions = signed = Versions(names_of(plan, source), ledger, before)
        left_out = signed.misfits(plan, coded.table)
    with stage(plan.method.name):
        found = renew_patterns(plan, coded, earlier, left_out)
        if found is None:
            anew = solve(plan, coded, engine, left_out=left_out)
            found = Renewal(anew, coded.table.n_units, whole=True)
    return publish(plan, coded, found.repaired, stage, seed, ledger, versions), found


def _as_update(
    made: Release, found: Renewal, stay: NDArray[np.bool_], n_rows: int, overlap: Overlap
) -> Update:
    release = Update(
        **{name: getattr(made, name) for name in Release.__dataclass_fields__},
        arrived=n_rows - int(np.count_nonzero(stay)),
        left=int(np.count_nonzero(~stay)),
        touched=found.n_touched,
        whole=found.whole,
        overlap=overlap,
    )
    if not (overlap.exposed or (overlap.thinned and made.republish is None)):
        return release
    text = (
        f"Of the {overlap.people:,} people in both versions, {overlap.exposed:,} have two classes "
        f"that share fewer sensitive values than required, and {overlap.thinned:,} share both "
        "classes with fewer people than required: anybody who compares the versions learns more "
        "than either shows."
    )
    return replace(release, advice=(*release.advice, advise("versions-together", text)))


def _staying(plan: Plan, state: State, remove: Iterable[Any] | None) -> NDArray[np.bool_]:
    """Which rows of the state stay; raises DataError where somebody who leaves is not there."""
    stay = np.ones(state.frame.height, dtype=np.bool_)
    if remove is None:
        return stay
    # With their places: a file of people may have empty lines.
    listed = [(place, str(one)) for place, one in enumerate(remove) if str(one)]
    named, places = [one for _, one in listed], np.array([place for place, _ in listed], dtype=int)
    if plan.schema.individual is None:
        rows = np.array([_row_number(one, state.frame.height) for one in named], dtype=np.int64)
        if (wrong := places[rows < 0]).size:
            raise DataError(
                f"Rows that leave must be numbers from 0 to {state.frame.height - 1:,}, since the "
                f"plan names no 'individual' column, but {len(wrong):,} of {len(named):,} are not: "
                f"{_lines(wrong)}.",
                "Correct or remove them.",
            )
        stay[rows] = False
        return stay
    column = state.frame[plan.schema.individual.column].cast(pl.String)
    asked = pl.Series(named, dtype=pl.String)
    unknown = places[~asked.is_in(column.implode()).to_numpy()]
    if len(unknown):
        raise DataError(
            f"{len(unknown):,} of the {len(named):,} people to remove are not in the state: "
            f"{_lines(unknown)}.",
            f"Name them as in the column {plan.schema.individual.column!r}.",
        )
    return ~column.is_in(asked.implode()).to_numpy()


def _row_number(given: str, n_rows: int) -> int:
    """The number of a row of the state; -1 if it is none."""
    try:
        row = int(given)
    except ValueError:
        return -1
    return row if 0 <= row < n_rows else -1


def _lines(places: NDArray[np.int_]) -> str:
    """Which lines of a list are meant, counted from 1; never what they say.

    >>> _lines(np.array([0])), _lines(np.array([1, 4]))
    ('line 1 of the list', 'lines 2 and 5 of the list')
    """
    numbers = [f"{place + 1:,}" for place in places[:_MOST_LINES].tolist()]
    if more := len(places) - len(numbers):
        numbers.append(f"{more:,} more")
    *others, last = numbers
    said = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
    return f"{said} of the list"


def _arriving(plan: Plan, state: State, data: Any, engine: Engine) -> pl.DataFrame:
    """The new rows with the columns and types of those that are there."""
    given = read_declared(plan, data, Path.cwd(), engine)
    given = settle(plan, given, state.seed, typed=state.typed).given.select(state.frame.columns)
    changed = [name for name, dtype in state.frame.schema.items() if given.schema[name] != dtype]
    try:
        return given.cast({name: state.frame.schema[name] for name in changed})
    except pl.exceptions.PolarsError:
        pass
    raise DataError(
        f"The new rows must have the types of those in the state, but these columns differ: "
        f"{', '.join(map(repr, changed))}.",
        "Export them in the same form.",
    ) from None
