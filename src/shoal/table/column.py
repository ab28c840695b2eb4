"""One column: from cells to codes, by a dictionary encoding and one gather."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.hierarchy import Hierarchy
from shoal.schema import Attribute, Kind, Role
from shoal.table.band import order_bands
from shoal.table.cell import day_number, dictionary, minute_number, minute_text, rows_text
from shoal.table.domain import Domain, number_text

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
    attribute: Attribute

    def refuse(self, wrong: Any, problem: str, hint: str) -> None:
        """Raise if any of the texts is wrong; `{rows}` in the problem are the rows with one."""
        wrong = np.asarray(wrong, dtype=np.bool_)
        if wrong.any():
            rows = rows_text(np.flatnonzero(wrong[self.codes]))
            raise DataError(f"Column {self.attribute.name!r} {problem.format(rows=rows)}", hint)


def encode_column(series: pl.Series, attribute: Attribute) -> Column:
    """Code a column by its declared attribute; a kind that was left out is guessed.

    Raises DataError, with counts and row numbers, if a value does not fit the kind, the declared
    values, the domain or the hierarchy.

    >>> from shoal.schema import Role
    >>> column = encode_column(pl.Series("age", ["36", "7", None]), Attribute("age", Role.QUASI))
    >>> column.domain.texts, column.codes.tolist(), column.attribute.kind.value
    (('7', '36', None), [1, 0, 2], 'numeric')
    """
    found, codes = dictionary(series)
    texts = [None if text in ("", *attribute.missing) else text for text in found]
    if attribute.kind is None:
        attribute = replace(attribute, kind=guess_kind(series.dtype, texts, attribute))
        attribute = _with_bands(attribute, texts)
    domain, codes_of_raw = _arrange(_Raw(texts, codes, attribute))
    if attribute.hierarchy is not None:
        tree = Hierarchy.from_spec(attribute.hierarchy).bind(
            domain.texts, attribute.kind or Kind.CATEGORICAL, domain.numbers, attribute.name
        )
        # Every node is then a range of codes, and siblings are neighbours: cuts between codes lose
        # a third less than in the order of the alphabet.
        place = np.empty(len(domain), dtype=np.int64)
        place[tree.order] = np.arange(len(domain))
        domain, codes_of_raw = domain.ordered_by(tree), place[codes_of_raw]
    # Rows of narrow codes are sorted and moved several times as fast.
    narrow = codes_of_raw.astype(np.min_scalar_type(max(len(domain) - 1, 0)))
    return Column(domain, narrow[codes])


def _with_bands(attribute: Attribute, texts: list[str | None]) -> Attribute:
    """A quasi-identifier of bands such as 70-79 is ordinal, in the order of its numbers."""
    if attribute.role not in (Role.QUASI, Role.SEMI_SENSITIVE) or attribute.hierarchy is not None:
        return attribute
    if attribute.kind is not Kind.CATEGORICAL or attribute.values is not None:
        return attribute
    ordered = order_bands({text for text in texts if text is not None})
    return attribute if ordered is None else replace(attribute, kind=Kind.ORDINAL, values=ordered)


def declared_kind(attribute: Attribute) -> Kind | None:
    """The kind that the plan declares, or that follows from what else it says of a column."""
    form = attribute.hierarchy.form if attribute.hierarchy else ""
    told = form in ("intervals", "width", "mask", "dates") or attribute.domain or attribute.values
    if attribute.kind is None and told:
        return guess_kind(pl.String(), [], attribute)
    return attribute.kind


def guess_kind(dtype: pl.DataType, texts: list[str | None], attribute: Attribute) -> Kind:
    """Numbers, ISO dates, else categories; whole numbers that are padded or long are codes."""
    form = attribute.hierarchy.form if attribute.hierarchy else ""
    if form in ("intervals", "width") or attribute.domain:
        return Kind.NUMERIC
    present = [t.strip() for t in texts if t is not None]
    if form == "dates" or (dtype == pl.Date):
        return Kind.DATE
    if form == "mask" or not present or attribute.values is not None:
        return Kind.CATEGORICAL
    if dtype.is_numeric() or all(_NUMBER.fullmatch(t) and not _is_code(t) for t in present):
        return Kind.NUMERIC
    return Kind.DATE if all(_DATE.fullmatch(t) for t in present) else Kind.CATEGORICAL


def _is_code(text: str) -> bool:
    """Whether digits name something rather than count: `02135`, or more than a float holds.

    A fraction of any length is a number: programs write 0.1 + 0.2 with 17 digits.
    """
    whole = text.lstrip("+-").isdigit()
    return bool(_PADDED.match(text)) or (whole and _n_digits(text) > 15)


def _n_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _arrange(raw: _Raw) -> tuple[Domain, NDArray[np.int64]]:
    """The domain in natural order, and the code of each dictionary entry."""
    match raw.attribute.kind:
        case Kind.NUMERIC:
            return _arrange_numbers(raw, _numbers(raw), number_text)
        case Kind.DATE:
            clock = raw.attribute.hierarchy is not None and raw.attribute.hierarchy.has_clock
            if clock:
                return _arrange_numbers(raw, _moments(raw), minute_text)
            return _arrange_numbers(raw, _days(raw), _day_text)
        case _:
            return _arrange_texts(raw)


def _arrange_numbers(
    raw: _Raw, numbers: NDArray[np.float64], text: Callable[[float], str]
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
    return Domain(raw.attribute, tuple(texts), present, None, missing), code_of_raw


def _numbers(raw: _Raw) -> NDArray[np.float64]:
    stripped = [None if t is None else t.strip() for t in raw.texts]
    is_number = [t is not None and bool(_NUMBER.fullmatch(t)) for t in stripped]
    numbers = np.array(
        [float(t or "") if fits else np.nan for t, fits in zip(stripped, is_number, strict=True)],
        dtype=np.float64,
    )
    present = np.array([t is not None for t in stripped], dtype=np.bool_)
    raw.refuse(
        present & ~np.isfinite(numbers),
        "must contain finite numbers, but {rows} do not.",
        "List what means missing under 'missing', or declare 'kind: categorical'.",
    )
    # Beyond 2**53 a float skips whole numbers: such a value could not be published exactly.
    digits = np.array([t is not None and _n_digits(t) > 15 for t in stripped], dtype=np.bool_)
    raw.refuse(
        (digits & (np.abs(numbers) >= 2**53)) | (np.abs(numbers) > 1e300),
        "must contain numbers that a float represents exactly, but those in {rows} are too long or "
        "too large.",
        "Declare 'kind: categorical'.",
    )
    if raw.attribute.domain is not None:
        low, high = raw.attribute.domain
        raw.refuse(
            (numbers < low) | (numbers > high),
            f"must lie in its declared domain [{low:g}, {high:g}], but {{rows}} do not.",
            "Widen 'domain', or leave it out to take it from the data.",
        )
    return numbers


def _days(raw: _Raw) -> NDArray[np.float64]:
    return _on_the_calendar(raw, day_number, "dates of the form YYYY-MM-DD")


def _moments(raw: _Raw) -> NDArray[np.float64]:
    return _on_the_calendar(raw, minute_number, "moments of the form YYYY-MM-DD HH:MM")


def _on_the_calendar(
    raw: _Raw, number: Callable[[str], float | None], words: str
) -> NDArray[np.float64]:
    """Days from 1970; raises for texts that are not of the form."""
    found = [number((text or "").strip()) for text in raw.texts]
    days = np.array([np.nan if day is None else day for day in found])
    raw.refuse(
        np.array([t is not None for t in raw.texts], dtype=np.bool_) & np.isnan(days),
        f"must contain {words}, but {{rows}} do not.",
        "Convert them to this form, or declare 'kind: categorical'.",
    )
    return days


def _day_text(days: float) -> str:
    return str(_EPOCH + np.timedelta64(int(days), "D"))


def _arrange_texts(raw: _Raw) -> tuple[Domain, NDArray[np.int64]]:
    values = raw.attribute.values
    if values is not None:
        raw.refuse(
            [t is not None and t not in values for t in raw.texts],
            "must contain only its declared 'values', but {rows} do not.",
            "Complete 'values', or list what means missing under 'missing'.",
        )
    present = sorted({text for text in raw.texts if text is not None})
    texts: list[str | None] = [*(present if values is None else values)]
    missing = -1
    if None in raw.texts:
        missing = len(texts)
        texts.append(None)
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([place[t] for t in raw.texts], dtype=np.int64)
    return Domain(raw.attribute, tuple(texts), None, None, missing), codes
