"""Work in threads is that of a loop."""

from __future__ import annotations

import threading

import pytest

from shoal.recode.thread import MANY, side_by_side


@pytest.mark.parametrize(("n_rows", "alone"), [(MANY - 1, True), (MANY, False)])
def test_items_keep_their_order_and_many_rows_have_threads(n_rows: int, alone: bool) -> None:
    found = side_by_side(lambda i: (i * i, threading.get_ident()), range(20), n_rows)
    assert [square for square, _ in found] == [i * i for i in range(20)]
    assert all((who == threading.get_ident()) == alone for _, who in found)


def test_what_a_thread_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda i: 1 / i, [1, 0], MANY)
