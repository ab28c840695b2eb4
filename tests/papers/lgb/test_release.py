"""LGB from a plan to a release: the paper's example, odd tables, and who can be found in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._command.audit import person_risk
from shoal._run import Release
from shoal.errors import DataError, InfeasibleError, PlanError
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS, Secrets, random_secrets

METHODS = ["lgb-mdp", "lgb-ncp"]
FORMS = ["split", "joined"]
MARK = 4  # the data row of patient 1004
REFUSED = {13, 20, 26, 30, 37, 43, 44, 46, 52, 56}  # of random_secrets: too few values, or rows


def plan_of(method: Any = "lgb-mdp", k: int = 2, l: Any = 2, **more: Any) -> dict[str, Any]:  # noqa: E741
    privacy = [{"k-anonymity": {"k": k}}, {"l-diversity": {"l": l}}]
    return {
        "attributes": PATIENT_ATTRIBUTES,
        "privacy": privacy,
        "method": method,
        "seed": 1,
        **more,
    }


def by_class(release: Release, names: list[str]) -> dict[frozenset[str], tuple[Any, ...]]:
    """What each class of patients publishes of these columns; they must be the same in all rows."""
    ids = PATIENTS["id"].gather(release.origin).alias("who")
    groups = release.frame.with_columns(ids).group_by("GID").agg("who", pl.col(names).unique())
    return {
        frozenset(row["who"]): tuple(_single(row[name]) for name in names)
        for row in groups.to_dicts()
    }


def _single(values: list[Any]) -> Any:
    assert len(values) == 1, "the rows of a class show different labels"
    return values[0]


def buckets_of(release: Release, name: str) -> list[list[Any]]:
    """The values of the buckets of an attribute, as they are published."""
    if release.layout == "split":
        table = release.tables[f"buckets-{name}"]
    else:
        table = release.frame.select(BID=f"{name}_BID", value=name).drop_nulls("BID")
    found: dict[str, list[Any]] = {}
    for bid, value in table.rows():
        found.setdefault(bid, []).append(value)
    return sorted(found.values())


class TestWorkedExample:
    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("method", METHODS)
    def test_classes_and_labels_are_those_of_the_paper(self, method: str, form: str) -> None:
        release = shoal.run(plan_of({method: {"tables": form}}), PATIENTS)
        hidden = release.frame.with_columns(
            pl.when(pl.col(f"{name}_BID").is_null()).then(name) for name in ("age", "zip")
        )
        shown = by_class(_with(release, hidden), ["age", "gender", "zip"])
        assert shown == {
            frozenset({"1001", "1002"}): ("[25, 28]", "*", None),
            frozenset({"1003", "1006"}): ("[16, 22]", "Male", "2135*"),
            frozenset({"1004", "1008"}): (None, "Male", "213**"),
            frozenset({"1005", "1007"}): (None, "Female", "21328"),
        }

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("method", METHODS)
    def test_buckets_are_those_of_the_specification(self, method: str, form: str) -> None:
        release = shoal.run(plan_of({method: {"tables": form}}), PATIENTS)
        ages = [[int(value) for value in bucket] for bucket in buckets_of(release, "age")]
        assert ages == [[24, 29], [31, 34]]
        assert buckets_of(release, "zip") == [["21344", "21357"]]
        diseases = buckets_of(release, "disease")
        assert all(len(set(bucket)) == len(bucket) >= 2 for bucket in diseases)
        assert Counter(v for b in diseases for v in b) == Counter(PATIENTS["disease"])

    def test_the_published_columns(self) -> None:
        split = shoal.run(plan_of(), PATIENTS)
        numbers = ["record", "GID"]
        assert split.frame.columns == [
            *numbers, "age", "age_BID", "gender", "zip", "zip_BID", "disease_BID",
        ]  # fmt: skip
        assert list(split.tables) == ["data", "buckets-age", "buckets-zip", "buckets-disease"]
        assert split.tables["buckets-age"]["value"].dtype == pl.Int64
        joined = shoal.run(plan_of({"lgb-mdp": {"tables": "joined"}}), PATIENTS)
        assert joined.frame.columns == [*split.frame.columns[:-1], "disease", "disease_BID"]
        assert list(joined.tables) == ["data"]

    def test_rows_of_a_bucket_point_to_the_values_of_its_people(self) -> None:
        release = shoal.run(plan_of(), PATIENTS)
        for name in ("age", "zip", "disease"):
            held: dict[str, list[Any]] = {}
            for bid, row in zip(release.frame[f"{name}_BID"], release.origin, strict=True):
                if bid is not None:
                    held.setdefault(bid, []).append(PATIENTS[name][int(row)])
            assert sorted(map(sorted, held.values())) == buckets_of(release, name)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("file_format", ["csv", "parquet"])
    def test_who_knows_mark_finds_two_and_learns_neither_age_nor_disease(
        self, form: str, file_format: str, tmp_path: Path
    ) -> None:
        release = shoal.run(plan_of({"lgb-mdp": {"tables": form}}), PATIENTS)
        folder, own = tmp_path / "release", tmp_path / "own"
        release.save(folder, private=own, format=file_format)
        found = person_risk(folder, PATIENTS, own, MARK)
        rows = release.origin[np.array(found.records) - 1]
        assert sorted(PATIENTS["id"].gather(rows)) == ["1004", "1008"]
        assert found.identity == found.identity_limit == 0.5
        assert found.posteriors == {"age": 0.5, "disease": 0.5}
        assert found.within
        assert not found.suppressed

    def test_the_largest_risks_are_those_of_the_requirements(self) -> None:
        risks = shoal.run(plan_of(), PATIENTS).risks
        assert risks is not None
        assert (risks.identity, risks.identity_limit, risks.identity_exact) == (0.5, 0.5, True)
        assert risks.posteriors == risks.posterior_limits

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("file_format", ["csv", "parquet"])
    def test_a_written_release_passes_its_audit(
        self, form: str, file_format: str, tmp_path: Path
    ) -> None:
        release = shoal.run(plan_of({"lgb-ncp": {"tables": form}}), PATIENTS)
        release.save(tmp_path / "release", format=file_format)
        for original in (None, PATIENTS):
            found = shoal.audit(tmp_path / "release", original)
            assert found.holds, (found.findings, found.unlike)
            assert all(verdict.holds for verdict in found.verdicts)
            # Whose value in a bucket is whose, only the private folder shows.
            assert found.complete is (original is None)


def _with(release: Release, frame: pl.DataFrame) -> Any:
    """The release with another published table, to look at."""

    class Looked:
        origin = release.origin

    Looked.frame = frame  # type: ignore[attr-defined]
    return Looked


class TestBadInput:
    @pytest.mark.parametrize("word", ["maybe", "", None, "2", "y"])
    def test_flags_that_are_neither_yes_nor_no(self, word: str | None) -> None:
        flags = ["no", "no", "no", "yes", word, "no", word, "yes"]
        frame = PATIENTS.with_columns(age_secret=pl.Series(flags, dtype=pl.String))
        with pytest.raises(DataError, match=r"'age_secret'.*2 rows \(5, 7\)") as error:
            shoal.run(plan_of(), frame)
        assert "maybe" not in str(error.value)

    def test_a_flag_that_the_data_lacks(self) -> None:
        with pytest.raises(PlanError, match="column 'zip_secret', but the data has no"):
            shoal.run(plan_of(), PATIENTS.drop("zip_secret"))

    def test_an_l_that_cannot_be_had_names_the_largest(self) -> None:
        with pytest.raises(InfeasibleError) as error:
            shoal.run(plan_of(l=5), PATIENTS)
        told = {p.text.split("'")[1]: p.hint for p in error.value.problems}
        assert told.keys() == {"disease"}
        assert "largest possible l is 4" in told["disease"]
        assert "t-closeness" in told["disease"]

    def test_those_whose_secrets_are_too_few_are_left_out(self) -> None:
        """Two people keep their postcode secret, which is too few for three values."""
        release = shoal.run(plan_of(l=3), PATIENTS)
        assert release.counts.singly >= 2
        assert "left-out-singly" in [advice.code for advice in release.warnings]
        with pytest.raises(InfeasibleError, match="the plan allows"):
            shoal.run({**plan_of(l=3), "suppression": {"limit": 0}}, PATIENTS)

    def test_secrets_of_one_value(self) -> None:
        frame = PATIENTS.with_columns(disease=pl.lit("Flu"))
        with pytest.raises(InfeasibleError, match="largest possible l is 1"):
            shoal.run(plan_of(), frame)

    def test_a_public_attribute_of_one_value(self) -> None:
        frame = PATIENTS.with_columns(gender=pl.lit("Male"), zip_secret=pl.lit("no"))
        release = shoal.run(plan_of(), frame.with_columns(zip=pl.lit("21344")))
        assert release.holds
        assert release.frame["gender"].unique().to_list() == ["Male"]
        assert release.frame["zip"].unique().to_list() == ["21344"]

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("method", METHODS)
    def test_all_cells_secret(self, method: str, form: str, tmp_path: Path) -> None:
        frame = PATIENTS.with_columns(age_secret=pl.lit("yes"), zip_secret=pl.lit("yes"))
        release = shoal.run(plan_of({method: {"tables": form}}, k=8), frame)
        assert release.holds
        assert release.frame["GID"].n_unique() == 1
        if form == "split":
            assert release.frame["age"].null_count() == 8
        release.save(tmp_path / "release", private=tmp_path / "own")
        assert shoal.audit(tmp_path / "release", frame).holds

    @pytest.mark.parametrize("form", FORMS)
    def test_nothing_public_at_all(self, form: str, tmp_path: Path) -> None:
        attributes = {"age": PATIENT_ATTRIBUTES["age"], "age_secret": "flag"}
        frame = PATIENTS.select("age", age_secret=pl.lit(True))
        plan = plan_of({"lgb-mdp": {"tables": form}}, attributes=attributes)
        release = shoal.run(plan, frame)
        assert (release.counts.classes, release.counts.published) == (1, 8)
        release.save(tmp_path / "release", private=tmp_path / "own")
        assert shoal.audit(tmp_path / "release", frame).holds

    @pytest.mark.parametrize("form", FORMS)
    def test_no_cell_secret(self, form: str, tmp_path: Path) -> None:
        frame = PATIENTS.with_columns(age_secret=pl.lit("no"), zip_secret=pl.lit("no"))
        release = shoal.run(plan_of({"lgb-mdp": {"tables": form}}), frame)
        assert release.holds
        assert not {"age_BID", "zip_BID"} & set(release.frame.columns)
        assert not {"buckets-age", "buckets-zip"} & set(release.tables)
        assert {"age", "zip", "disease_BID"} <= set(release.frame.columns)
        release.save(tmp_path / "release", private=tmp_path / "own")
        assert shoal.audit(tmp_path / "release", frame).holds

    def test_one_pattern_of_a_single_row_is_joined_with_another(self) -> None:
        flags = ["no"] * 7 + ["yes"]
        frame = PATIENTS.with_columns(age_secret=pl.Series(flags), zip_secret=pl.lit("no"))
        release = shoal.run(plan_of(), frame)
        own = release.frame.filter(pl.Series(release.origin == 7))
        group = release.frame.filter(pl.col("GID") == own["GID"][0])
        assert release.holds
        assert group.height >= 2
        assert group["age"].null_count() == group.height
        assert "age_BID" not in release.frame.columns, "what is withheld is in no bucket"
        assert release.counts.withheld == release.counts.withheld_rows == group.height

    def test_a_single_row_that_nobody_goes_with_is_suppressed(self) -> None:
        attributes = {
            "a": {"role": "semi-sensitive", "hierarchy": "flat", "flag": "a_secret"},
            "a_secret": "flag",
            "s": "sensitive",
        }
        n = 9
        frame = pl.DataFrame(
            {
                "a": [f"v{i // 2}" for i in range(n)],
                "a_secret": ["no"] * (n - 1) + ["yes"],
                "s": [f"s{i}" for i in range(n)],
            }
        )
        privacy = [
            {"k-anonymity": {"k": 8}},
            {"l-diversity": {"attribute": "a", "l": 1}},
            {"l-diversity": {"attribute": "s", "l": 2}},
        ]
        plan = {"attributes": attributes, "privacy": privacy, "method": "lgb-mdp", "seed": 1}
        release = shoal.run(plan, frame)
        assert release.counts.suppressed == 1
        assert release.rows["class"].to_list()[-1] is None
        with pytest.raises(InfeasibleError, match="1 of 9 rows would be suppressed"):
            shoal.run({**plan, "suppression": {"limit": 0.05}}, frame)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_k_beyond_the_rows(self, method: str) -> None:
        with pytest.raises(InfeasibleError):
            shoal.run(plan_of(method, k=9), PATIENTS)

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"privacy": [{"k-anonymity": {"k": 2}}]}, "needs a requirement for its buckets"),
            ({"privacy": [{"l-diversity": {"l": 2}}]}, "needs k-anonymity"),
            ({"method": "mondrian"}, "does not support semi-sensitive"),
        ],
    )
    def test_plans_that_do_not_fit(self, change: dict[str, Any], told: str) -> None:
        with pytest.raises(PlanError, match=told):
            shoal.run({**plan_of(), **change}, PATIENTS)

    @pytest.mark.parametrize("name", ["record", "GID", "x_BID"])
    def test_names_that_a_release_needs(self, name: str) -> None:
        frame = PATIENTS.rename({"gender": name})
        words = {name if k == "gender" else k: v for k, v in PATIENT_ATTRIBUTES.items()}
        with pytest.raises(PlanError, match=name):
            shoal.run(plan_of(attributes=words), frame)

    def test_a_table_as_it_stands_cannot_be_checked(self) -> None:
        with pytest.raises(PlanError, match="no buckets"):
            shoal.check(PATIENTS, plan=plan_of())
        with pytest.raises(PlanError, match="no buckets"):
            shoal.check(PATIENTS, attributes=PATIENT_ATTRIBUTES, privacy=[])


def crowd(n: int = 120, seed: int = 4) -> pl.DataFrame:
    """Patients of nowhere, some of whom keep their age or their town secret."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "age_secret": draw.choice(["yes", "no"], n, p=[0.3, 0.7]),
            "town": draw.choice(["Ulm", "Bonn", "Kiel", "Jena"], n),
            "town_secret": draw.choice(["yes", "no"], n, p=[0.25, 0.75]),
            "job": draw.choice(["baker", "clerk", "smith"], n),
            "ill": draw.choice(list("abcdefgh"), n),
        }
    )


