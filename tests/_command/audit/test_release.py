"""Written releases: left alone they pass, and whatever is done to them is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._command.audit import Audit
from shoal.errors import DataError
from shoal.reading.table import read_table
from tests.report.sample import PLAN, people


def write(folder: Path, frame: pl.DataFrame | None = None, **changes: Any) -> Path:
    shoal.run({**PLAN, **changes}, people() if frame is None else frame, output=folder)
    return folder


@pytest.fixture(scope="module", params=["csv", "parquet"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases") / request.param
    return write(folder, output={"folder": str(folder), "format": request.param})


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy to tamper with."""
    copy = tmp_path / "release"
    copy.mkdir()
    for path in written.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    return copy


def table_of(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.stem == "data")


def rewrite(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    path = table_of(folder)
    if path.suffix == ".csv":
        change(pl.read_csv(path, infer_schema=False)).write_csv(path)
    else:
        change(pl.read_parquet(path)).write_parquet(path)


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def vouch(folder: Path) -> None:
    """Put the true digest and row count of the table into the manifest."""
    path = table_of(folder)
    read = pl.read_csv if path.suffix == ".csv" else pl.read_parquet
    rows = read(path).height

    def entry(manifest: dict[str, Any]) -> None:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest["files"][path.name] = {"sha256": digest, "rows": rows}

    change_manifest(folder, entry)


def texts(found: Audit) -> str:
    return "\n".join(map(str, (*found.findings, *found.unlike)))


def test_a_release_as_it_was_written_passes(folder: Path) -> None:
    alone = shoal.audit(folder)
    assert alone.holds
    assert (alone.findings, alone.unlike) == ((), ())
    assert [v.holds for v in alone.verdicts] == [True, True]
    assert alone.complete
    beside = shoal.audit(folder, people(), plan=PLAN)
    assert beside.holds
    assert beside.complete
    assert [c.claimed for c in beside.claims] == [c.recounted for c in beside.claims]


def edit_cell(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.Series("town", ["Rome", *table["town"][1:]]))


def swap_labels(table: pl.DataFrame) -> pl.DataFrame:
    ages = table["age"].to_list()
    other = next(i for i, age in enumerate(ages) if age != ages[0])
    ages[0], ages[other] = ages[other], ages[0]
    return table.with_columns(pl.Series("age", ages))


@pytest.mark.parametrize(
    "change", [edit_cell, swap_labels, lambda t: t[1:], lambda t: pl.concat([t, t[:1]])]
)
def test_a_table_that_was_touched_is_noticed(
    folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    rewrite(folder, change)
    found = shoal.audit(folder)
    assert not found.holds
    assert "SHA-256" in texts(found)


def test_a_removed_row_is_counted_even_where_the_digest_is_right(folder: Path) -> None:
    table = read_table(table_of(folder))
    groups = table.group_by("age", "town", "job", "seen").len()
    least = groups.sort("len").row(0, named=True)
    assert least["len"] == 4
    rewrite(folder, lambda t: _without_one(t, least))
    vouch(folder)
    found = shoal.audit(folder)
    assert [p.where for p in found.findings] == ["report.html", "manifest.json"]
    assert "does not follow from the tables: counts.published, " in texts(found)
    assert found.verdicts[0].holds is False
    assert found.verdicts[0].reached == 3
    assert "claims 4, but 3 is reached" in texts(found)
    assert "claims 400 published rows, but there are 399" in texts(found)


def _without_one(table: pl.DataFrame, group: dict[str, Any]) -> pl.DataFrame:
    same = pl.all_horizontal(pl.col(n) == group[n] for n in ("age", "town", "job", "seen"))
    place = table.with_row_index("at").filter(same)["at"][0]
    return pl.concat([table[:place], table[place + 1 :]])


def test_a_forged_secret_is_noticed_beside_the_original(folder: Path) -> None:
    rewrite(folder, lambda t: t.with_columns(pl.lit("zoster").alias("illness")))
    vouch(folder)
    alone = shoal.audit(folder)
    assert alone.verdicts[1].holds is False
    beside = shoal.audit(folder, people())
    assert not beside.holds
    assert beside.verdicts[1].holds is None
    assert "can be no row of the original" in texts(beside)
    assert "zoster" not in texts(beside)


def test_further_and_absent_files_are_noticed(folder: Path) -> None:
    (folder / "notes.txt").write_text("x")
    (folder / "report.html").unlink()
    found = shoal.audit(folder)
    assert not found.holds
    assert {p.where for p in found.findings} == {"notes.txt", "report.html"}


def test_the_listed_table_is_read_and_not_another(folder: Path) -> None:
    path = table_of(folder)
    other = folder / ("data.parquet" if path.suffix == ".csv" else "data.csv")
    pl.DataFrame({"age": ["x"]}).write_csv(other)
    found = shoal.audit(folder)
    assert found.verdicts[0].holds is True
    assert [p.where for p in found.findings] == [other.name]


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00junk"])
def test_a_table_that_cannot_be_read_leaves_everything_open(
    folder: Path, content: bytes | None
) -> None:
    path = table_of(folder)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    found = shoal.audit(folder)
    assert not found.holds
    assert not any(v.holds for v in found.verdicts)


CHANGES: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda m: m["verdicts"][0].update(reached=9), "claims 9, but 4 is reached"),
    (lambda m: m["verdicts"][0].update(asked=3), "claims 3, but 4 is required"),
    (lambda m: m["verdicts"][0].update(holds=False), "claims that it does not hold"),
    (lambda m: m["requirements"][0]["parameters"].update(k=2), "no verdict on k-anonymity {k: 2}"),
    (lambda m: m["requirements"].pop(), "but does not list it as a requirement"),
    (lambda m: m["verdicts"].pop(), "no verdict on l-diversity"),
    (lambda m: m["counts"].update(published=401), "claims 401 published rows"),
    (lambda m: m["counts"].update(suppressed=5), "do not add up to"),
    (lambda m: m["counts"].update(classes=1), "claims 1 class"),
    (lambda m: m["columns"].pop(0), "Column 'age' is in the table but not in the manifest"),
    (lambda m: next(iter(m["files"].values())).update(rows=3), "number of rows"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES, ids=[words for _, words in CHANGES])
def test_a_changed_number_in_the_manifest_is_noticed(
    folder: Path, change: Callable[[dict[str, Any]], Any], words: str
) -> None:
    change_manifest(folder, change)
    found = shoal.audit(folder)
    assert not found.holds
    assert words in texts(found)


def test_another_original_is_noticed(folder: Path) -> None:
    assert "original has 500 rows" in texts(shoal.audit(folder, people(500)))
    with pytest.raises(DataError, match="no column 'illness'"):
        shoal.audit(folder, people().drop("illness"))


BROKEN: list[Callable[[Path], Any]] = [
    lambda path: path.unlink(),
    lambda path: path.write_text("{"),
    lambda path: path.write_text("[]"),
    lambda path: path.write_bytes(b"\xff\xff"),
    lambda path: path.write_text("[" * 100_000),
    lambda path: path.write_text(path.read_text().replace('"format": 1', '"format": 2')),
    lambda path: path.write_text(path.read_text().replace('"format": 1', '"format": true')),
    lambda path: path.write_text(path.read_text().replace('"format": 1', '"format": "1"')),
    lambda path: path.write_text(path.read_text().replace('"quasi"', '"S3CRET"')),
    lambda path: path.write_text(path.read_text().replace('"files"', '"file"')),
    lambda path: path.write_text(path.read_text().replace('"ranges"', '"time": "", "ranges"')),
]


@pytest.mark.parametrize("spoil", BROKEN)
def test_a_manifest_that_cannot_be_read_is_wrong_input(
    folder: Path, spoil: Callable[[Path], Any]
) -> None:
    spoil(folder / "manifest.json")
    with pytest.raises(DataError) as caught:
        shoal.audit(folder)
    assert "S3CRET" not in str(caught.value)


def test_no_folder_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder"):
        shoal.audit(tmp_path / "nothing")


def test_a_release_without_rows_proves_nothing(folder: Path) -> None:
    rewrite(folder, lambda t: t.clear())
    vouch(folder)
    found = shoal.audit(folder, people())
    assert [v.holds for v in found.verdicts] == [False, False]
    assert not found.holds


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_people_with_several_rows(tmp_path: Path, format: str) -> None:
    frame = people(60).with_columns(pl.Series("who", [f"p{i // 2}" for i in range(60)]))
    frame = frame.with_columns(pl.col("age", "town", "job", "seen").first().over("who"))
    attributes = {**PLAN["attributes"], "who": "identifier"}
    output = {"folder": str(tmp_path / "release"), "format": format}
    folder = write(
        tmp_path / "release", frame, attributes=attributes, individual="who", output=output
    )
    plan = {**PLAN, "attributes": attributes, "individual": "who"}
    found = shoal.audit(folder, frame, plan=plan)
    assert found.holds
    assert found.complete
    rewrite(folder, lambda t: t.with_columns(pl.Series("Id_num", ["1"] * t.height)))
    vouch(folder)
    torn = shoal.audit(folder)
    assert torn.verdicts[0].reached == 1
    assert "same Id_num" in texts(torn)


@pytest.mark.parametrize("ranges", ["snapped", "columns"])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_every_form_of_ranges(tmp_path: Path, ranges: str, format: str) -> None:
    output = {"folder": str(tmp_path / "release"), "format": format}
    folder = write(tmp_path / "release", ranges=ranges, output=output)
    found = shoal.audit(folder, people(), plan={**PLAN, "ranges": ranges})
    assert found.holds
    assert found.complete


def test_missing_and_odd_values_do_not_make_an_honest_release_suspect(tmp_path: Path) -> None:
    frame = people(200).with_columns(
        pl.Series("illness", ["?", None, "=1+1", "-x", " a", "007"] * 33 + ["?", "?"]),
        pl.Series("visit", [1.5, None, 2.0, -0.0] * 50),
    )
    attributes = {**PLAN["attributes"], "illness": {"role": "sensitive", "missing": ["?"]}}
    found = shoal.audit(write(tmp_path / "release", frame, attributes=attributes), frame)
    assert found.holds
    assert found.verdicts[1].holds is True


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("illness", [True, False] * 100),
        pl.Series("illness", [0.5, 2.0, 1e300, 3.0] * 50),
        pl.Series("illness", list(range(20)) * 10),
        pl.Series("illness", [0, 1] * 100).cast(pl.Date),
        pl.Series("illness", [0, 86_400_000_000] * 100).cast(pl.Datetime("us")),
    ],
    ids=lambda column: str(column.dtype),
)
def test_secrets_of_every_type_are_found_in_the_original(tmp_path: Path, column: pl.Series) -> None:
    frame = people(200).with_columns(column, column.alias("visit"))
    privacy = [{"k-anonymity": {"k": 4}}, {"t-closeness": {"t": 0.9}}]
    folder = write(tmp_path / "release", frame, privacy=privacy)
    found = shoal.audit(folder, frame, plan={**PLAN, "privacy": privacy})
    assert found.holds
    assert found.complete


