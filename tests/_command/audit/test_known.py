"""What an audit is given besides the folder, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import shoal
from shoal._command.audit.known import Known, _with_counterfeits
from shoal.reading.folder import read_data
from shoal.reading.manifest import Manifest
from tests._command.audit.forge import Forged


def known(release: Forged, *given: object) -> Known:
    manifest = Manifest.read(release.folder)
    data = read_data(release.folder, manifest, "data")
    return Known.of(manifest, *given, data)  # type: ignore[arg-type]


def test_without_the_original_only_the_manifest_is_known(good: Forged) -> None:
    found = known(good, None, None, None)
    assert found.schema == Manifest.read(good.folder).as_schema()
    assert (found.original, found.people, found.plan, found.own) == (None, None, None, None)


def test_the_private_folder_knows_all(good: Forged) -> None:
    found = known(good, good.original, None, good.private)
    assert found.own is not None
    assert found.seen == found.own.schema.as_published()
    assert found.people is not None
    assert found.people.height == found.original.height - found.n_counterfeits  # type: ignore[union-attr]


def test_the_private_folder_knows_the_decimal_mark(tmp_path: Path) -> None:
    """1,234 may be a thousand and more, unless the plan declares the mark."""
    table = pl.DataFrame({"age": ["20", "21"] * 3, "pay": ["1,234", "2,345"] * 3})
    plan = {
        "attributes": {"age": "quasi", "pay": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 3}}],
        "decimal": ",",
    }
    shoal.run(plan, table).save(tmp_path / "release", private=tmp_path / "own")
    found = shoal.audit(tmp_path / "release", original=table, private=tmp_path / "own")
    assert found.holds is True


def test_counterfeits_are_added_once() -> None:
    source = pl.DataFrame({"who": ["a", "b"], "ill": ["u", "v"]})
    made = pl.DataFrame({"who": ["counterfeit 0"], "ill": ["v"], "more": [1]})
    whole = _with_counterfeits(source, made)
    assert whole["who"].to_list() == ["a", "b", "counterfeit 0"]
    assert _with_counterfeits(whole, made).equals(whole)
    assert _with_counterfeits(source, made.clear()).equals(source)


def test_moments_are_told_by_the_published_labels() -> None:
    """A manifest does not say down to what a hierarchy of dates goes."""
    from shoal._command.audit.known import _with_clocks
    from shoal.plan import Plan

    day = {"role": "quasi", "hierarchy": {"dates": ["day", "year"]}}
    schema = Plan.of({"attributes": {"day": day}, "privacy": [{"k-anonymity": {"k": 2}}]}).schema
    for label, moved in (("2020-01-31", False), ("2020-01-31 10:30", True)):
        found = _with_clocks(schema, pl.DataFrame({"day": [label]}))
        assert (found != schema) is moved
