"""People with several rows: who they are, and what of them is a fact of a visit."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import shoal
from shoal._command.demo import diagnoses, generate
from shoal._command.init import profile, propose
from shoal.plan import Plan
from shoal.schema import Role


def test_people_with_several_rows_are_found() -> None:
    found = propose(profile(diagnoses(500, 1)))
    assert found.person is not None
    assert found.person.column == "name"
    assert found.person.overwritten == {}
    assert "individual: name\n" in found.text
    since = next(entry for entry in found.entries if entry.name == "since")
    assert (since.role, since.instead) == (Role.DROP, Role.SENSITIVE)
    assert since.reason.startswith("differs within people in")
    assert set(found.diversity) == {"diagnosis"}
    assert "eir-l: {l: 3, attribute: diagnosis}" in found.text
    assert "method: danonyir" in found.text


def visits(n_slips: int, **more: list[object]) -> pl.DataFrame:
    """Hundred people with three visits each; a town differs in so many rows."""
    rows = range(300)
    towns = ["Bonn" if i % 3 == 0 and i < 3 * n_slips else ["Ulm", "Jena", "Kiel"][i // 3 % 3]
             for i in rows]  # fmt: skip
    return pl.DataFrame({"patient_id": [f"p{i // 3}" for i in rows], "town": towns,
                         "age": [20 + i // 3 % 50 for i in rows], **more})  # fmt: skip


def test_few_slips_within_people_are_overwritten_and_counted() -> None:
    found = propose(profile(visits(6)))
    assert found.person is not None
    assert found.person.overwritten == {"town": 6}
    assert "individual: {column: patient_id, conflict: mode}" in found.text
    assert "(town: 6 rows)" in found.text.replace("\n# ", " ")


def test_what_differs_often_within_people_is_of_the_visit(tmp_path: Path) -> None:
    frame = visits(
        7, ward=["a", "b", "c"] * 100, diagnosis=["xyzuvw"[i // 3 % 6] for i in range(300)]
    )
    found = propose(profile(frame))
    assert found.person is not None
    assert (found.person.column, found.person.overwritten) == ("patient_id", {})
    told = {entry.name: (str(entry.role), entry.reason) for entry in found.entries}
    assert told["town"][0] == told["ward"][0] == "drop"
    assert told["ward"][1] == "differs within people in 66.7% of rows"
    assert (told["age"][0], told["diagnosis"][0]) == ("quasi", "sensitive")
    assert "conflict" not in found.text
    assert shoal.run(Plan.parse(found.text), frame, output=tmp_path / "release").holds


def test_a_quasi_identifier_is_kept_even_if_it_differs_within_people() -> None:
    found = propose(profile(visits(7).drop("age")))
    assert {e.name: str(e.role) for e in found.entries}["town"] == "quasi"
    assert "(town: 7 rows)" in found.text.replace("\n# ", " ")


def test_a_household_is_no_person() -> None:
    rows = range(300)
    frame = pl.DataFrame({"person_id": [f"p{i}" for i in rows], "sex": ["f", "m", "f"] * 100,
                          "household_id": [f"h{i // 3}" for i in rows]})  # fmt: skip
    found = propose(profile(frame))
    assert found.person is None
    assert {e.name: str(e.role) for e in found.entries}["household_id"] == "identifier"


def test_namesakes_are_not_one_person_but_are_named() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    found = propose(profile(frame))
    assert found.person is None
    assert any("'name'" in note and "individual" in note for note in found.notes)


def test_a_number_that_was_given_twice_by_mistake_makes_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("ssn", [f"S{i % 199}" for i in range(200)]))
    found = propose(profile(frame))
    assert found.person is None
    assert any("'ssn'" in note and "individual" in note for note in found.notes)


def test_a_surname_alone_is_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    for name in ("surname", "patient_first_name", "customer_street"):
        found = propose(profile(frame.rename({"name": name})))
        assert found.person is None
        assert not any("individual" in note for note in found.notes)


def test_a_persons_number_comes_before_other_numbers() -> None:
    rows = range(60)
    frame = pl.DataFrame({"visit_no": [f"v{i // 2}" for i in rows],
                          "patient_nbr": [f"p{i // 3}" for i in rows],
                          "age": [20 + i // 3 for i in rows]})  # fmt: skip
    found = propose(profile(frame))
    assert found.person is not None
    assert (found.person.column, found.person.overwritten) == ("patient_nbr", {})
    assert "individual: patient_nbr" in found.text
