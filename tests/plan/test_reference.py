"""The reference of the keys."""

from __future__ import annotations

from shoal.plan import Plan


def test_the_reference_explains_every_key() -> None:
    rows = Plan.reference()
    top = [row["key"] for row in rows if "." not in row["key"]]
    assert top == [
        "source", "encoding", "decimal", "table", "query", "individual", "attributes", "others",
        "privacy", "method",
        "suppression", "objective", "polish", "ranges", "order", "shards", "engine", "missing",
        "seed", "republish", "delay", "output",
    ]  # fmt: skip
    assert all(row["type"] and row["meaning"] for row in rows)
    assert {row["key"] for row in rows if row["required"]} >= {"attributes", "privacy"}
    kinds = next(row for row in rows if row["key"] == "attributes.<column>.kind")
    assert kinds["type"] == "one of 'numeric', 'categorical', 'ordinal' or 'date'"
