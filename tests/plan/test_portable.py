"""A plan that needs no other file."""

from __future__ import annotations

from pathlib import Path

from shoal.plan import Plan
from shoal.plan.portable import portable


def test_hierarchy_files_come_along_and_places_do_not(tmp_path: Path) -> None:
    (tmp_path / "zips.csv").write_text("1;a;*\n2;a;*\n")
    plan = Plan.parse(
        {
            "source": "people.csv",
            "attributes": {"zip": {"role": "quasi", "hierarchy": "zips.csv"}, "age": "quasi"},
            "privacy": [{"k-anonymity": {"k": 2}}],
            "method": "mondrian",
            "seed": 7,
            "output": "release/",
        },
        tmp_path,
    )
    found = portable(plan)
    assert found.hierarchies == {"hierarchy-0.csv": (("1", "a", "*"), ("2", "a", "*"))}
    assert found.plan["attributes"]["zip"]["hierarchy"] == "hierarchy-0.csv"
    assert set(found.plan) == {"attributes", "privacy", "method"}
    assert plan.to_dict()["attributes"]["zip"]["hierarchy"] == "zips.csv"
