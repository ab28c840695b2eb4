"""A written release as a query sees it: what each cell shows, and its buckets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem, VerificationError
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Coded, Codes, Flags, encode_rows, encode_text, has_text_form
from shoal.reading.folder import find_table
from shoal.reading.manifest import Manifest, ManifestColumn
from shoal.reading.table import read_table
from shoal.schema import Kind, Layout, Role

AUDIT = "Run 'shoal audit' on the folder."


@dataclass(frozen=True, eq=False)
class Buckets:
    """The buckets of one attribute: the number of each value's bucket, and the values."""

    owners: Codes
    values: pl.Series
    n_buckets: int


@dataclass(frozen=True, eq=False)
class AttributeView:
    """What a release shows of one attribute, row by row.

    `labels` are the public cells; their null is missing or, if `empty_hides`, withheld. `bids` has
    the bucket of every row, -1 where there is none; then `buckets` has their values. With
    `is_plain` a label is a value as it was, whatever signs it has. `form` is that of a hierarchy.
    """

    name: str
    kind: Kind
    form: str | None
    labels: Coded
    is_plain: bool = True
    empty_hides: bool = False
    bids: Codes | None = None
    buckets: Buckets | None = None
    known_original: bool = False

    @cached_property
    def cells(self) -> Codes:
        """What every row shows: the code of a label or, behind them and the empty cell, a BID."""
        if self.bids is None:
            return self.labels.codes
        return np.where(self.bids < 0, self.labels.codes, self.bids + self.labels.n_codes)

    @cached_property
    def counts(self) -> Codes:
        """How many rows show each label, the empty cell last; rows with a BID show none."""
        n = self.labels.n_codes
        return np.bincount(self.cells, minlength=n)[:n].astype(np.int32)

    def count(self, labels: Flags) -> int:
        """How many rows show one of these labels."""
        return int(self.counts[labels].sum())

    @property
    def has_empty(self) -> bool:
        """Whether a cell without a bucket is empty."""
        return bool(self.counts[self.labels.null])


@dataclass(frozen=True, eq=False)
class ReleaseFolder:
    """A release folder that has been opened; attributes are read when needed."""

    folder: Path
    data: pl.DataFrame
    manifest: Manifest
    _views: dict[str, AttributeView] = field(default_factory=dict)

    def view(self, name: str) -> AttributeView:
        """What it shows of an attribute; raises DataError where the files do not fit together."""
        if name not in self._views:
            self._views[name] = _read_view(self, self.columns[name])
        return self._views[name]

    @property
    def n_suppressed(self) -> int:
        """How many rows of the original are not published."""
        return self.manifest.counts.get("suppressed", 0)

    @cached_property
    def columns(self) -> dict[str, ManifestColumn]:
        """The published columns by name, but for the numbers of people."""
        return {c.name: c for c in self.manifest.columns if c.role != "person"}

    @cached_property
    def classes(self) -> Codes:
        """The class of every row: its GID, else the rows with equal quasi-identifiers."""
        if "GID" in self.data.columns and "GID" not in self.columns:
            return encode_text(self.data["GID"]).codes
        quasi = [c.name for c in self.columns.values() if c.role is Role.QUASI]
        names = [n for q in quasi for n in (q, f"{q}_low", f"{q}_high") if n in self.data.columns]
        return encode_rows(self.data, names)[0]


def open_folder(folder: str | Path) -> ReleaseFolder:
    """Open a release folder; raises DataError where it is none."""
    if not isinstance(folder, str | Path):
        raise DataError("The folder of a release must be given as a path.")
    place = Path(folder)
    manifest = _read_manifest(place)
    return ReleaseFolder(place, _read_data(place, manifest), manifest)


def _read_manifest(folder: Path) -> Manifest:
    manifest = Manifest.read(folder)
    if manifest.form is Layout.LINKED:
        raise DataError(
            f"A query needs a release in one table or with buckets, but the sensitive values of "
            f"{folder} are in a table of their own, linked to people by the class only."
        )
    return manifest


def _read_data(folder: Path, manifest: Manifest) -> pl.DataFrame:
    path = find_table(folder, manifest, "data")
    if path is None:
        raise DataError(f"The folder {folder} has no table of data.", hint=AUDIT)
    return _table(path)


def _table(path: Path) -> pl.DataFrame:
    try:
        return read_table(path)
    except VerificationError as error:
        raise DataError(error.problems) from None


