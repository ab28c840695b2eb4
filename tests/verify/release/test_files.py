"""Written files: read back alike, and every edit is noticed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import VerificationError
from shoal.reading.delimited import open_csv
from shoal.reading.table import read_table
from shoal.verify import verify_files
from shoal.verify.release.files import check_digests, verify_manifest
from tests.verify.small import said

TABLE = pl.DataFrame(
    {
        "age": ["[1, 2]", "*", None, "-5"],
        "=note": ["=1+1", "a,b", 'say "x"\nthen', "'@me"],
        "pay_low": [1.0, 2.5, None, -3.0],
    }
)
BUCKETS = pl.DataFrame({"BID": [1, 1], "value": ["flu", None]})
TABLES = {"data": TABLE, "buckets-x": BUCKETS}


def escape(cell: str) -> str:
    if not re.match(r"'*[=+\-@\t\r]", cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(r'[",\r\n]', cell) else cell


def write_csv(path: Path, table: pl.DataFrame) -> None:
    rows: list[Any] = [table.columns, *table.rows()]
    lines = [
        ["" if c is None else escape(c) if isinstance(c, str) else str(c) for c in row]
        for row in rows
    ]
    path.write_bytes("".join(",".join(map(quote, line)) + "\n" for line in lines).encode())


def write_manifest(folder: Path, **changes: Any) -> None:
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name == "manifest.json":
            continue
        files[path.name] = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        if path.stem in TABLES and path.suffix in (".csv", ".parquet"):
            files[path.name]["rows"] = TABLES[path.stem].height  # type: ignore[assignment]
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "files": files, **changes}))


@pytest.fixture(params=["csv", "parquet"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name, table in TABLES.items():
        if request.param == "csv":
            write_csv(tmp_path / f"{name}.csv", table)
        else:
            table.write_parquet(tmp_path / f"{name}.parquet")
    (tmp_path / "report.html").write_text("<p>fine</p>")
    write_manifest(tmp_path)
    return tmp_path


@pytest.fixture
def csv_folder(tmp_path: Path) -> Path:
    for name, table in TABLES.items():
        write_csv(tmp_path / f"{name}.csv", table)
    write_manifest(tmp_path)
    return tmp_path


def refused(folder: Path, finding: str, tables: Any = TABLES) -> None:
    with pytest.raises(VerificationError) as error:
        verify_files(folder, tables)
    assert re.search(finding, str(error.value)), str(error.value)
    assert "flu" not in str(error.value)


def test_a_sound_folder(folder: Path) -> None:
    verify_files(folder, TABLES)


def test_dictionaries_are_text(folder: Path) -> None:
    coded = TABLE.with_columns(pl.col("age").cast(pl.Categorical))
    verify_files(folder, {**TABLES, "data": coded})


@pytest.mark.parametrize(
    ("column", "cell", "finding"),
    [
        ("age", "[1, 3]", r"'age' has 1 cell that differs from the table \(row 1\)"),
        ("age", None, r"'age' has 1 cell"),
        ("pay_low", 1.5, r"'pay_low' has 1 cell"),
        ("pay_low", None, r"'pay_low' has 1 cell"),
    ],
)
def test_another_cell(folder: Path, column: str, cell: Any, finding: str) -> None:
    other = TABLE.with_columns(pl.Series(column, [cell, *TABLE[column][1:]]))
    refused(folder, finding, {**TABLES, "data": other})


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        (lambda: TABLE.head(3), "The file has 4 rows, but the table has 3"),
        (lambda: pl.concat([TABLE, TABLE]), "The file has 4 rows, but the table has 8"),
        (lambda: TABLE.select(reversed(TABLE.columns)), "The columns of the file are not those"),
        (lambda: TABLE.drop("age"), "The columns of the file are not those"),
        (lambda: TABLE.rename({"age": "years"}), "The columns of the file are not those"),
        (lambda: TABLE.reverse(), "'age' has 4 cells"),
    ],
)
def test_another_table(folder: Path, other: Callable[[], pl.DataFrame], finding: str) -> None:
    refused(folder, finding, {**TABLES, "data": other()})


def test_numbers_come_back_as_precisely_as_their_column_holds_them(tmp_path: Path) -> None:
    """The nearest single-precision number to 1e-07 is another double."""
    texts = pl.DataFrame({"pay": ["1e-07", "0.1", "3.0", None]})
    for kind, finding in ((pl.Float32, "1 cell that"), (pl.Float64, "2 cells that")):
        texts.cast(kind).write_parquet(tmp_path / "data.parquet")
        write_manifest(tmp_path)
        verify_files(tmp_path, {"data": texts})
        other = pl.DataFrame({"pay": ["1.00000001e-07", "0.1001", "3.0", None]})
        refused(tmp_path, f"'pay' has {finding} differ", {"data": other})


@pytest.mark.parametrize(
    ("given", "written", "same"),
    [
        (pl.Series([9007199254740993]), "9007199254740993", True),
        (pl.Series([9007199254740993]), "9007199254740992", False),
        (pl.Series(["9007199254740993"]), 9007199254740992.0, False),
        (pl.Series(["9007199254740993"]), 9007199254740993, True),
        (pl.Series(["12345678901234567890"]), 1.2345678901234567e19, False),
        (pl.Series(["1e300"]), 1e300, True),
        (pl.Series([7]), "007", False),
        (pl.Series(["007"]), 7, False),
        (pl.Series([7]), "7.0", True),
        (pl.Series(["7.0"]), "7", False),
        (pl.Series(["-1e3"]), -1000, True),
    ],
)
def test_no_digit_of_a_number_is_lost(
    given: pl.Series, written: Any, same: bool, tmp_path: Path
) -> None:
    cells = pl.DataFrame({"pay": [written] * 4})
    if isinstance(written, str):
        write_csv(tmp_path / "data.csv", cells)
    else:
        cells.write_parquet(tmp_path / "data.parquet")
    write_manifest(tmp_path)
    table = {"data": pl.concat([given] * 4).alias("pay").to_frame()}
    if same:
        verify_files(tmp_path, table)
    else:
        refused(tmp_path, "'pay' has 4 cells that differ", table)


def test_an_edited_file(folder: Path) -> None:
    path = folder / "report.html"
    path.write_text("<p>other</p>")
    refused(folder, "report.html: The file's SHA-256 is not the one")


def test_an_edited_table_under_a_new_digest(csv_folder: Path) -> None:
    path = csv_folder / "buckets-x.csv"
    path.write_text(path.read_text().replace("flu", "cold"))
    write_manifest(csv_folder)
    refused(csv_folder, "buckets-x.csv: Column 'value' has 1 cell")


@pytest.mark.parametrize("name", ["row_map.csv", ".hidden", "sub/key.txt"])
def test_an_extra_file(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x\n")
    refused(folder, f"{name}: The file is in the folder, but the manifest does not list it")


def test_an_extra_table_that_is_listed(folder: Path) -> None:
    (folder / "more.csv").write_text("x\n1\n")
    write_manifest(folder)
    refused(folder, "more.csv: The file is a table that was not verified")


def test_links_and_empty_folders(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "report.html")
    (folder / "empty").mkdir()
    refused(folder, "empty: The release folder contains an empty folder")
    refused(folder, "link: The release folder may contain plain files only")


def test_a_table_that_is_not_written(folder: Path) -> None:
    refused(folder, "'more' must have one file, but it has 0", {**TABLES, "more": BUCKETS})
    write_csv(folder / "data.csv", TABLE)
    TABLE.write_parquet(folder / "data.parquet")
    write_manifest(folder)
    refused(folder, "'data' must have one file, but it has 2")


def spoil_rows(text: str) -> str:
    manifest = json.loads(text)
    for entry in manifest["files"].values():
        entry["rows"] = True
    return json.dumps(manifest)


@pytest.mark.parametrize(
    ("spoil", "finding"),
    [
        (lambda text: text[:-1], "not valid JSON"),
        (lambda text: "[]", "no 'files'"),
        (lambda text: '{"files": {"data.csv": 1}}', "no 'files'"),
        (lambda text: '{"files": {"data.csv": 1, "report.html": {}}}', "no 'files'"),
        (lambda text: '{"files": {}, "files": {}}', "not valid JSON"),
        (lambda text: text.replace('"format": 1', '"format": NaN'), "not valid JSON"),
        (lambda text: '{"files": {"../x": {}}}', "outside the folder"),
        (lambda text: '{"files": {"/x": {}}}', "outside the folder"),
        (lambda text: text.replace("report.html", "report.htm"), "it is not there"),
        (lambda text: text.replace("sha256", "sha1"), "SHA-256"),
        (spoil_rows, "number of rows in the manifest is wrong"),
        (lambda text: text.replace('"rows": 4', '"rows": 5'), "number of rows in the manifest"),
    ],
)
def test_a_spoilt_manifest(folder: Path, spoil: Callable[[str], str], finding: str) -> None:
    path = folder / "manifest.json"
    path.write_text(spoil(path.read_text()))
    refused(folder, finding)


def test_no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    refused(folder, "manifest.json: The manifest cannot be read")


@pytest.mark.parametrize("name", ["../other.txt", "sub/../../other.txt"])
def test_a_file_outside_the_folder_is_not_looked_at(name: str, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("x\n")
    (tmp_path / "release" / "sub").mkdir(parents=True)
    found = said(check_digests(tmp_path / "release", {name: {"sha256": "0"}}))
    assert found == "The manifest lists a file outside the folder."


def test_a_table_outside_the_folder_is_not_read_and_no_name_is_too_long(folder: Path) -> None:
    outside = f"../{folder.name}/{next(folder.glob('data.*')).name}"
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    long = "x" * 300 + ".csv"
    document["files"] |= {outside: {"rows": 2}, long: {"rows": 2}}
    path.write_text(json.dumps(document))
    assert said(verify_manifest(folder)).splitlines() == [
        "The manifest lists a file outside the folder.",
        f"{long}: The manifest lists the file, but it is not there.",
    ]


def test_a_manifest_is_checked_without_knowing_the_tables(folder: Path) -> None:
    assert said(verify_manifest(folder)) == ""
    path = folder / "manifest.json"
    sound = path.read_text()
    path.write_text(sound.replace('"rows": 4', '"rows": 5'))
    assert re.fullmatch(r"data\..*: The number of rows.* is wrong\.", said(verify_manifest(folder)))
    path.write_text(sound)
    (folder / "key.txt").write_text("x\n")
    assert "key.txt: The file is in the folder" in said(verify_manifest(folder))
    (folder / "report.html").unlink()
    next(folder.glob("data.*")).write_bytes(b'"')
    found = said(verify_manifest(folder))
    assert "report.html: The manifest lists the file, but it is not there" in found
    assert "SHA-256" in found
    assert "cannot be read as a table" in found
    path.unlink()
    assert "The manifest cannot be read" in said(verify_manifest(folder))


def test_what_a_file_says_besides_its_rows_is_found_without_the_tables(tmp_path: Path) -> None:
    """Whoever forges digests to match could hide names in a parquet file, or formulas in a CSV."""
    values = pl.Series("value", ["a", "b"], dtype=pl.Enum(["a", "b", "c"]))
    BUCKETS.with_columns(values).write_parquet(
        tmp_path / "buckets-x.parquet", metadata={"source": "somewhere"}
    )
    (tmp_path / "data.csv").write_bytes(b"age,=note\n1,2\n3,@SUM(A1)\n4,'@SUM(A1)\n5,-5\n")
    write_manifest(tmp_path)
    assert said(verify_manifest(tmp_path)).splitlines() == [
        "buckets-x.parquet: The file has metadata besides its table.",
        "buckets-x.parquet: The dictionary of column 'value' has 1 value that no row has.",
        "data.csv: 2 cells would be taken for formulas by a spreadsheet.",
    ]
    (tmp_path / "buckets-x.parquet").unlink()
    (tmp_path / "data.csv").unlink()
    write_parts(tmp_path, TABLE)
    part = tmp_path / "data.parquet" / "part-00001.parquet"
    TABLE[1:].write_parquet(part, metadata={"source": "somewhere"})
    found = said(verify_manifest(tmp_path)).splitlines()
    assert "data.parquet/part-00001.parquet: The file has metadata besides its table." in found


def test_a_table_that_cannot_be_read_hides_no_other(folder: Path) -> None:
    next(folder.glob("buckets-x.*")).write_bytes(b'"')
    write_manifest(folder)
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"rows": 4', '"rows": 5'))
    one, other = (str(problem) for problem in verify_manifest(folder))
    assert re.match(r"buckets-x\..*: The file cannot be read", one)
    assert re.match(r"data\..*: The number of rows", other)


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"BID,value\n1,flu\n1\n", "too few cells"),
        (b"BID,value\r\n1,flu\r\n1,\r\n", "its header has a stray line end"),
        (b"BID,value\n1,flu\n\n1,\n", "too few cells"),
        (b"BID,value\n1,flu,x\n1,\n", "a row is malformed"),
        (b'BID,value\n1,"flu\n1,\n', "."),
        (b"BID,value\n1,\xff\n1,\n", "a row is malformed"),
        (b"\xff,value\n1,flu\n1,\n", "header is malformed"),
        (b"BID,BID\n1,flu\n1,\n", "have the same name"),
        (b"\xef\xbb\xbfBID,value\n1,flu\n1,\n", "columns of the file are not those"),
        (b"", "columns of the file are not those"),
        (b"BID,value\n", "The file has 0 rows"),
    ],
)
def test_a_malformed_csv(csv_folder: Path, content: bytes, finding: str) -> None:
    (csv_folder / "buckets-x.csv").write_bytes(content)
    write_manifest(csv_folder)
    refused(csv_folder, f"buckets-x.csv: .*{finding}")


def test_a_formula_that_was_not_escaped(csv_folder: Path) -> None:
    path = csv_folder / "data.csv"
    path.write_text(path.read_text().replace("'=", "="))
    write_manifest(csv_folder)
    refused(csv_folder, "data.csv: 2 cells would be taken for formulas")


def test_a_parquet_that_is_none(folder: Path) -> None:
    for path in folder.glob("data.*"):
        path.unlink()
    (folder / "data.parquet").write_bytes(b"PAR1 no")
    write_manifest(folder)
    refused(folder, "data.parquet: The file cannot be read as a table")


def test_a_parquet_dictionary_that_tells_more_than_its_rows(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": pl.Series(["a"], dtype=pl.Enum(["a", "suppressed"]))})
    table.write_parquet(tmp_path / "data.parquet")
    digest = hashlib.sha256((tmp_path / "data.parquet").read_bytes()).hexdigest()
    files = {"data.parquet": {"sha256": digest, "rows": 1}}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}))
    refused(tmp_path, "dictionary of column 'x' has 1 value that no row has", {"data": table})


def test_a_parquet_with_notes(tmp_path: Path) -> None:
    BUCKETS.write_parquet(tmp_path / "buckets-x.parquet", metadata={"source": "somewhere"})
    write_manifest(tmp_path)
    refused(tmp_path, "has metadata besides", {"buckets-x": BUCKETS})


def write_parts(folder: Path, table: pl.DataFrame, *more: tuple[str, int]) -> None:
    """The table 'data' in two parts; `more` are files besides, listed with so many rows."""
    (folder / "data.parquet").mkdir()
    table[:1].write_parquet(folder / "data.parquet" / "part-00000.parquet")
    table[1:].write_parquet(folder / "data.parquet" / "part-00001.parquet")
    for name, _ in more:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        table.write_parquet(path)
    rows = {f"data.parquet/part-0000{i}.parquet": n for i, n in ((0, 1), (1, table.height - 1))}
    files = {
        name: {"sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(), "rows": n}
        for name, n in (*rows.items(), *more)
    }
    (folder / "manifest.json").write_text(json.dumps({"files": files}))


@pytest.mark.parametrize(("cell", "same"), [("0", True), ("0.0", True), ("x", False), ("", False)])
def test_what_is_no_number_is_not_nought(cell: str, same: bool, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"pay,more\n1000,a\n{cell},b\n")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    files = {path.name: {"sha256": digest, "rows": 2}}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}))
    tables = {"data": pl.DataFrame({"pay": [1000, 0], "more": ["a", "b"]})}
    if same:
        verify_files(tmp_path, tables)
    else:
        refused(tmp_path, "'pay' has 1 cell that differs", tables)


def test_other_columns_are_all_that_is_said_of_a_table(folder: Path) -> None:
    with pytest.raises(VerificationError) as error:
        verify_files(folder, {**TABLES, "data": TABLE.drop("age")})
    assert re.fullmatch(r"data\..*: The columns of the file are not .*", said(error.value.problems))


def test_a_table_in_parts(tmp_path: Path) -> None:
    write_parts(tmp_path, TABLE, ("more.parquet", 4))
    tables = {"data": TABLE, "more": TABLE}
    verify_files(tmp_path, tables)
    other = TABLE.with_columns(age=pl.Series(["[1, 2]", "*", None, "*"]))
    refused(
        tmp_path,
        r"'age' has 1 cell that differs from the table \(row 4\)",
        {**tables, "data": other},
    )
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text().replace('"rows": 3', '"rows": 2'))
    refused(tmp_path, "number of rows in the manifest is wrong", tables)
    part = tmp_path / "data.parquet" / "part-00001.parquet"
    TABLE[1:].write_parquet(part, metadata={"source": "somewhere"})
    refused(tmp_path, "data.parquet: The file has metadata besides", tables)


@pytest.mark.parametrize("name", ["data.parquet/sub/x.parquet", "data.parquet/x.csv"])
def test_a_table_among_the_parts_of_another_was_not_verified(name: str, tmp_path: Path) -> None:
    write_parts(tmp_path, TABLE, (name, 0))
    refused(tmp_path, f"{name}: The file is a table that was not verified", {"data": TABLE})


def test_examples_end_where_there_are_more(csv_folder: Path) -> None:
    seven = pl.DataFrame({"x": [str(i) for i in range(7)]})
    for n, rows in ((5, "rows 1, 2, 3, 4, 5"), (6, "rows 1, 2, 3, 4, 5, …")):
        write_csv(
            csv_folder / "data.csv", seven.with_columns(x=pl.Series([*"y" * n, *"0123456"[n:]]))
        )
        refused(csv_folder, rf"'x' has {n} cells .* \({rows}\)", {"data": seven})


CELL = st.one_of(st.none(), st.text(alphabet="a1-=+@'\"\t\r\n ,é", min_size=1, max_size=5))


@settings(deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=8)
    ),
    st.integers(1, 40),
)
def test_every_csv_reads_back(tmp_path_factory: Any, rows: list[list[Any]], n_bytes: int) -> None:
    path = tmp_path_factory.mktemp("csv") / "data.csv"
    names = ["-a", "b,c", '"d"'][: len(rows[0])]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    write_csv(path, table)
    assert read_table(path).equals(table)
    file = open_csv(path, n_bytes)
    parts = list(file.parts)
    assert file.n_formulas == sum(part.n_formulas for part in parts) == 0
    assert pl.concat([part.frame for part in parts]).equals(table)


def test_read_table(folder: Path) -> None:
    path = next(folder.glob("data.*"))
    frame = read_table(path)
    assert frame.columns == TABLE.columns
    if path.suffix == ".csv":
        assert set(frame.dtypes) == {pl.String}
        assert frame["=note"].to_list() == TABLE["=note"].to_list()
    else:
        assert frame.equals(TABLE)


@pytest.mark.parametrize(
    ("texts", "typed", "same"),
    [
        (["1000", None], [1000.0, None], True),
        (["1000", "7"], [1000, 7], True),
        (["1000", "7"], [1000, 8], False),
        (["1000", "7"], [1000, None], False),
        (["1000", "0"], [1000, None], False),
        (["1000", None], [1000, 0], False),
        (["1000", "x"], [1000, 0], False),
        (["1000", "007"], [1000, 7], False),
        (["true", "false"], [True, False], True),
        (["true", "false"], [True, True], False),
    ],
)
def test_a_file_may_have_types_that_say_the_text(
    texts: list[Any], typed: list[Any], same: bool, tmp_path: Path
) -> None:
    """What was verified is text; a number says less than text with zeros in front."""
    path = tmp_path / "data.parquet"
    pl.DataFrame({"pay": typed}).write_parquet(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    files = {path.name: {"sha256": digest, "rows": len(typed)}}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}))
    tables = {"data": pl.DataFrame({"pay": texts})}
    if same:
        verify_files(tmp_path, tables)
    else:
        refused(tmp_path, "1 cell that differs", tables)
