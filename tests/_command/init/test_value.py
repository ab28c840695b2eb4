"""What a column is by its values alone."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.init.column import profile_column
from shoal._command.init.nature import Nature
from shoal._command.init.value import nature_by_values


@pytest.mark.parametrize(
    ("cells", "nature"),
    [
        (["Male", "Female"], Nature.SEX),
        (["m", "x"], Nature.YES_NO),
        (["Married", "Single", "Widowed", "?"], Nature.FAMILY),
        (["White", "Black", "Asian", "Other"], Nature.ORIGIN),
        (["white", "black", "red", "green", "blue"], Nature.CODE),
        (["CA", "TX", "NY", "WA", "OR"], Nature.PLACE),
        (["ca", "tx", "b", "c", "d"], Nature.CODE),
        (["1940-01-31", "2001-05-01"], Nature.BIRTH),
        (["2000-01-31", "2001-05-01"], Nature.DATE),
        (["Acute bronchitis", "Asthma", "Sprain", "Otitis media"], Nature.HEALTH),
        (["flu", "angina", "gout", "well"], Nature.HEALTH),
        (["fluent", "ragout", "a", "b"], Nature.CODE),
        (["Aspirin 81 MG tablet", "Ibuprofen 200 MG", "x", "y"], Nature.HEALTH),
        (["0", "1"], Nature.YES_NO),
        (["1", "2", "3"], Nature.CODE),
        ([f"{i}.5" for i in range(20)], Nature.NUMBER),
    ],
)
def test_what_the_values_say(cells: list[str], nature: Nature) -> None:
    assert nature_by_values(profile_column(pl.Series("x", cells * 5))) is nature


def test_texts_that_hardly_repeat_are_texts() -> None:
    column = profile_column(pl.Series("x", [f"word {i // 1.2:.0f}" for i in range(60)]))
    assert nature_by_values(column) is Nature.TEXT
