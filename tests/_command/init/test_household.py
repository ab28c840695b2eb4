"""Numbers of households and of the people in them."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.init.household import name_households
from shoal._command.init.nature import Nature
from shoal._command.init.profile import profile
from shoal._command.init.role import choose_roles
from shoal.schema import Role

SIZES = [1, 2, 3, 4] * 50
HOUSES = [900 + 7 * h for h, size in enumerate(SIZES) for _ in range(size)]
MEMBERS = [member + 1 for size in SIZES for member in range(size)]


def natures(**columns: list[object]) -> dict[str, tuple[Nature, Role]]:
    table = profile(pl.DataFrame(columns))
    return {e.name: (e.nature, e.role) for e in name_households(table, choose_roles(table))}


@pytest.mark.parametrize("as_text", [False, True])
def test_households_are_known_by_their_numbered_members(as_text: bool) -> None:
    """Whatever their names, and whether as numbers or as texts."""
    q7: list[object] = [f"{n}" if as_text else n for n in HOUSES]
    q8: list[object] = [f"{n}" if as_text else n for n in MEMBERS]
    found = natures(q7=q7, q8=q8, age=[20 + i % 60 for i in range(len(HOUSES))])
    assert found["q7"] == (Nature.HOUSEHOLD, Role.IDENTIFIER)
    assert found["q8"] == (Nature.MEMBER, Role.IDENTIFIER)
    assert found["age"] == (Nature.AGE, Role.QUASI)


def test_codes_that_number_nobody_are_no_members() -> None:
    shuffled: list[object] = [MEMBERS[(i * 7) % len(MEMBERS)] for i in range(len(MEMBERS))]
    found = natures(q7=list(HOUSES), q8=shuffled)
    assert found["q7"][0] is not Nature.HOUSEHOLD
    assert found["q8"][0] is Nature.CODE
