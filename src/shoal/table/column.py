"""One column: from cells to codes.

Only the distinct values are ever looked at one by one; the cells themselves pass through a
dictionary encoding and one gather.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem
from shoal.hierarchy import Hierarchy
from shoal.schema import Attribute, Kind
from shoal.table.domain import Domain, number_text
from shoal.table.flag import rows_text

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_EPOCH = np.datetime64("1970-01-01", "D")


@dataclass(frozen=True)
class Column:
    """Codes of the rows, in the narrowest unsigned integer, and their domain."""

    domain: Domain
    codes: NDArray[Any]

    @property
    def attribute(self) -> Attribute:
        return self.domain.attribute


@dataclass(frozen=True)
class _Raw:
    """A column in dictionary form: `codes[row]` points into `texts`; None is missing."""

    texts: list[str | None]
    codes: NDArray[np.int32]
    name: str

    def rows_of(self, wrong: NDArray[np.bool_]) -> str:
        """Which rows hold one of the wrong values, in words without any value."""
        return rows_text(np.flatnonzero(wrong[self.codes]))


def encode_column(series: pl.Series, attribute: Attribute) -> Column:
    """Code a column by its declared attribute; a kind that was left out is guessed.

    Raises DataError, with counts and row numbers, for a value that does not fit the kind, the
    declared values, the domain or the hierarchy.

    >>> from shoal.schema import Role
    >>> column = encode_column(pl.Series("age", ["36", "7", None]), Attribute("age", Role.QUASI))
    >>> column.domain.texts, column.codes.tolist(), column.attribute.kind.value
    (('7', '36', None), [1, 0, 2], 'numeric')
    """
    raw = _dictionary(series, attribute)
    if attribute.kind is None:
        attribute = replace(attribute, kind=guess_kind(series.dtype, raw.texts, attribute))
    domain, codes_of_raw = _arrange(raw, attribute)
    if attribute.hierarchy is not None:
        tree = Hierarchy.from_spec(attribute.hierarchy).bind(
            domain.texts, attribute.kind or Kind.CATEGORICAL, domain.numbers, attribute.name
        )
        place = np.empty(len(domain), dtype=np.int64)
        place[tree.order] = np.arange(len(domain))
        domain, codes_of_raw = domain.ordered_by(tree), place[codes_of_raw]
    narrow = codes_of_raw.astype(np.min_scalar_type(max(len(domain) - 1, 0)))
    return Column(domain, narrow[raw.codes])


def _dictionary(series: pl.Series, attribute: Attribute) -> _Raw:
    encoded = series.to_arrow().dictionary_encode()
    distinct = pl.Series(encoded.dictionary)
    texts = [None if t in ("", *attribute.missing) else t for t in distinct.cast(pl.String)]
    codes = pl.Series(encoded.indices)
    if codes.null_count():
        codes = codes.fill_null(len(texts))
        texts.append(None)
    return _Raw(texts, codes.to_numpy(), attribute.name)


def guess_kind(dtype: pl.DataType, texts: list[str | None], attribute: Attribute) -> Kind:
    """Numbers unless zeros lead or digits are too many to be exact, ISO dates, else categories."""
    form = attribute.hierarchy.form if attribute.hierarchy else ""
    if form in ("intervals", "width") or attribute.domain:
        return Kind.NUMERIC
    present = [t.strip() for t in texts if t is not None]
    if form == "dates" or (dtype == pl.Date):
        return Kind.DATE
    if form == "mask" or not present or attribute.values is not None:
        return Kind.CATEGORICAL
    if dtype.is_numeric() or all(_NUMBER.fullmatch(t) and not _long_or_padded(t) for t in present):
        return Kind.NUMERIC
    return Kind.DATE if all(_DATE.fullmatch(t) for t in present) else Kind.CATEGORICAL


def _long_or_padded(text: str) -> bool:
    return bool(_PADDED.match(text)) or sum(map(str.isdigit, text)) > 15


def _arrange(raw: _Raw, attribute: Attribute) -> tuple[Domain, NDArray[np.int64]]:
    """The domain in natural order, and the code of each dictionary entry."""
    match attribute.kind:
        case Kind.NUMERIC:
            return _arrange_numbers(raw, attribute, _numbers(raw, attribute), number_text)
        case Kind.DATE:
            return _arrange_numbers(raw, attribute, _days(raw), _day_text)
        case _:
            return _arrange_texts(raw, attribute)


def _arrange_numbers(
    raw: _Raw, attribute: Attribute, numbers: NDArray[np.float64], text: Any
) -> tuple[Domain, NDArray[np.int64]]:
    is_missing = np.array([t is None for t in raw.texts], dtype=np.bool_)
    present, codes = np.unique(numbers[~is_missing], return_inverse=True)
    code_of_raw = np.full(len(raw.texts), len(present), dtype=np.int64)
    code_of_raw[~is_missing] = codes
    texts: list[str | None] = [text(x) for x in present.tolist()]
    missing = -1
    if is_missing.any():
        missing, texts = len(present), [*texts, None]
        present = np.append(present, np.nan)
    return Domain(attribute, tuple(texts), present, None, missing), code_of_raw


def _numbers(raw: _Raw, attribute: Attribute) -> NDArray[np.float64]:
    stripped = [None if t is None else t.strip() for t in raw.texts]
    numbers = np.array(
        [float(t) if t is not None and _NUMBER.fullmatch(t) else np.nan for t in stripped],
        dtype=np.float64,
    )
    present = np.array([t is not None for t in stripped], dtype=np.bool_)
    wrong = present & ~np.isfinite(numbers)
    if wrong.any():
        raise DataError(
            Problem(
                f"column {raw.name!r} is numeric, and {raw.rows_of(wrong)} do not hold a finite "
                "number.",
                hint="List what means missing under 'missing', or declare 'kind: categorical'.",
            )
        )
    digits = np.array([t is not None and sum(map(str.isdigit, t)) > 15 for t in stripped])
    inexact = (digits & (np.abs(numbers) >= 2**53)) | (np.abs(numbers) > 1e300)
    if inexact.any():
        raise DataError(
            Problem(
                f"column {raw.name!r} has numbers too long or too large to be held exactly in "
                f"{raw.rows_of(inexact)}.",
                hint="Declare 'kind: categorical'.",
            )
        )
    _check_domain(raw, attribute, numbers)
    return numbers


def _check_domain(raw: _Raw, attribute: Attribute, numbers: NDArray[np.float64]) -> None:
    if attribute.domain is None:
        return
    low, high = attribute.domain
    outside = (numbers < low) | (numbers > high)
    if outside.any():
        raise DataError(
            Problem(
                f"column {raw.name!r} has {raw.rows_of(outside)} outside its declared domain "
                f"[{low:g}, {high:g}].",
                hint="Widen 'domain', or leave it out to take it from the data.",
            )
        )


def _days(raw: _Raw) -> NDArray[np.float64]:
    days = np.full(len(raw.texts), np.nan)
    for i, text in enumerate(raw.texts):
        if text is not None and _DATE.fullmatch(text.strip()) and text.strip()[:4] != "0000":
            try:
                days[i] = float((np.datetime64(text.strip(), "D") - _EPOCH).astype(np.int64))
            except ValueError:
                continue
    wrong = np.array([t is not None for t in raw.texts]) & np.isnan(days)
    if wrong.any():
        raise DataError(
            Problem(
                f"column {raw.name!r} is a date, and {raw.rows_of(wrong)} are not of the form "
                "YYYY-MM-DD.",
                hint="Bring the dates into this form, or declare 'kind: categorical'.",
            )
        )
    return days


def _day_text(days: float) -> str:
    return str(_EPOCH + np.timedelta64(int(days), "D"))


def _arrange_texts(raw: _Raw, attribute: Attribute) -> tuple[Domain, NDArray[np.int64]]:
    present = {t for t in raw.texts if t is not None}
    if attribute.values is not None:
        outside = np.array([t is not None and t not in attribute.values for t in raw.texts])
        if outside.any():
            raise DataError(
                Problem(
                    f"column {raw.name!r} has {raw.rows_of(outside)} with a value that its "
                    "declared 'values' do not list.",
                    hint="Complete 'values', or list what means missing under 'missing'.",
                )
            )
        ordered = list(attribute.values)
    else:
        ordered = sorted(present)
    texts: list[str | None] = [*ordered]
    missing = -1
    if None in raw.texts:
        missing = len(texts)
        texts.append(None)
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([place[t] for t in raw.texts], dtype=np.int64)
    return Domain(attribute, tuple(texts), None, None, missing), codes
