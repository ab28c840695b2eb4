"""How the cells of a column are written, brought to the one form that a run works with.

Numbers with a decimal comma, dates in the order of other countries and times that all lie at
midnight are recognised if there is no doubt, so that the same table gives the same release from
whichever program it comes. What is recognised is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import polars as pl

from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table.column import declared_kind

_CODED = (Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE, Role.SENSITIVITY)
# [0-9], since \d would also be the digits of other scripts, which are no numbers to a run.
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA = r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"
_GROUPED = r"^[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?([eE][+-]?[0-9]+)?$"
# 1,234 may be a thousand or a little more than one.
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+$"
_DATE_FORMATS = {
    r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$": ("%d.%m.%Y",),
    r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$": ("%d/%m/%Y", "%m/%d/%Y"),
    r"^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}$": ("%d-%m-%Y", "%m-%d-%Y"),
    r"^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$": ("%Y/%m/%d",),
}
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_CUT = "a date: its times of day are left out"
_CLOCK = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_MIDNIGHT = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]00:00(:00(\.0+)?)?$"


class _Form(NamedTuple):
    """A form in words, and what brings a column of texts to the usual one."""

    words: str
    settle: Callable[[pl.Series], pl.Series]


def settle_forms(
    frame: pl.DataFrame, schema: Schema, decimal: str | None = None
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The same table with every coded column in the usual form, and the forms recognised, in words.

    `decimal` is the decimal mark, where the plan declares one.

    A number that the plan lists as missing is missing however it is written: `-8` also as `-8.0`.

    >>> from shoal.schema import Attribute, Role, Schema
    >>> table = pl.DataFrame({"bmi": ["21,5", "30,25"], "born": ["31.12.1950", "1.2.1961"]})
    >>> schema = Schema((Attribute("bmi", Role.QUASI), Attribute("born", Role.QUASI)))
    >>> settle_forms(table, schema)[0].rows()
    [('21.5', datetime.date(1950, 12, 31)), ('30.25', datetime.date(1961, 2, 1))]
    """
    changed, forms = [], {}
    for attribute in schema.of(*_CODED):
        if attribute.name not in frame.columns:
            continue
        given = frame[attribute.name]
        series, words = settle_form(given, attribute, decimal)
        if series is not given:
            changed.append(series.alias(attribute.name))
        if words:
            forms[attribute.name] = words
    return frame.with_columns(changed) if changed else frame, forms


def settle_form(
    series: pl.Series, attribute: Attribute, decimal: str | None = None
) -> tuple[pl.Series, str]:
    """One column in the usual form, and the form that was recognised, in words, if any."""
    # What the plan declares as names is taken as it is written.
    named = attribute.hierarchy is not None and attribute.hierarchy.form in ("file", "tree")
    if attribute.kind in (Kind.CATEGORICAL, Kind.ORDINAL) or attribute.values or named:
        return series, ""
    words = ""
    clock = attribute.hierarchy is not None and attribute.hierarchy.has_clock
    if series.dtype.is_temporal() and clock:
        series = series.dt.strftime("%Y-%m-%d %H:%M")
        words = "a moment, cut to the minute"
    elif isinstance(series.dtype, pl.Datetime):
        series, words = _without_clock(series, cut=declared_kind(attribute) is Kind.DATE)
    elif series.dtype == pl.String:
        texts = series.unique().drop_nulls()
        texts = texts.filter(~texts.is_in(["", *attribute.missing])).str.strip_chars()
        form = None
        if len(texts):
            moments = _moment_form(texts, attribute, clock)
            form = moments or _form_of(texts, attribute.kind, decimal)
        if form is not None:
            words, series = form.words, _settled(series, form, attribute)
    return _without_numbers(series, attribute), words


def _settled(series: pl.Series, form: _Form, attribute: Attribute) -> pl.Series:
    """The column in the form, but for the texts that mean missing."""
    found = form.settle(series.str.strip_chars())
    # By its text alone is -9,9 or 01.01.1900 known to mean missing: as a number or a day it would
    # be taken for a value.
    absent = series.is_in([*attribute.missing]).fill_null(False)
    left = series if found.dtype == pl.String else pl.Series([None], dtype=found.dtype)
    return found.zip_with(~absent, left) if absent.any() else found


def _without_clock(series: pl.Series, cut: bool) -> tuple[pl.Series, str]:
    """Days, if all times are midnight or are to be `cut` off; of the day that the zone says."""
    # The clock of the column's own zone says which day a moment is on.
    local = series.dt.replace_time_zone(None)
    days = local.dt.date()
    if series.null_count() == len(series):
        return series, ""
    if (days.cast(local.dtype) == local).all():
        return days, "a date: its times are all midnight"
    return (days, _CUT) if cut else (series, "")


