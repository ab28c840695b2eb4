"""The same for releases with buckets: cell by cell, from the published text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.brute import covers, same
from tests.cases import Case
from tests.papers.naive import requirement_holds


def check_secret_release(case: Case, release: Any, limit: float = 1.0) -> None:
    """Raise AssertionError unless classes, buckets and cells are true and hold what was asked.

    For tables whose secrets are whole columns.
    """
    frame, origin = release.frame, release.origin.tolist()
    classes = release.rows["class"].to_list()
    kept = [row for row, number in enumerate(classes) if number is not None]
    assert sorted(origin) == kept
    assert len(kept) >= (1 - limit) * case.n_rows - 1e-9
    assert frame["record"].to_list() == [str(i + 1) for i in range(len(origin))]
    assert frame["GID"].to_list() == [str(classes[row]) for row in origin]
    assert frame.columns == ["record", "GID", *_columns(case)]
    for quasi in case.quasi:
        for label, row in zip(frame[quasi.name].to_list(), origin, strict=True):
            assert covers(quasi, label, quasi.cells[row])
    shown = {
        (g, frame.select(q.name for q in case.quasi).row(i)) for i, g in enumerate(frame["GID"])
    }
    assert len(shown) == frame["GID"].n_unique(), "a class shows one description"
    k = max(
        given["k"] for asked in case.privacy for m, given in asked.items() if m == "k-anonymity"
    )
    assert min(Counter(frame["GID"].to_list()).values()) >= k
    for secret in case.sensitive:
        _check_buckets(case, release, secret, origin)


def _columns(case: Case) -> list[str]:
    names = {"quasi": "{}", "insensitive": "{}", "sensitive": "{}_BID"}
    roles = {n: words["role"] for n, words in case.attributes.items()}
    return [names[role].format(name) for name, role in roles.items() if role in names]


def _check_buckets(case: Case, release: Any, secret: Any, origin: list[int]) -> None:
    table = release.tables[f"buckets-{secret.name}"]
    values: dict[str, list[Any]] = {}
    for bid, value in table.rows():
        values.setdefault(bid, []).append(value)
    held: dict[str, list[Any]] = {}
    for bid, row in zip(release.frame[f"{secret.name}_BID"].to_list(), origin, strict=True):
        held.setdefault(bid, []).append(secret.cells[row])
    assert values.keys() == held.keys()
    for bid, cells in held.items():
        left = list(values[bid])
        for cell in cells:
            left.remove(next(v for v in left if same(secret.kind, v, cell)))
        assert not left
        for asked in case.privacy:
            [(model, given)] = asked.items()
            if model != "k-anonymity" and given.get("attribute", secret.name) == secret.name:
                assert requirement_holds(model, given, len(cells), cells, secret), bid
