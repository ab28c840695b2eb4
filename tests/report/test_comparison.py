from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.report.comparison import Shift, compare_attributes, shortened
from shoal.schema import Attribute, Kind, Role, Schema
from tests.report.sample import release


def compared(schema: Schema, after: pl.DataFrame, before: pl.DataFrame) -> list[Shift]:
    return compare_attributes(schema, after, before, np.arange(after.height))


def test_an_unchanged_table_has_not_moved() -> None:
    made, frame = release()
    text = frame.with_columns(pl.all().cast(pl.String))
    assert all(c.moved == pytest.approx(0) for c in compared(made.schema, text, frame))


def test_a_hidden_table_has_moved() -> None:
    made, frame = release()
    hidden = frame.with_columns(pl.lit("*").alias(a.name) for a in made.schema.quasi)
    skewed = frame.with_columns(
        age=pl.lit(20, dtype=pl.Int64), town=pl.lit("Oslo"), job=pl.lit("baker")
    )
    skewed = pl.concat([skewed, frame.head(40)])
    moved = {c.name: c.moved for c in compared(made.schema, hidden, skewed)}
    assert min(moved[name] for name in ("age", "town", "job")) > 0.5


def test_commonest_values_come_first_and_the_rest_is_one() -> None:
    town = Schema((Attribute("town", Role.QUASI, Kind.CATEGORICAL),))
    frame = pl.DataFrame({"town": [f"t{i}" for i in range(14) for _ in range(14 - i)]})
    (found,) = compared(town, frame, frame)
    assert [p.label for p in found.pairs] == [*(f"t{i}" for i in range(10)), "4 other values"]
    assert found.pairs[-1].rest
    assert sum(p.before for p in found.pairs) == pytest.approx(1)
    assert found.widest == pytest.approx(14 / 105)


def test_eleven_values_are_all_shown() -> None:
    town = Schema((Attribute("town", Role.QUASI, Kind.CATEGORICAL),))
    frame = pl.DataFrame({"town": [f"t{i}" for i in range(11)]})
    (found,) = compared(town, frame, frame)
    assert len(found.pairs) == 11
    assert not any(p.rest for p in found.pairs)


def test_the_missing_have_a_bar_of_their_own() -> None:
    age = Schema((Attribute("age", Role.QUASI, Kind.NUMERIC),))
    frame = pl.DataFrame({"age": [1, 2, 3, None]})
    after = pl.DataFrame({"age": ["[1, 3]", "[1, 3]", "[1, 3]", None]})
    (found,) = compared(age, after, frame)
    assert found.chart is not None
    assert found.chart.bars[-1].title == "missing: 25% before, 25% after"
    (found,) = compared(age, after.head(3), frame.head(3))
    assert found.chart is not None
    assert not any("missing" in bar.title for bar in found.chart.bars)


@pytest.mark.parametrize(
    ("text", "expected"), [(None, "missing"), ("a" * 60, "a" * 60), ("a" * 61, "a" * 59 + "…")]
)
def test_long_values_are_cut(text: str | None, expected: str) -> None:
    assert shortened(text) == expected
