"""Which secrets are published, and the l that each of them can carry."""

from __future__ import annotations

from collections.abc import Sequence

from shoal._command.init.entry import Entry
from shoal._command.init.trial import TrialTable
from shoal.schema import Kind, Role
from shoal.schema.wording import counted, percent

# A choice, not a finding.
MOST = 6
# Of people with several rows, whose secrets are searched for sets that hit everybody's.
_MOST_OF_PEOPLE = 3
_MOST_DIVERSE = 3
# A crowd that must show l values of a rare secret has at least this many times k rows.
_LARGEST_CROWD = 6
# Secrets are published as long as all of them do not raise the loss beyond this.
_DEARER, _LOSS = 1.5, 0.25


def choose_diversity(
    entries: Sequence[Entry], trial: TrialTable, k: int, decided: frozenset[str] = frozenset()
) -> tuple[list[Entry], dict[str, int]]:
    """The same with the secrets that cost too much left out, and the l to require of the others.

    A secret carries as many different values as are known and frequent enough for every crowd to
    show them without becoming much larger than k. Those in `decided` are kept in any case.
    """
    secrets = [one for one in entries if one.role is Role.SENSITIVE]
    public = [one for one in entries if one.role is not Role.SENSITIVE]
    kept: list[Entry] = []
    carried: dict[str, int] = {}
    open_: dict[str, Entry] = {}
    most_kept = _MOST_OF_PEOPLE if trial.has_people else MOST
    base = trial.measure(public, {})
    most = None if base is None else max(_DEARER * base.loss, _LOSS)
    for one in sorted(secrets, key=lambda one: (one.name not in decided, _burden(one))):
        if one.name not in decided and len(kept) >= most_kept:
            open_[one.name] = one.left_open("")
            continue
        least, loss = _carried(one, [*public, *kept], carried, trial, k, most)
        if least or one.name in decided:
            kept.append(one)
            carried |= {one.name: least} if least else {}
            continue
        open_[one.name] = one.left_open(_why(one, loss, base.loss if base else 0.0, k))
    named = {name: carried[name] for one in secrets if (name := one.name) in carried}
    return [open_.get(one.name, one) for one in entries], named


def _burden(one: Entry) -> tuple[int, bool, float]:
    """What is published first: what costs least, and of that what says most.

    The cost is how large crowds become by it, in powers of two; a diagnosis says more than how many
    there are.
    """
    # Of a column with one value, the size is infinite.
    size = int(min(one.column.rows_per_class(2), 2.0**30)).bit_length()
    return size, one.column.kind is Kind.NUMERIC, -one.column.entropy


def _carried(
    one: Entry,
    others: Sequence[Entry],
    carried: dict[str, int],
    trial: TrialTable,
    k: int,
    most: float | None,
) -> tuple[int, float | None]:
    """The largest l that costs little enough, and the loss of the smallest if none does."""
    loss = None
    for least in range(min(_MOST_DIVERSE, one.column.n_distinct), 1, -1):
        if one.column.rows_per_class(least) > _LARGEST_CROWD * k:
            continue
        found = trial.measure([*others, one], {**carried, one.name: least})
        if found is None:
            continue
        loss = found.loss
        if most is None or loss <= most:
            return least, loss
    return 0, loss


def _why(one: Entry, loss: float | None, base: float, k: int) -> str:
    column = one.column
    if loss is not None:
        return f"l = 2 of it would raise the loss from {base:.2f} to {loss:.2f}"
    if column.n_distinct < 2:
        return "it has one known value"
    if column.rows_per_class(2) > _LARGEST_CROWD * k:
        return f"{percent(column.counts[0] / column.n_rows, 0)} of the rows have the same value"
    return "no crowd would show two values of it, whichever row is the true one"


def without_gaps(entries: Sequence[Entry]) -> list[Entry]:
    """The same with secrets that are missing somewhere left out, as eir-l takes none of them."""
    return [
        one.left_open(f"missing in {counted(one.column.n_missing, 'row')}, which eir-l refuses")
        if one.role is Role.SENSITIVE and one.column.n_missing
        else one
        for one in entries
    ]
