"""What follows from the checked values of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.plan import Plan
from shoal.source import Database

BASE = {
    "attributes": {
        "name": "identifier",
        "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 2}},
        "ill": "sensitive",
    },
    "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2, "attribute": "ill"}}],
    "individual": "name",
}


def plan(**changes: Any) -> Plan:
    return Plan.of({**BASE, **changes})


def test_requirements_are_the_models_as_plain_data() -> None:
    k, diverse = plan().requirements
    assert (k.model, k.parameters) == ("k-anonymity", {"k": 2})
    assert diverse.model == "l-diversity"
    given = {name: value for name, value in diverse.parameters.items() if value is not None}
    assert given == {"l": 2, "kind": "distinct", "attribute": "ill"}


def test_with_buckets_nothing_says_whose_a_row_is() -> None:
    kept, hidden = plan(method="mondrian"), plan(method="lgb-mdp")
    assert kept.schema.individual is not None
    assert kept.shown_schema.individual == kept.schema.individual
    assert hidden.schema.individual is not None
    assert hidden.shown_schema.individual is None


def test_a_method_without_hierarchies_publishes_by_a_schema_without_them() -> None:
    assert plan(method="mondrian").declared_schema["age"].hierarchy is not None
    assert plan(method="danonyir").declared_schema["age"].hierarchy is None
    assert plan(method={"danonyir": {"generalise": "hierarchy"}}).declared_schema["age"].hierarchy


def test_only_this_machine_has_workers() -> None:
    assert plan().workers is None
    assert plan(engine={"local": {"workers": 3}}).workers == 3
    assert plan(engine="spark", output="release").workers is None


def test_data_are_files_or_a_table_of_a_database() -> None:
    assert plan().data is None
    assert plan(source="people.csv").data == ("people.csv",)
    address = "sqlite:///clinic.db"
    assert plan(source=address, table="ward").data == Database(address, "ward")
    asked = "SELECT * FROM ward"
    assert plan(source=address, query=asked).data == Database(address, None, asked)


def test_the_output_folder_is_next_to_the_plan() -> None:
    assert plan().output_folder is None
    assert plan(output="release").output_folder == Path.cwd() / "release"