def test_personal_k_is_not_claimed(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": list(range(30)), "f": [i / 30 for i in range(30)]})
    ladder = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 4}}
    plan = {
        "attributes": {"age": ladder, "f": "sensitivity"},
        "privacy": [{"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[6, 2]]}}],
        "method": "ece-mks3wd",
        "seed": 1,
    }
    release = shoal.run(plan, frame, output=tmp_path / "release")
    found = shoal.audit(tmp_path / "release", frame)
    assert found.holds
    smallest = release.frame.group_by("age").len()["len"].min()
    assert found.verdicts[0].holds is (True if smallest >= 6 else None)


def patients(n: int = 60) -> pl.DataFrame:
    """People with repeated rows, and one with so many that no class can hold them."""
    rows = [
        (f"p{i}", 20 + i % 30, "uvw"[i % 3], "abcdef"[(i * visit) % 6])
        for i in range(n)
        for visit in (1, 2, 3, 2)
    ]
    rows += [("crowd", 25, "u", f"x{visit}") for visit in range(400)]
    return pl.DataFrame(rows, schema=["who", "age", "town", "illness"], orient="row")


IDENTITY: dict[str, Any] = {
    "individual": "who",
    "attributes": {"who": "identifier", "age": "quasi", "town": "quasi", "illness": "sensitive"},
    "privacy": [
        {"ir-k": {"k": 2}},
        {"ir-kl": {"k": 2, "l": 2}},
        {"ir-alpha-beta": {"alpha": 0.5, "beta": 0.9}},
        {"eir-l": {"l": 2}},
        {"eir-alpha-beta": {"alpha": 0.5, "beta": 0.9}},
        {"l-diversity": {"l": 2}},
    ],
    "method": "danonyir",
    "seed": 5,
}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_repeated_rows_and_suppressed_people_together(tmp_path: Path, format: str) -> None:
    output = {"folder": str(tmp_path / "release"), "format": format}
    folder = tmp_path / "release"
    release = shoal.run({**IDENTITY, "seed": 3, "output": output}, patients())
    counts = release.counts
    assert counts.suppressed == 400
    assert counts.repeated == patients().height - patients().unique().height > 0
    assert counts.published + counts.suppressed + counts.repeated == counts.rows
    alone = shoal.audit(folder)
    assert (alone.findings, alone.unlike) == ((), ())
    assert [v.holds for v in alone.verdicts] == [True] * 6
    beside = shoal.audit(folder, patients())
    assert (beside.findings, beside.unlike) == ((), ())
    assert [v.holds for v in beside.verdicts] == [True] * 6
    assert [c.claimed for c in beside.claims] == [c.recounted for c in beside.claims]


def test_a_value_that_everybody_gets_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shoal.run(IDENTITY, patients(), output=folder)
    rewrite(folder, lambda t: t.with_columns(pl.lit("a").alias("illness")).unique())
    vouch(folder)
    found = shoal.audit(folder, patients())
    assert not found.holds
    assert not any(v.holds for v in found.verdicts if v.attribute)


def test_a_row_that_stands_twice_under_a_number_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shoal.run(IDENTITY, patients(), output=folder)
    rewrite(folder, lambda t: pl.concat([t, t[:1]]))
    vouch(folder)
    found = shoal.audit(folder)
    assert not found.holds
    assert "Id_num" in texts(found)


def test_a_wrong_number_of_repeated_rows_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shoal.run(IDENTITY, patients(), output=folder)
    change_manifest(folder, lambda m: m["counts"].update(repeated=m["counts"]["repeated"] + 1))
    assert not shoal.audit(folder, patients()).holds


@pytest.mark.parametrize("folder", [None, 5, {}])
def test_what_is_no_folder_is_refused(folder: Any) -> None:
    with pytest.raises(DataError, match="must be a path"):
        shoal.audit(folder)


def test_zero_has_no_sign(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": list("abab") * 2, "s": [-0.0, 1.0, 2.0, 3.0] * 2})
    plan = {
        "attributes": {"a": "quasi", "s": "sensitive"},
        "privacy": [{"l-diversity": {"l": 2}}],
        "seed": 1,
    }
    shoal.run(plan, table, output=tmp_path / "r")
    assert shoal.audit(tmp_path / "r", table).verdicts[0].holds


def test_a_requirement_that_is_listed_twice(tmp_path: Path) -> None:
    """It counts once, and a folder that states it twice, as older ones do, passes as well."""
    folder = write(tmp_path / "twice", privacy=[*PLAN["privacy"], PLAN["privacy"][0]])
    assert shoal.audit(folder).unlike == ()

    def double(manifest: dict[str, Any]) -> None:
        manifest["requirements"].append(manifest["requirements"][0])
        manifest["verdicts"].append(manifest["verdicts"][0])

    change_manifest(folder, double)
    assert shoal.audit(folder).unlike == ()


def in_parts(folder: Path, n_rows: int = 10) -> None:
    """The same release with its table in a folder of parts, as a cluster writes it."""
    table = read_table(table_of(folder))
    table_of(folder).unlink()
    parts = folder / "data.parquet"
    parts.mkdir()
    listed = {}
    for number, part in enumerate(table.iter_slices(n_rows)):
        name = f"part-{number:05}.parquet"
        part.write_parquet(parts / name)
        digest = hashlib.sha256((parts / name).read_bytes()).hexdigest()
        listed[f"data.parquet/{name}"] = {"sha256": digest, "rows": part.height}

    def list_parts(manifest: dict[str, Any]) -> None:
        files = {n: f for n, f in manifest["files"].items() if not n.startswith("data.")}
        manifest["files"] = {**files, **listed}

    change_manifest(folder, list_parts)


def test_a_table_in_parts_is_audited_and_queried_like_one_file(folder: Path) -> None:
    question = "SELECT count(*) FROM release"
    before, counted = shoal.audit(folder), shoal.query(folder, question)
    in_parts(folder)
    found = shoal.audit(folder)
    assert (found.findings, found.unlike) == ((), ())
    assert found.verdicts == before.verdicts
    assert shoal.query(folder, question) == counted


def test_a_part_that_was_touched_or_added_is_noticed(folder: Path) -> None:
    in_parts(folder)
    first = folder / "data.parquet" / "part-00000.parquet"
    (folder / "data.parquet" / "part-99999.parquet").write_bytes(first.read_bytes())
    assert "does not list it" in texts(shoal.audit(folder))
    read_table(first).head(3).write_parquet(first)
    assert "SHA-256" in texts(shoal.audit(folder))