def plan_for_crowd(method: Any = "lgb-mdp", **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "semi-sensitive", "kind": "numeric", "flag": "age_secret"},
        "age_secret": "flag",
        "town": {"role": "semi-sensitive", "kind": "categorical", "flag": "town_secret"},
        "town_secret": "flag",
        "job": "quasi",
        "ill": "sensitive",
    }
    privacy = [
        {"k-anonymity": {"k": 4}},
        {"l-diversity": {"attribute": "age", "l": 4}},
        {"l-diversity": {"attribute": "town", "l": 2}},
        {"l-diversity": {"attribute": "ill", "l": 5}},
    ]
    plan = {"attributes": attributes, "privacy": privacy, "method": method, "seed": 2}
    return {**plan, **more}


class TestForms:
    def test_every_attribute_has_its_own_l(self) -> None:
        release = shoal.run(plan_for_crowd(), crowd())
        assert release.holds
        for name, least in (("age", 4), ("town", 2), ("ill", 5)):
            found = buckets_of(release, name)
            assert min(len(set(bucket)) for bucket in found) >= least
            assert all(len(set(bucket)) == len(bucket) for bucket in found)

    def test_of_several_l_the_largest_counts(self) -> None:
        plan = plan_for_crowd()
        plan["privacy"].append({"l-diversity": {"attribute": "age", "l": 6}})
        release = shoal.run(plan, crowd())
        assert release.holds
        assert min(len(set(b)) for b in buckets_of(release, "age")) >= 6

    def test_people_may_ask_for_more(self) -> None:
        frame = crowd()
        own = np.where(np.arange(frame.height) % 10 == 0, "7", "")
        frame = frame.with_columns(own=pl.Series(own))
        plan = plan_for_crowd()
        plan["attributes"] = {**plan["attributes"], "own": "flag"}
        plan["privacy"][3] = {"l-diversity": {"attribute": "ill", "l": 3, "personal": "own"}}
        release = shoal.run(plan, frame)
        assert release.holds
        values = {
            bid: set(group["value"])
            for (bid,), group in release.tables["buckets-ill"].group_by("BID")
        }
        of_row = zip(release.frame["ill_BID"], release.origin.tolist(), strict=True)
        asked = {bid: 7 for bid, row in of_row if own[row] == "7"}
        assert asked
        assert all(len(values[bid]) >= least for bid, least in asked.items())
        assert min(map(len, values.values())) >= 3

    @pytest.mark.parametrize("ranges", ["snapped", "columns"])
    @pytest.mark.parametrize("form", FORMS)
    def test_every_form_of_ranges(self, ranges: str, form: str, tmp_path: Path) -> None:
        frame = crowd()
        plan = plan_for_crowd({"lgb-mdp": {"tables": form}}, ranges=ranges)
        release = shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
        assert release.holds
        if ranges == "columns":
            assert {"age_low", "age_high", "age_BID"} <= set(release.frame.columns)
        assert shoal.audit(tmp_path / "release", frame).holds
        assert person_risk(tmp_path / "release", frame, tmp_path / "own", 1).within

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("method", METHODS)
    def test_parquet_says_what_csv_says(self, method: str, form: str, tmp_path: Path) -> None:
        release = shoal.run(plan_for_crowd({method: {"tables": form}}), crowd())
        for name in ("csv", "parquet"):
            release.save(tmp_path / name, format=name)
            assert shoal.audit(tmp_path / name, crowd()).holds
        for table in release.tables:
            text = pl.read_csv(tmp_path / "csv" / f"{table}.csv", infer_schema=False)
            other = pl.read_parquet(tmp_path / "parquet" / f"{table}.parquet")
            assert text.equals(other.select(pl.all().cast(pl.String)))

    @pytest.mark.parametrize("method", METHODS)
    def test_missing_values_public_and_secret(self, method: str, tmp_path: Path) -> None:
        draw = np.random.default_rng(9)
        frame = crowd().with_columns(
            pl.when(pl.Series(draw.random(120) > 0.12)).then(name).alias(name)
            for name in ("age", "town", "ill")
        )
        release = shoal.run(
            plan_for_crowd(method), frame, output=tmp_path / "r", private=tmp_path / "own"
        )
        assert release.holds
        for name in ("age", "ill"):
            assert None in release.tables[f"buckets-{name}"]["value"].to_list()
        found = shoal.audit(tmp_path / "r", frame)
        assert found.holds, (found.findings, found.unlike)
        assert all(
            person_risk(tmp_path / "r", frame, tmp_path / "own", row).within
            for row in (1, 30, 60, 120)
        )

    @pytest.mark.parametrize("words", [(True, False), (1, 0), ("TRUE", "False"), (" Yes", "NO ")])
    def test_flags_in_other_words_give_the_same_release(self, words: tuple[Any, Any]) -> None:
        frame = crowd()
        said = frame.with_columns(
            pl.Series(n, [words[0] if flag == "yes" else words[1] for flag in frame[n]])
            for n in ("age_secret", "town_secret")
        )
        plain, other = (shoal.run(plan_for_crowd(), f) for f in (frame, said))
        groups = [
            sorted(r.rows.group_by("class").agg("row")["row"].list.sort().to_list())
            for r in (plain, other)
        ]
        assert groups[0] == groups[1]
        assert other.holds

    def test_shards_hold_together(self, tmp_path: Path) -> None:
        plan = plan_for_crowd(shards={"rows": 60})
        release = shoal.run(plan, crowd(240), output=tmp_path / "release")
        assert release.holds
        assert shoal.audit(tmp_path / "release", crowd(240)).holds

    @pytest.mark.parametrize("method", METHODS)
    def test_the_same_seed_gives_the_same_bytes_whatever_the_order(
        self, method: str, tmp_path: Path
    ) -> None:
        frame = crowd()
        shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)
        for name, data in (("one", frame), ("two", shuffled)):
            shoal.run(plan_for_crowd(method), data, output=tmp_path / name)
        tables = [p.name for p in (tmp_path / "one").iterdir() if p.suffix == ".csv"]
        assert len(tables) == 4
        for name in tables:
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

    def test_formulas_in_a_table_of_buckets_are_escaped(self, tmp_path: Path) -> None:
        frame = crowd().with_columns(ill=pl.concat_str(pl.lit("=1+"), "ill"))
        shoal.run(plan_for_crowd(), frame, output=tmp_path / "release", private=tmp_path / "own")
        text = (tmp_path / "release" / "buckets-ill.csv").read_text()
        assert ",'=1+" in text
        assert ",=1+" not in text
        assert shoal.audit(tmp_path / "release", frame).holds
        assert person_risk(tmp_path / "release", frame, tmp_path / "own", 5).within

    def test_names_with_blanks_and_umlauts(self, tmp_path: Path) -> None:
        new = {"age": "Alter in Jahren", "town": "Straße, Ort", "ill": "Krankheit (ä)"}
        frame = crowd().rename(new)
        plan = plan_for_crowd()
        plan["attributes"] = {new.get(n, n): words for n, words in plan["attributes"].items()}
        k, *rules = plan["privacy"]
        renamed = [
            {**r["l-diversity"], "attribute": new[r["l-diversity"]["attribute"]]} for r in rules
        ]
        plan["privacy"] = [k, *({"l-diversity": rule} for rule in renamed)]
        shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
        assert (tmp_path / "release" / "buckets-Straße, Ort.csv").is_file()
        assert shoal.audit(tmp_path / "release", frame).holds
        found = person_risk(tmp_path / "release", frame, tmp_path / "own", 2)
        assert "Krankheit (ä)" in found.posteriors

    def test_the_manifest_counts_what_is_withheld_and_shows_no_value(self, tmp_path: Path) -> None:
        frame = crowd(seed=6).with_columns(town_secret=pl.Series(["yes"] * 2 + ["no"] * 118))
        release = shoal.run(plan_for_crowd(), frame, output=tmp_path / "release")
        text = (tmp_path / "release" / "manifest.json").read_text()
        manifest = json.loads(text)
        assert manifest["form"] == "split"
        assert manifest["counts"]["empty"] == release.counts.withheld == 4
        assert not any(town in text for town in ("Ulm", "Bonn", "Kiel", "Jena", "baker"))

    def test_what_is_in_buckets_singles_nobody_out(self) -> None:
        frame = crowd().with_columns(ill=pl.int_range(120).cast(pl.String))
        release = shoal.run(plan_for_crowd(), frame)
        assert release.singled_out == 0
        assert "singled-out" not in [advice.code for advice in release.warnings]

    def test_a_measure_of_ncp_counts_secret_cells_as_nothing(self) -> None:
        frame = crowd().with_columns(age_secret=pl.lit("yes"), town_secret=pl.lit("yes"))
        plan = plan_for_crowd(objective="ncp")
        plan["attributes"] = {**plan["attributes"], "job": "identifier"}
        release = shoal.run(plan, frame)
        assert release.measures["ncp"] == 0
        assert release.measures["glm"] > 0