def _read_view(release: ReleaseFolder, column: ManifestColumn) -> AttributeView:
    name, data = column.name, release.data
    raw_bids = None
    if f"{name}_BID" in data.columns and f"{name}_BID" not in release.columns:
        raw_bids = _text(data[f"{name}_BID"], name)
    cells = _cells(data, name, hidden=raw_bids is not None)
    bids = buckets = None
    if raw_bids is not None:
        bids, buckets = _read_buckets(release, name, raw_bids, cells)
        # In the single-table form a secret cell shows a value of its bucket, not its own.
        cells = cells.set(raw_bids.is_not_null(), None)
    labels = encode_text(cells)
    states = release.manifest.cells_by_attribute.get(name)
    return AttributeView(
        name,
        column.kind or _guess_kind(labels.texts, buckets),
        column.hierarchy,
        labels,
        is_plain=column.is_plain,
        empty_hides=column.role is Role.SEMI_SENSITIVE or _is_split(data, name),
        bids=bids,
        buckets=buckets,
        known_original=states is not None
        and states.keys() <= {"original", "hidden", "secret", "empty"},
    )


def _is_split(data: pl.DataFrame, name: str) -> bool:
    return name not in data.columns and f"{name}_low" in data.columns


def _text(series: pl.Series, name: str) -> pl.Series:
    if not has_text_form(series):
        raise DataError(Problem("The cells of the column cannot be read as text.", name, AUDIT))
    text = series.cast(pl.String)
    return text.replace({"": None}) if series.dtype == pl.String else text


def _cells(data: pl.DataFrame, name: str, hidden: bool) -> pl.Series:
    """The public cells as text; two columns of ends are read as the ranges that they are."""
    if name in data.columns:
        return _text(data[name], name)
    if _is_split(data, name) and f"{name}_high" in data.columns:
        low, high = (_text(data[f"{name}_{end}"], name) for end in ("low", "high"))
        ends = pl.DataFrame({"low": low, "high": high})
        ranges = pl.format("[{}, {}]", "low", "high")
        return ends.select(
            pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(ranges).alias(name)
        )[name]
    if hidden:
        return pl.Series(name, [None], dtype=pl.String).new_from_index(0, data.height)
    raise DataError(
        Problem("The manifest lists the column, but the table does not have it.", name, AUDIT)
    )


def _read_buckets(
    release: ReleaseFolder, name: str, raw: pl.Series, cells: pl.Series
) -> tuple[Codes, Buckets]:
    """The bucket of every row, and what is in them: from their own table, else from the cells."""
    table = _bucket_table(release, name)
    if table is None:
        table = pl.DataFrame({"BID": raw, "value": cells}).filter(raw.is_not_null())
        if name not in release.data.columns:
            raise DataError(Problem("The buckets of the column are in no table.", name, AUDIT))
    known, pointers = encode_text(_text(table["BID"], name)), encode_text(raw)
    place = {bid: code for code, bid in enumerate(known.texts.to_list())}
    of_code = [place.get(bid, len(place)) for bid in pointers.texts.to_list()]
    bids = np.array([*of_code, -1], dtype=np.int32)[pointers.codes]
    n = len(place)
    more = np.bincount(known.codes, minlength=n) - np.bincount(bids[bids >= 0], minlength=n + 1)[:n]
    # Entries that belong to nobody are declared, and no row can be found to have one.
    declared = release.manifest.counts.get("counterfeit_entries", 0)
    if (bids >= n).any() or (more < 0).any() or more.sum() > declared:
        text = "The numbers of values and of cells in a bucket differ."
        raise DataError(Problem(text, name, AUDIT))
    return bids, Buckets(known.codes, table["value"], n)


def _bucket_table(release: ReleaseFolder, name: str) -> pl.DataFrame | None:
    path = find_table(release.folder, release.manifest, f"buckets-{name}")
    if path is None:
        return None
    table = _table(path)
    if not {"BID", "value"} <= set(table.columns):
        text = "The table of buckets must have the columns BID and value."
        raise DataError(Problem(text, path.name, AUDIT))
    return table


def _guess_kind(texts: pl.Series, buckets: Buckets | None) -> Kind:
    """Numeric if all that is shown are numbers; only where the manifest does not say."""
    parts = [texts] if buckets is None else [texts, buckets.values]
    read = [read_numbers(part) for part in parts]
    there = any((~extents.missing).any() for extents in read)
    unreadable = any(extents.unreadable.any() for extents in read)
    return Kind.NUMERIC if there and not unreadable else Kind.CATEGORICAL
