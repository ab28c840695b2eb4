"""From cells to codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import DataError
from shoal.schema import Attribute, Kind, Role
from shoal.table import encode_column
from tests.cases import random_case, task_of
from tests.papers import naive


@pytest.mark.parametrize("block", range(3))
def test_codes_stand_in_the_order_of_the_definition(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        case = random_case(seed, most_rows=25)
        table = task_of(case).table
        for quasi in case.quasi:
            column = table.columns[quasi.name]
            if quasi.kind == "numeric":
                want = [None if v is None else naive.number_text(float(v)) for v in quasi.values]
            else:
                want = quasi.values
            assert list(column.domain.texts) == want, (seed, quasi.name)
            assert column.codes.tolist() == [quasi.values.index(v) for v in quasi.cells]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "-3e2"], Kind.NUMERIC),
        (["01", "2"], Kind.CATEGORICAL),
        (["0", "0.5"], Kind.NUMERIC),
        (["1234567890123456"], Kind.CATEGORICAL),
        (["123456789012345"], Kind.NUMERIC),
        (["-1234567890123456", "1"], Kind.CATEGORICAL),
        (["0.30000000000000004", "21.545454545454547"], Kind.NUMERIC),
        (["1234567890123456.5", "1e22"], Kind.NUMERIC),
        (["2020-01-31", None], Kind.DATE),
        (["2020-01-31", "x"], Kind.CATEGORICAL),
        (["1", "x"], Kind.CATEGORICAL),
        (["nan", "inf"], Kind.CATEGORICAL),
        ([None, None], Kind.CATEGORICAL),
        (["1_000"], Kind.CATEGORICAL),
        (["0x10"], Kind.CATEGORICAL),
    ],
)
def test_kinds_are_guessed(cells: list[str | None], kind: Kind) -> None:
    series = pl.Series("x", cells, dtype=pl.String)
    assert encode_column(series, Attribute("x", Role.QUASI)).attribute.kind is kind


@pytest.mark.parametrize(
    ("cells", "attribute"),
    [
        (["1", "zebra", "zebra"], {"kind": Kind.NUMERIC}),
        (["1", "inf", "inf"], {"kind": Kind.NUMERIC}),
        (["1", "99999999999999999", "9999999999999999"], {"kind": Kind.NUMERIC}),
        (["1", "77", "78"], {"kind": Kind.NUMERIC, "domain": (0.0, 10.0)}),
        (["2020-01-01", "zebra", "2020-02-30"], {"kind": Kind.DATE}),
        (["2020-01-01", "0000-01-01", "0000-01-02"], {"kind": Kind.DATE}),
        (["a", "zebra", "yak"], {"kind": Kind.ORDINAL, "values": ("a", "b")}),
    ],
)
def test_what_does_not_fit_is_named_by_row_and_never_by_value(
    cells: list[str], attribute: dict[str, Any]
) -> None:
    with pytest.raises(DataError) as caught:
        encode_column(pl.Series("x", cells), Attribute("x", Role.QUASI, **attribute))
    message = str(caught.value)
    assert "2 rows (2, 3)" in message
    assert not any(value in message for value in cells[1:])


@pytest.mark.parametrize(("n", "dtype"), [(1, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_codes_are_as_narrow_as_they_can_be(n: int, dtype: type) -> None:
    column = encode_column(pl.Series("x", range(n)), Attribute("x", Role.QUASI))
    assert column.codes.dtype == dtype
    assert len(column.domain) == n


@pytest.mark.parametrize(("number", "fits"), [("0", True), ("10", True), ("-1", False)])
def test_the_ends_of_a_domain_belong_to_it(number: str, fits: bool) -> None:
    attribute = Attribute("x", Role.QUASI, Kind.NUMERIC, domain=(0.0, 10.0))
    if fits:
        assert encode_column(pl.Series("x", [number]), attribute).domain.texts == (number,)
    else:
        with pytest.raises(DataError, match=r"must lie in its declared domain \[0, 10\]"):
            encode_column(pl.Series("x", [number]), attribute)


@pytest.mark.parametrize(
    ("number", "fits"), [("9007199254740991", True), ("9007199254740992", False)]
)
def test_whole_numbers_are_exact_up_to_2_to_the_53(number: str, fits: bool) -> None:
    attribute = Attribute("x", Role.QUASI, Kind.NUMERIC)
    if fits:
        assert encode_column(pl.Series("x", [number]), attribute).domain.numbers == [float(number)]
    else:
        with pytest.raises(DataError, match="represents exactly"):
            encode_column(pl.Series("x", [number]), attribute)


def test_spellings_of_one_number_share_a_code_and_declared_values_keep_their_order() -> None:
    numbers = encode_column(
        pl.Series("x", ["1", "1.0", " 01"]), Attribute("x", Role.QUASI, Kind.NUMERIC)
    )
    assert (numbers.domain.texts, numbers.codes.tolist()) == (("1",), [0, 0, 0])
    ordered = Attribute("x", Role.QUASI, Kind.ORDINAL, values=("low", "high"), missing=("?",))
    words = encode_column(pl.Series("x", ["?", "low"]), ordered)
    assert (words.domain.texts, words.codes.tolist()) == (("low", "high", None), [2, 0])
