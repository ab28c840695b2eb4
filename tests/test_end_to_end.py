"""Any schema, any table, any plan: an error of ours, or a release that brute force accepts."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from tests.brute import check_release
from tests.cases import QUASI_FORMS, Case, as_field

# A VerificationError would mean that a release was wrong, and anything else that nobody thought
# of it.
KNOWN = (shoal.PlanError, shoal.DataError, shoal.InfeasibleError)

# What a CSV, a shell, a spreadsheet, a regular expression or a parser might stumble over.
ODD = [
    "=1+1", "-x", "+", "@", "'", '"', "''=", "a,b", "{a, b}", "[1, 2]", "*", " ", "  x ", "\\",
    "\t", "a\nb", "\r\n", "null", "NaN", "-0", "1e5", "007", "١", "ü", "e\u0301", "é", "\u202e",
    "😀", "\x00", "true",
    "[a, b[", ">=3", "<3", "2020-02-30", "2020-01-01", ",", "{", "}", '{"', "''", "#", "%",
]  # fmt: skip
odd_text = st.one_of(
    st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
)
names = st.one_of(
    st.sampled_from(["age", "a b", "=a", "'=a", 'q"x', "a,b", "ü", "-", "a\nb", "{x}", "name:"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]), min_size=1,
            max_size=6),
)  # fmt: skip
number = st.one_of(
    st.integers(-50, 50).map(str),
    st.floats(-1e9, 1e9, allow_nan=False).map(repr),
    st.sampled_from(["0", "-0", "1e3", " 7", "+4", ".5", "5.", "1E-3"]),
)
day = st.dates().map(str)


@st.composite
def columns(draw: st.DrawFn, n: int, role: str) -> tuple[dict[str, Any], list[str | None]]:
    """The words of a plan for a column, and its cells."""
    form = draw(st.sampled_from(["number", "word", "day", "declared"]))
    if form == "declared":
        words, pool = QUASI_FORMS[draw(st.sampled_from(sorted(QUASI_FORMS)))]
        values = st.sampled_from(pool)
    else:
        kind = {"number": "numeric", "word": "categorical", "day": "date"}[form]
        words = {"kind": kind}
        if draw(st.booleans()) and form != "number":
            words["hierarchy"] = "flat"
        values = {"number": number, "word": odd_text, "day": day}[form]
        values = st.sampled_from(draw(st.lists(values, min_size=1, max_size=6, unique=True)))
    cells = draw(st.lists(st.one_of(values, values, values, st.none()), min_size=n, max_size=n))
    return {"role": role, **words}, cells


models = st.one_of(
    st.builds(lambda k: {"k-anonymity": {"k": k}}, st.integers(1, 6)),
    st.builds(lambda l: {"l-diversity": {"l": l}}, st.integers(1, 4)),  # noqa: E741
    st.builds(
        lambda l, kind: {"l-diversity": {"l": l, "kind": kind}},  # noqa: E741
        st.floats(1, 3),
        st.sampled_from(["frequency", "entropy"]),
    ),
    st.builds(
        lambda l, c: {"l-diversity": {"l": l, "kind": "recursive", "c": c}},  # noqa: E741
        st.integers(1, 3),
        st.floats(0.3, 4),
    ),
    st.builds(
        lambda alpha, k: {"alpha-k": {"alpha": alpha, "k": k}}, st.floats(0.2, 1), st.integers(1, 3)
    ),
    st.builds(lambda t: {"t-closeness": {"t": t}}, st.floats(0, 1)),
    st.builds(lambda k, e: {"k-e": {"k": k, "e": e}}, st.integers(1, 3), st.floats(0, 30)),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, dict[str, Any]]:
    n = draw(st.integers(1, 24))
    n_quasi, n_sensitive = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    chosen = draw(
        st.lists(names, min_size=n_quasi + n_sensitive, max_size=n_quasi + n_sensitive,
                 unique_by=lambda name: name.strip())
    )  # fmt: skip
    fields, attributes = {}, {}
    for place, name in enumerate(chosen):
        role = "quasi" if place < n_quasi else "sensitive"
        words, cells = draw(columns(n, role))
        attributes[name] = words
        fields[name] = as_field(name, words, cells)
    privacy = draw(st.lists(models, min_size=1, max_size=2))
    more: dict[str, Any] = {
        "method": draw(st.sampled_from(["mondrian", "mondrian", "ka"])),
        "suppression": {"limit": draw(st.sampled_from([0.0, 0.3, 1.0]))},
        "seed": draw(st.integers(0, 2**63 - 1)),
    }
    if draw(st.booleans()):
        more["shards"] = {"rows": draw(st.integers(2, 10))}
    return Case(fields, attributes, privacy), more


@given(cases())
@settings(
    max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_an_error_of_ours_or_a_release_that_holds(drawn: tuple[Case, dict[str, Any]]) -> None:
    case, more = drawn
    try:
        release = shoal.run(case.plan(**more), case.frame)
    except KNOWN:
        return
    check_release(case, release, more["suppression"]["limit"])
    with tempfile.TemporaryDirectory() as folder:
        written = release.save(Path(folder) / "release")
        _check_file(written / "data.csv", release)


def _check_file(path: Path, release: Any) -> None:
    """The file, read by another reader, says what the release says."""
    text = _without_nul(path.read_bytes().decode("utf-8"))
    [header, *rows] = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    said = release.coded["data"].select(pl.all().cast(pl.String))
    want = [[_without_nul(cell or "") for cell in row] for row in said.rows()]
    assert [_unescape(name) for name in header] == release.frame.columns
    assert [[_unescape(cell) for cell in row] for row in rows] == want
    for row in rows:
        for cell in row:
            assert cell[:1] not in ("=", "@", "\t", "\r")


def _without_nul(text: str) -> str:
    """The reader cannot take NUL; another sign stands in for it."""
    return text.replace("\0", "\ue000")


def _unescape(text: str) -> str:
    bare = text.lstrip("'")
    return text[1:] if text.startswith("'") and bare[:1] in "=+-@\t\r" and bare else text


plans = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(0, 3), odd_text, names),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)
KEYS = [
    "attributes", "privacy", "method", "suppression", "ranges", "shards", "engine", "missing",
    "seed", "individual", "objective", "output", "polish", "table",
]  # fmt: skip


@given(st.sampled_from(KEYS), plans)
@settings(max_examples=200)
def test_a_spoiled_plan_is_an_error_of_ours(key: str, value: Any) -> None:
    """Whatever stands under a key: a release, or an error that says where."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("abab")})
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        key: value,
    }
    if key == "output":
        plan["seed"] = "not reached"
    try:
        shoal.run(plan, frame)
    except KNOWN:
        return


@pytest.mark.parametrize("name", ["*", "^a.*$", "^$"])
def test_a_name_that_is_a_pattern_is_refused(name: str) -> None:
    """Polars would take it for other columns."""
    frame = pl.DataFrame({name: [1, 2, 3], "ab": ["x", "y", "z"]})
    plan = {
        "attributes": {name: "quasi", "ab": "identifier"},
        "privacy": [{"k-anonymity": {"k": 3}}],
    }
    with pytest.raises(shoal.DataError, match="column 1"):
        shoal.run(plan, frame)


@given(st.lists(st.one_of(odd_text, st.none()), min_size=2, max_size=12), st.booleans())
@settings(max_examples=150)
def test_kinds_are_guessed_without_harm(cells: list[str | None], as_quasi: bool) -> None:
    """Nothing is declared but the role; the text decides."""
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=pl.String), "y": [1] * len(cells)})
    roles = {"x": "quasi", "y": "quasi"} if as_quasi else {"x": "sensitive", "y": "quasi"}
    plan = {"attributes": roles, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}
    try:
        release = shoal.run(plan, frame)
    except KNOWN:
        return
    assert release.frame.height == len(cells)
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "release")
