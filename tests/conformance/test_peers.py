"""One test for each defect that was found in other tools; `DEFECTS` says which is which."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from tests.brute import check_release, read_set
from tests.cases import Case, as_field
from tests.papers import naive

NUMBER, WORD = {"kind": "numeric"}, {"kind": "categorical"}


def _case(
    privacy: list[Any],
    ill: list[Any],
    age: list[Any] | None = None,
    *,
    ill_is: dict[str, Any] = WORD,
    age_is: dict[str, Any] = NUMBER,
) -> Case:
    cells = [str(20 + i) for i in range(len(ill))] if age is None else age
    words = {"age": age_is, "ill": ill_is}
    fields = {"age": as_field("age", age_is, cells), "ill": as_field("ill", ill_is, ill)}
    attributes = {
        "age": {"role": "quasi", **words["age"]},
        "ill": {"role": "sensitive", **words["ill"]},
    }
    return Case(fields, attributes, privacy)


def test_t_closeness_is_measured_on_the_release() -> None:
    rng = random.Random(2)
    case = _case([{"t-closeness": {"t": 0.15}}], [rng.choice("aaabc") for _ in range(60)])
    release = shoal.run(case.plan(), case.frame)
    check_release(case, release)
    [verdict] = release.verdicts
    vectors: dict[str, list[Any]] = {}
    for age, ill in release.frame.rows():
        vectors.setdefault(age, []).append(ill)
    secret = case.fields["ill"]
    worst = max(naive.closeness("equal", cells, secret) for cells in vectors.values())
    assert verdict.reached == pytest.approx(worst)
    assert 0 < worst <= 0.15
    assert len(vectors) > 1


@pytest.mark.parametrize(
    ("privacy", "ill"),
    [
        ({"k-anonymity": {"k": 5}}, ["a", "b"]),
        ({"l-diversity": {"l": 3}}, ["a"] * 9),
        ({"l-diversity": {"l": 2, "kind": "entropy"}}, ["a"] * 9),
        ({"l-diversity": {"l": 2, "kind": "recursive", "c": 0.1}}, ["a", "b"] * 4),
        ({"alpha-k": {"alpha": 0.3, "k": 2}}, ["a", "b", "b"]),
    ],
)
def test_what_cannot_be_had_is_an_error_and_no_file(
    privacy: Any, ill: list[str], tmp_path: Path
) -> None:
    case = _case([privacy], ill)
    with pytest.raises(shoal.InfeasibleError) as caught:
        shoal.run(case.plan(output=str(tmp_path / "release")), case.frame)
    assert caught.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_missing_values_are_neither_dropped_nor_wildcards() -> None:
    case = _case([{"k-anonymity": {"k": 2}}], list("abcdef"), ["1", "1", None, None, "9", None])
    release = shoal.run(case.plan(suppression={"limit": 0}), case.frame)
    check_release(case, release, 0)
    assert release.frame.height == 6
    checked = shoal.check(case.frame, plan=case.plan())
    assert checked.classes["size"].to_list() == [2, 3, 1]
    assert not checked.holds


@pytest.mark.parametrize("index", [[0] * 8, [3, 1, 2, 1, 0, 7, 7, 5], list("hgfedcba")])
def test_any_index(index: list[Any]) -> None:
    case = _case([{"k-anonymity": {"k": 3}}], list("abcabcab"))
    table = case.frame.to_pandas()
    table.index = index
    release = shoal.run(case.plan(), table)
    check_release(case, release)
    assert release.frame.height == 8


@pytest.mark.parametrize(
    ("asked", "ill", "holds"),
    [
        # r = (3, 2, 1): 3 < c (2 + 1) for l = 2, 3 < c * 1 for l = 3.
        ({"l": 2, "kind": "recursive", "c": 1.0}, "aaabbc", False),
        ({"l": 2, "kind": "recursive", "c": 1.1}, "aaabbc", True),
        ({"l": 3, "kind": "recursive", "c": 3.0}, "aaabbc", False),
        ({"l": 3, "kind": "recursive", "c": 3.1}, "aaabbc", True),
        ({"l": 2, "kind": "entropy"}, "ab", True),
        ({"l": 2, "kind": "entropy"}, "aab", False),
        ({"l": 3, "kind": "entropy"}, "abcabc", True),
        ({"l": 7, "kind": "entropy"}, "abcdefg", True),
        ({"l": 3, "kind": "frequency"}, "abc", True),
    ],
)
def test_diversity_in_exact_small_cases(asked: Any, ill: str, holds: bool) -> None:
    case = _case([{"l-diversity": asked}], list(ill), ["1"] * len(ill))
    assert shoal.check(case.frame, plan=case.plan()).holds is holds
    if holds:
        assert shoal.run(case.plan(), case.frame).frame.height == len(ill)
    else:
        with pytest.raises(shoal.InfeasibleError):
            shoal.run({**case.plan(), "suppression": {"limit": 0}}, case.frame)


def test_a_constant_sensitive_number_divides_nothing_by_zero() -> None:
    case = _case([{"t-closeness": {"t": 0.0}}], ["7"] * 6, ill_is=NUMBER)
    release = shoal.run(case.plan(), case.frame)
    assert release.verdicts[0].reached == 0
    assert release.counts.classes == 6


def test_a_constant_quasi_identifier_divides_nothing_by_zero() -> None:
    case = _case([{"k-anonymity": {"k": 2}}], list("abcd"), ["5"] * 4)
    release = shoal.run(case.plan(), case.frame)
    assert release.frame["age"].to_list() == ["5"] * 4
    assert release.measures["glm"] == release.measures["ncp"] == 0


def test_nothing_is_published_that_was_not_declared(tmp_path: Path) -> None:
    n = 200
    frame = pl.DataFrame(
        {
            "id": [f"id{i:03d}" for i in range(n)],
            "age": [i % 50 for i in range(n)],
            "ill": [f"v{i:03d}" for i in range(n)],
        }
    ).to_pandas()
    frame.index.name = "index"
    plan = {
        "individual": "id",
        "attributes": {"id": "identifier", "age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 4}}],
        "seed": 1,
    }
    folder = shoal.run(plan, frame).save(tmp_path / "release")
    text = (folder / "data.csv").read_text()
    assert text.splitlines()[0] == "Id_num,age,ill"
    assert "id0" not in text
    published = [line.split(",")[-1] for line in text.splitlines()[1:]]
    assert sorted(published) == [f"v{i:03d}" for i in range(n)]
    numbers = [line.split(",")[0] for line in text.splitlines()[1:]]
    assert numbers == [str(i + 1) for i in range(n)], "numbers are fresh, in published order"
    rises = sum(a < b for a, b in pairwise(published))
    assert 0.3 * n < rises < 0.7 * n, "shuffled"
    with pytest.raises(shoal.PlanError, match="does not declare it"):
        shoal.run(plan, frame.reset_index())


@pytest.mark.parametrize(
    "ages",
    [
        ["15", "20", "19", "20"],
        ["1.1", "1.4", "1.9", "1.25"],
        ["-0.5", "0.5", "0.25", "-0.25"],
        ["1e-9", "2e-9", "1e9", "2e9"],
    ],
)
@pytest.mark.parametrize("ranges", ["tight", "snapped"])
@pytest.mark.parametrize(
    "hierarchy", [None, {"width": 5, "levels": 2}, {"intervals": [1.25, 20]}], ids=str
)
def test_a_published_range_contains_its_values(ages: Any, ranges: str, hierarchy: Any) -> None:
    frame = pl.DataFrame({"age": ages})
    attribute: dict[str, Any] = {"role": "quasi", "kind": "numeric"}
    if hierarchy is not None:
        attribute["hierarchy"] = hierarchy
    plan = {"attributes": {"age": attribute}, "privacy": [{"k-anonymity": {"k": 2}}],
            "ranges": ranges, "seed": 1}  # fmt: skip
    release = shoal.run(plan, frame)
    for label, row in zip(release.frame["age"], release.origin.tolist(), strict=True):
        assert _contains(label, float(ages[row])), (label, row)


def _contains(label: str, value: float) -> bool:
    if label == "*":
        return True
    if label.startswith(("<", ">=")):
        return value < float(label[1:]) if label[0] == "<" else value >= float(label[2:])
    if not label.startswith("["):
        return float(label) == value
    low, high = (float(end) for end in label[1:-1].split(", "))
    return low <= value < high if label.endswith("[") else low <= value <= high


def test_a_missing_hierarchy_is_a_clear_error() -> None:
    case = _case([{"k-anonymity": {"k": 2}}], list("abcd"))
    with pytest.raises(shoal.PlanError, match="'age' has none"):
        shoal.run(case.plan(method="ka"), case.frame)


def test_a_value_without_a_place_in_the_hierarchy_is_a_clear_error() -> None:
    kind = {"kind": "categorical", "hierarchy": {"tree": {"*": ["x", "y"]}}}
    case = _case([{"k-anonymity": {"k": 2}}], list("abcd"), ["x", "y", "zebra", "x"], age_is=kind)
    with pytest.raises(shoal.DataError) as caught:
        shoal.run(case.plan(), case.frame)
    assert "age" in str(caught.value)
    assert "zebra" not in str(caught.value)


def test_what_the_caller_hands_over_is_left_alone() -> None:
    tree = {"*": {"w": ["x", "y"], "e": ["z"]}}
    kind = {"kind": "categorical", "hierarchy": {"tree": tree}}
    frame = pl.DataFrame({"q": ["x", "y", "z", "z"]})
    plan = {"attributes": {"q": {"role": "quasi", **kind}}, "privacy": [{"k-anonymity": {"k": 2}}]}
    before = repr(plan)
    shoal.run(plan, frame)
    assert repr(plan) == before
    assert frame["q"].to_list() == ["x", "y", "z", "z"]


def test_nothing_to_publish_is_an_error_and_not_an_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tops = {"kind": "categorical", "hierarchy": {"tree": {"a": None, "b": None, "c": None}}}
    case = _case([{"k-anonymity": {"k": 2}}], list("xyz"), list("abc"), age_is=tops)
    with pytest.raises(shoal.InfeasibleError, match="Nothing can be published"):
        shoal.run(case.plan(method="ka", output=str(tmp_path / "release")), case.frame)
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == ""


def test_t_is_the_earth_movers_distance() -> None:
    """{3, 4, 5} against 3 … 11 is 0.375 by EMD; the largest difference of shares is 2/9."""
    pay = [str(v) for v in range(3, 12)]
    case = _case([{"t-closeness": {"t": 0.3}}], pay, ["1"] * 3 + ["2"] * 6, ill_is=NUMBER)
    found = shoal.check(case.frame, plan=case.plan())
    assert not found.holds
    assert found[0].reached == pytest.approx(0.375)


@pytest.mark.parametrize(
    "column",
    ["__import__('os').system('x')", "a; drop table", "lambda: 0", "../../etc", "{0}", "%s"],
)
def test_names_of_columns_are_never_run(column: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({column: [1, 2, 3, 4]})
    plan = {"attributes": {column: "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}
    folder = shoal.run(plan, frame).save(tmp_path / "release")
    assert pl.read_csv(folder / "data.csv").columns == [column]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.getcwd []", "!!python/name:os.system"])
def test_a_plan_file_runs_nothing(tag: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(f"attributes: {{a: quasi}}\nprivacy: {tag}\n", encoding="utf-8")
    with pytest.raises(shoal.PlanError):
        shoal.run(path, pl.DataFrame({"a": [1, 2]}))


def test_the_text_null_is_not_missing_unless_declared() -> None:
    words = ["null", "NA", "None", "nan", "NaN", "?"]
    case = _case([{"k-anonymity": {"k": 1}}], words, ["1"] * 6)
    plain = shoal.run(case.plan(), case.frame).frame["ill"].to_list()
    assert sorted(plain) == sorted(words)
    declared = shoal.run(case.plan(missing=["?", "NA"]), case.frame).frame["ill"].to_list()
    assert declared.count(None) == 2


def test_formulas_are_escaped_in_csv_and_not_in_parquet(tmp_path: Path) -> None:
    cells = ["=1+1", "+x", "-5", "@a", "-x", "\tx", "ok", "+1.5e3"]
    case = _case([{"k-anonymity": {"k": 2}}], cells)
    release = shoal.run(case.plan(), case.frame)
    assert sorted(release.frame["ill"]) == sorted(cells)
    text = (release.save(tmp_path / "csv") / "data.csv").read_text()
    written = {line.rsplit(",", 1)[-1].strip('"') for line in text.splitlines()[1:]}
    assert {"'=1+1", "'+x", "-5", "'@a", "'-x", "ok", "+1.5e3", "'\tx"} == written
    parquet = pl.read_parquet(release.save(tmp_path / "pq", format="parquet") / "data.parquet")
    assert sorted(parquet["ill"]) == sorted(cells)


def test_suppressed_rows_are_not_published() -> None:
    kind = {"kind": "categorical", "hierarchy": {"tree": {"a": None, "b": None}}}
    case = _case([{"k-anonymity": {"k": 2}}], ["x", "y", "lonely"], ["a", "a", "b"], age_is=kind)
    release = shoal.run(case.plan(method="ka"), case.frame)
    assert release.frame.height == 2
    assert "lonely" not in release.frame["ill"].to_list()
    assert release.rows["class"].to_list() == [1, 1, None]
    assert release.measures["suppression"] == pytest.approx(1 / 3)


def test_sets_are_sorted() -> None:
    towns = ["Ulm", "Bonn", "Kiel", "Aix", "Rom", "Ulm"]
    case = _case([{"k-anonymity": {"k": 6}}], list("abcabc"), towns, age_is=WORD)
    [label] = set(shoal.run(case.plan(), case.frame).frame["age"])
    assert read_set(label) == ["Aix", "Bonn", "Kiel", "Rom", "Ulm"]


def test_no_key_is_written_beside_the_release(tmp_path: Path) -> None:
    case = _case([{"k-anonymity": {"k": 2}}], list("abcdef"))
    seed = 987654321987
    case.extra["seed"] = seed
    folder = shoal.run(case.plan(), case.frame).save(tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    for path in folder.iterdir():
        assert str(seed).encode() not in path.read_bytes()
    assert {"data.csv", "manifest.json"} <= {path.name for path in folder.iterdir()}
    assert not any(path.suffix in (".key", ".pem", ".parquet") for path in folder.iterdir())


# The defects as they were found, each with the tests that name what happens here instead.
DEFECTS: dict[str, tuple[str, ...]] = {
    "threshold overwritten, homogeneous classes published": (
        "test_t_closeness_is_measured_on_the_release",
    ),
    "k = 5 on 2 rows published unchanged; l = 3 with one sensitive value published": (
        "test_what_cannot_be_had_is_an_error_and_no_file",
    ),
    "rows with missing values silently dropped, or missing treated as a wildcard": (
        "test_missing_values_are_neither_dropped_nor_wildcards",
    ),
    "infinite loop or wrong rows on duplicate or unsorted frame index": ("test_any_index",),
    "recursive (c,l) sorted the wrong way; entropy l truncated by float error (two equal values "
    "gave l = 1); constant numeric sensitive column divides by zero": (
        "test_diversity_in_exact_small_cases",
        "test_a_constant_sensitive_number_divides_nothing_by_zero",
    ),
    "output carries an `index` column with original row numbers; user id column kept; row order "
    "kept": ("test_nothing_is_published_that_was_not_declared",),
    "20 labelled [15, 20) ; float ranges printed through %d as 1~1": (
        "test_a_published_range_contains_its_values",
    ),
    "hierarchy missing for a QI: KeyError; caller's hierarchies mutated": (
        "test_a_missing_hierarchy_is_a_clear_error",
        "test_what_the_caller_hands_over_is_left_alone",
    ),
    "infeasible: print and an empty table": (
        "test_nothing_to_publish_is_an_error_and_not_an_empty_table",
    ),
    '"t" as largest frequency difference instead of Earth Mover\'s Distance': (
        "test_t_is_the_earth_movers_distance",
    ),
    "unsafe deserialisation of project files; column names pasted into eval; unsanitised upload "
    "names; unlimited uploads": (
        "test_a_plan_file_runs_nothing",
        "test_names_of_columns_are_never_run",
        "tests/studio/test_place.py::test_only_plain_names_are_taken",
        "tests/studio/test_place.py::test_an_upload_beyond_the_limit_leaves_nothing",
    ),
    'text "null" taken as missing': ("test_the_text_null_is_not_missing_unless_declared",),
    "formulas (= + - @) written to CSV unescaped": (
        "test_formulas_are_escaped_in_csv_and_not_in_parquet",
    ),
    "suppressed rows published with only QIs starred, sensitive values intact": (
        "test_suppressed_rows_are_not_published",
    ),
    "sets listed in first-seen order": ("test_sets_are_sorted",),
    "keys or vaults written beside the release": ("test_no_key_is_written_beside_the_release",),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_defect_has_its_tests(defect: str) -> None:
    root = Path(__file__).parents[2]
    for test in DEFECTS[defect]:
        place, _, name = test.rpartition("::")
        text = (root / place).read_text(encoding="utf-8") if place else Path(__file__).read_text()
        assert f"def {name}(" in text