def _moment_form(texts: pl.Series, attribute: Attribute, clock: bool) -> _Form | None:
    """Moments as text, cut to what the plan takes the column for: minutes or days."""
    if declared_kind(attribute) is not Kind.DATE or not texts.str.contains(_CLOCK).all():
        return None
    if clock:
        return _Form(
            "a moment, cut to the minute",
            # A day alone is its midnight; from longer texts the addition is cut off again.
            lambda s: (s + " 00:00").str.replace("T", " ").str.slice(0, 16),
        )
    if texts.str.contains(_DAY).all() or texts.str.contains(_MIDNIGHT).all():
        return None
    return _Form(_CUT, lambda s: s.str.slice(0, 10))


def _form_of(texts: pl.Series, kind: Kind | None, decimal: str | None) -> _Form | None:
    """The form that all texts have, unless it is the usual one or in doubt."""
    if kind is not Kind.DATE and decimal == "," and texts.str.contains(_GROUPED).all():
        return _Form("", lambda s: s.str.replace_all(".", "", literal=True).str.replace(",", "."))
    if kind is not Kind.DATE and decimal is None:
        comma = texts.str.contains(_COMMA)
        # 1,234 may be a thousand: one cell that cannot be decides for the column.
        thousands = texts.str.contains(_THOUSANDS)
        if (comma & ~thousands).any() and (comma | texts.str.contains(_WHOLE)).all():
            return _Form("numeric, with a decimal comma", lambda s: s.str.replace(",", "."))
    if kind is not Kind.NUMERIC:
        if texts.str.contains(_MIDNIGHT).all():
            words = "a date: its times are all midnight"
            return _Form(words, lambda s: s.str.replace(_MIDNIGHT, "$1"))
        for pattern, formats in _DATE_FORMATS.items():
            if texts.str.contains(pattern).all():
                fitting = [one for one in formats if _fits(texts, one)]
                # 3/4/1950 is in doubt where no day of the column is above 12.
                return _date_form(fitting[0]) if len(fitting) == 1 else None
    return None


def _fits(texts: pl.Series, form: str) -> bool:
    return texts.str.to_date(form, strict=False).null_count() == 0


def _date_form(form: str) -> _Form:
    words = form.replace("%d", "day").replace("%m", "month").replace("%Y", "year")
    return _Form(f"a date, written {words}", lambda s: s.str.to_date(form, strict=False))


def _without_numbers(series: pl.Series, attribute: Attribute) -> pl.Series:
    """The column without the numbers that mean missing, where it is one of numbers."""
    absent = missing_numbers(series, attribute)
    if absent is None:
        return series
    # Texts that are listed as they stand are missing to every reader of the column anyway.
    absent &= ~series.cast(pl.String).is_in([*attribute.missing]).fill_null(False)
    if not absent.any():
        return series
    return series.zip_with(~absent, pl.Series([None], dtype=series.dtype))


def missing_numbers(series: pl.Series, attribute: Attribute) -> pl.Series | None:
    """Which cells are a number that the plan lists as missing; None if no cell can be."""
    codes = _numbers(pl.Series(attribute.missing, dtype=pl.String)).drop_nulls()
    if not len(codes) or attribute.kind not in (None, Kind.NUMERIC):
        return None
    if series.dtype.is_numeric():
        return series.cast(pl.Float64).is_in(codes.implode()).fill_null(False)
    if series.dtype != pl.String:
        return None
    numbers = _numbers(series)
    text = numbers.is_null() & series.is_not_null() & ~series.is_in([*attribute.missing])
    return None if text.any() else numbers.is_in(codes.implode()).fill_null(False)


def matched_entries(series: pl.Series, attribute: Attribute) -> set[str]:
    """The entries under `missing` that some cell matches: by its text, or as a number."""
    texts = series.cast(pl.String).unique()
    found = set(texts.filter(texts.is_in([*attribute.missing])))
    absent = missing_numbers(series, attribute)
    if absent is not None and absent.any():
        cells = series.filter(absent).unique()
        there = set(_numbers(cells.cast(pl.String)))
        entries = pl.Series(attribute.missing, dtype=pl.String)
        pairs = zip(attribute.missing, _numbers(entries), strict=True)
        found |= {entry for entry, number in pairs if number is not None and number in there}
    return found


def _numbers(texts: pl.Series) -> pl.Series:
    """The numbers that texts say; null where they say none."""
    plain = texts.str.strip_chars()
    numbers = plain.cast(pl.Float64, strict=False)
    return numbers.set(~plain.str.contains(_NUMBER).fill_null(False), None)
