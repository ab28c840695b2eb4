"""Work in threads is that of a loop."""

from __future__ import annotations

import os
import threading

import pytest

from shoal.recode.thread import MANY, allow_threads, allowed_threads, side_by_side


@pytest.mark.parametrize(("n_rows", "alone"), [(MANY - 1, True), (MANY, False)])
def test_items_keep_their_order_and_many_rows_have_threads(
    n_rows: int, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.recode.thread._allowed", 2)
    found = side_by_side(lambda i: (i * i, threading.get_ident()), range(20), n_rows)
    assert [square for square, _ in found] == [i * i for i in range(20)]
    assert all((who == threading.get_ident()) == alone for _, who in found)


def test_what_a_thread_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda i: 1 / i, [1, 0], MANY)


@pytest.mark.parametrize("allowed", [1, 3])
def test_no_more_threads_than_allowed(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.recode.thread._allowed", None)
    assert allowed_threads() == (os.cpu_count() or 1)
    allow_threads(allowed)
    assert allowed_threads() == allowed
    # All of them wait for each other, so that each has a thread of its own if it can.
    meet = threading.Barrier(allowed)

    def who(_: int) -> int:
        meet.wait(timeout=30)
        return threading.get_ident()

    assert len(set(side_by_side(who, range(4 * allowed), MANY))) == allowed
