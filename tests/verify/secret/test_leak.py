"""What symbols tell: shares and means by hand, and against the definition on random tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.verify.secret import leak
from shoal.verify.secret.leak import Exposure, Leak, _profiles, expose


def exposed(symbols: str, values: str, classes: str, flagged: str = "") -> Exposure:
    """Cells as three words: the symbol, the value and the class of each; flagged ones by place."""
    codes = [
        np.array([ord(c) - ord("a") for c in word], dtype=np.int32)
        for word in (symbols, values, classes)
    ]
    flags = np.array([str(i) in flagged for i in range(len(symbols))], dtype=np.bool_)
    combos = (codes[0].astype(np.int64), codes[1].astype(np.int64), flags)
    return expose(*codes, (*combos, np.ones(len(symbols), dtype=np.int64)))


def by_definition(symbols: str, values: str, classes: str) -> list[Fraction]:
    """Per class the largest mean share of a value over the symbols of its rows."""
    cells = list(zip(symbols, values, strict=True))
    risks = []
    for owner in sorted(set(classes)):
        own = [s for s, c in zip(symbols, classes, strict=True) if c == owner]
        risks.append(
            max(
                sum(Fraction(cells.count((s, v)), symbols.count(s)) for s in own) / len(own)
                for v in set(values)
            )
        )
    return risks


def test_symbols_and_classes_by_hand() -> None:
    found = exposed("aaab", "xxyz", "aabb", flagged="02")
    assert found.total.tolist() == [3, 1]
    assert found.commonest.tolist() == [2, 1]
    assert found.n_flagged.tolist() == [2, 0]
    assert found.sizes.tolist() == [2, 2]
    # Class a: 2/3 of x. Class b: half of what a tells, and z for certain in the other row.
    assert found.person.tolist() == pytest.approx([2 / 3, 1 / 2])
    assert found.leak == Leak(
        pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(7 / 12)
    )


def test_a_certain_value_adds_to_what_mixed_symbols_tell() -> None:
    found = exposed("aab", "xyx", "aaa")
    assert found.person.tolist() == pytest.approx([2 / 3])


def test_nobody_flagged_and_nothing_at_all() -> None:
    found = exposed("ab", "xy", "aa")
    assert (found.leak.cell_worst, found.leak.cell_mean) == (0.0, 0.0)
    assert (found.leak.person_worst, found.leak.person_mean) == (0.5, 0.5)
    assert exposed("", "", "").leak == Leak(0.0, 0.0, 0.0, 0.0)
    assert len(exposed("", "", "").person) == 0


def test_only_flagged_cells_count_in_the_worst() -> None:
    found = exposed("abbb", "xyyz", "aaaa", flagged="3")
    assert found.leak.cell_worst == pytest.approx(2 / 3)
    assert exposed("abbb", "xyyz", "aaaa", flagged="03").leak.cell_worst == 1.0
    assert exposed("abbb", "xyyz", "aaaa", flagged="03").leak.cell_mean == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("symbols", "values", "classes"),
    [
        # Twice a and once d, once b and twice c: of one size, with as many symbols.
        ("aadbccabcd", "xxxxxzyyyy", "aaabbbcccc"),
        # The same symbols, twice and once or once and twice.
        ("aababbab", "xxyxyyyx", "aaabbbcc"),
        # One symbol each, in classes of two sizes.
        ("aabbbab", "xxxyyyx", "aabbbcc"),
        ("bbaaaab", "xxxyyyx", "aabbbcc"),
        # One symbol alone, and followed by another.
        ("aaabab", "xxyxyx", "aabbcc"),
        # No symbol that hides anything, in the largest class.
        ("aabbccc", "xyxyzzz", "aabbccc"),
    ],
)
def test_only_classes_that_are_alike_are_summed_together(
    symbols: str, values: str, classes: str
) -> None:
    wanted = [float(x) for x in by_definition(symbols, values, classes)]
    assert exposed(symbols, values, classes).person.tolist() == pytest.approx(wanted)


def test_classes_that_differ_in_their_second_symbol_have_two_profiles() -> None:
    """The class before has the same last symbol as the one before that."""
    owners, symbols = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 2]]).T
    profiles, samples = _profiles(np.full(3, 2), owners, symbols, np.ones(6, dtype=np.int64))
    assert profiles[0] == profiles[1] != profiles[2]
    assert profiles[samples].tolist() == [0, 1]


@pytest.mark.parametrize("room", [1, 7, 1 << 20])
def test_random_tables_are_as_by_definition(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak, "_CHUNK", room)
    draw = np.random.default_rng(3)
    for _ in range(60):
        n = int(draw.integers(1, 30))
        words = ["".join(draw.choice(list("abcdefgh"[:m]), n)) for m in draw.integers(1, 7, 2)]
        classes = "".join(sorted(draw.choice(list("abcdef"), n)))
        order = {c: chr(ord("a") + i) for i, c in enumerate(sorted(set(classes)))}
        classes = "".join(order[c] for c in classes)
        wanted = [float(x) for x in by_definition(words[0], words[1], classes)]
        assert exposed(words[0], words[1], classes).person.tolist() == pytest.approx(wanted)