@pytest.mark.parametrize("t", [0.5, 1.0])
def test_t_closeness_does_not_publish_the_sex_of_anybody(t: float) -> None:
    """Of two equally common values a bucket of one is within t = 0.5, and says who has it."""
    frame = pl.DataFrame({"age": list(range(12)), "sex": ["m", "f"] * 6})
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "sex": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}, {"t-closeness": {"attribute": "sex", "t": t}}],
        "method": "lgb-mdp",
    }
    release = shoal.run(plan, frame)
    buckets = release.tables["buckets-sex"].group_by("BID").agg(pl.col("value").n_unique())
    assert buckets["value"].min() == 2
    assert release.verdicts[1].posterior == 0.5
    alike = frame.with_columns(sex=pl.lit("m"))
    with pytest.raises(InfeasibleError, match="at least two different values, but all 12"):
        shoal.run(plan, alike)


@pytest.mark.parametrize("seed", range(60))
def test_random_tables_hold_or_are_refused(seed: int) -> None:
    case = random_secrets(seed, missing=True)
    method = METHODS[seed % 2]
    form = FORMS[seed // 2 % 2]
    try:
        release = shoal.run(case.plan({method: {"tables": form}}, order="input"), case.frame)
    except InfeasibleError:
        assert seed in REFUSED
        return
    assert release.holds
    _check_classes(case, release)
    for name in case.rules:
        _check_buckets(case, release, name)
    risks = release.risks
    assert risks is not None
    assert risks.identity <= 1 / case.k + 1e-9
    for name, limit in risks.posterior_limits.items():
        assert risks.posteriors.get(name, 0.0) <= limit + 1e-9


def _check_classes(case: Secrets, release: Release) -> None:
    """Every class has k rows of one pattern, in which nobody's secret is shown."""
    frame = release.frame
    assert min(Counter(frame["GID"]).values()) >= case.k
    for name, words in case.attributes.items():
        if words == "flag" or words["role"] != "semi-sensitive":
            continue
        secret = (case.frame[words["flag"]] == "yes").gather(release.origin)
        pointer = f"{name}_BID"
        empty = pl.Series([None] * frame.height, dtype=pl.String)
        bids = frame[pointer] if pointer in frame.columns else empty
        assert not (bids.is_not_null() & ~secret).any(), "a public cell is in a bucket"
        shown = frame[name].is_not_null() & bids.is_null()
        assert not (shown & secret).any(), "a secret cell is shown"
        states = pl.DataFrame({"GID": frame["GID"], "state": bids.is_null()})
        assert states.unique().height == frame["GID"].n_unique(), "a class has two patterns"


def _check_buckets(case: Secrets, release: Release, name: str) -> None:
    """The buckets hold the values of their people, no more and no less."""
    pointer = f"{name}_BID"
    if pointer not in release.frame.columns:
        return
    bids = release.frame[pointer]
    cells = case.frame[name].gather(release.origin).filter(bids.is_not_null())
    held = Counter(zip(bids.drop_nulls(), map(_text, cells), strict=True))
    if release.layout == "split":
        table = release.tables[f"buckets-{name}"]
    else:
        table = release.frame.select(BID=pointer, value=name).drop_nulls("BID")
    assert Counter((bid, _text(value)) for bid, value in table.rows()) == held
    rule = case.rules[name]
    if "l" in rule and rule.get("kind") != "entropy":
        for bid in set(bids.drop_nulls()):
            sizes = [n for (own, _), n in held.items() if own == bid]
            assert max(sizes) * rule["l"] <= sum(sizes)


def _text(value: Any) -> Any:
    """Numbers are published without a needless fraction."""
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        return value
