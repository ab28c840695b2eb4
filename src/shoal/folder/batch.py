"""Writing one table to one file batch by batch, and a release around it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from shoal.folder.counted_secret import CountedSecrets
from shoal.folder.escape import escape_table
from shoal.folder.exchange import draft_for, locked, place_draft, undisturbed
from shoal.folder.manifest import file_of, stamped, state, write_described
from shoal.folder.place import check_places
from shoal.folder.public import Public
from shoal.folder.table import disk_errors
from shoal.folder.writing import target_of, umask
from shoal.reading.manifest import ManifestFile
from shoal.report import BucketSizes, GroupSizes, release_report
from shoal.schema import Schema
from shoal.verify import Recount, VerifiedTable, verify_parts


@dataclass(frozen=True)
class Written:
    """All of a release but its rows: what its manifest says."""

    public: Public
    recount: Callable[[Schema], Recount]
    plan_digest: str


@contextmanager
def private_folder(folder: Path) -> Iterator[Path]:
    """A folder next to that of a release, for what a run keeps on the way; gone afterwards.

    Nobody else can read it. It is a draft of the release, so whoever stops a run removes it
    too, and what a killed run left is removed by the next one.
    """
    with draft_for(target_of(folder)) as fresh:
        yield fresh


def write_batches(batches: Iterable[pl.DataFrame], path: Path) -> None:
    """Write the batches of a table one after the other, as `write_table` writes all of it."""
    with disk_errors():
        if path.suffix == ".parquet":
            _write_parquet(batches, path)
        else:
            _write_csv(batches, path)


def _write_csv(batches: Iterable[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for number, batch in enumerate(batches):
            quote = "always" if batch.width == 1 else None
            escape_table(batch).write_csv(file, include_header=number == 0, quote_style=quote)  # type: ignore[arg-type]


def _write_parquet(batches: Iterable[pl.DataFrame], path: Path) -> None:
    import pyarrow.parquet as pq

    writer = None
    try:
        for batch in batches:
            coded = [n for n, t in batch.schema.items() if isinstance(t, pl.Enum | pl.Categorical)]
            table = batch.with_columns(by_name(coded).cast(pl.String)).to_arrow()
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def write_tables(
    written: Written,
    tables: Mapping[str, tuple[VerifiedTable, Iterable[pl.DataFrame]]],
    folder: Path,
    *,
    force: bool,
    format: str,
) -> Path:
    """Write a release batch by batch, read it again, and only then give it its name.

    Its tables are by name: each as it was verified, and its rows in batches. Raises
    VerificationError, and leaves nothing behind, where the rows of the files are not those that
    were verified.
    """

    def write(fresh: Path) -> dict[str, ManifestFile]:
        files = {}
        for name, (table, batches) in tables.items():
            path = fresh / f"{name}.{format}"
            write_batches(batches, path)
            files[path.name] = file_of(path, table.digest.n_rows)
        return files

    def verify(fresh: Path) -> None:
        verify_parts(fresh, {f"{name}.{format}": table for name, (table, _) in tables.items()})

    return write_folder(written, write, verify, folder, force=force)


def write_folder(
    written: Written,
    write: Callable[[Path], Mapping[str, ManifestFile]],
    verify: Callable[[Path], None],
    folder: Path,
    *,
    force: bool,
) -> Path:
    """Write the table into a draft, describe it, verify it, and only then give it its name."""
    place = target_of(folder)
    check_places(place, None, force)
    with draft_for(place) as fresh:
        _describe(written, fresh, write(fresh))
        verify(fresh)
        fresh.chmod(0o777 & ~umask())
        with locked(place.parent), undisturbed():
            # Again, under the lock: another run may have taken the place in the meantime.
            check_places(place, None, force)
            place_draft(fresh, place)
    return folder


def _describe(written: Written, folder: Path, tables: Mapping[str, ManifestFile]) -> None:
    """Write the report and the manifest."""
    public = written.public
    assert public.counted is not None
    # Kept nowhere: a plan with a private folder does not run batch by batch.
    salt = secrets.token_hex(16)
    manifest = stamped(state(public, written.recount), written.plan_digest, salt)
    sizes = GroupSizes(*public.counted.group_sizes)
    report = release_report(manifest, public.tables, sizes, _bucket_sizes(public))
    write_described(folder, manifest, report, tables)


def _bucket_sizes(public: Public) -> list[BucketSizes] | None:
    if not isinstance(public.counted, CountedSecrets):
        return None
    names = [(a.name, f"buckets-{a.name}") for a in public.declared.secret]
    files = ((name, file if file in public.tables else "data") for name, file in names)
    return [public.counted.bucket_sizes(name, file) for name, file in files]
