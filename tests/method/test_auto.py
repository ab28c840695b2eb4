"""Which method auto takes, and that it keeps what loses least."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.method import Auto, Method, Task
from shoal.method import auto as module
from shoal.method.mks3wd.scheme import MKS3WD
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from tests.contract.standard import PERSONAL, standard_case
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES
from tests.papers.mhsa.cases import patients_plan

K = [{"k-anonymity": {"k": 3}}]


def _tried(plan: dict[str, Any], frame: pl.DataFrame) -> list[str]:
    """The names of the methods that a plan tries on the whole table."""
    read = Plan.parse(plan)
    table = encode(frame, read.schema)
    task = Task(table, Requirements.of(read.models, table), 1)
    return [method.name for method in read.method.candidates(task)]


def test_a_plan_without_a_method_is_automatic() -> None:
    case = standard_case()
    plan = Plan.parse(case.plan())
    assert isinstance(plan.method, Auto)
    assert Plan.parse(plan.to_dict()).method == plan.method
    assert plan.digest() == Plan.parse(case.plan(method="auto")).digest()


def test_the_lattice_and_others_where_hierarchies_are() -> None:
    case = standard_case()
    assert _tried(case.plan(privacy=K), case.frame) == ["ka", "hilbert", "weighted-graph"]
    people = standard_case(people=True)
    tried = ["ka", "hilbert", "weighted-graph", "danonyir"]
    assert _tried(people.plan(privacy=K), people.frame) == tried


def test_without_hierarchies_the_graph_beside_hilbert() -> None:
    frame = pl.DataFrame({"a": range(40), "b": list("xyzw") * 10})
    plan: dict[str, Any] = {"attributes": {"a": "quasi", "b": "quasi"}, "privacy": K}
    assert _tried(plan, frame) == ["hilbert", "weighted-graph"]
    alone = [{"l-diversity": {"l": 1, "attribute": "b"}}]
    plan = {"attributes": {"a": "quasi", "b": "sensitive"}, "privacy": alone}
    assert _tried(plan, frame) == ["hilbert"]


def test_beside_a_lattice_the_graph_on_small_tables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """On larger ones where the budget is too small for the whole lattice."""
    case = standard_case()
    plan = case.plan(privacy=K)
    monkeypatch.setattr(module, "_BESIDE_WHOLE", 10)
    assert _tried(plan, case.frame) == ["ka", "hilbert"]
    monkeypatch.setattr(module, "most_vectors", lambda budget, n_tuples: 1)
    assert _tried(plan, case.frame) == ["ka", "hilbert", "weighted-graph"]
    monkeypatch.setattr(module, "_BESIDE_PART", 10)
    assert _tried(plan, case.frame) == ["ka", "hilbert"]


def test_levels_that_coincide_do_not_make_a_lattice_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two levels that differ, of five: two vectors are the whole lattice."""
    hierarchy = {"width": 1, "levels": 3}
    attributes = {"a": {"role": "quasi", "kind": "numeric", "hierarchy": hierarchy}}
    frame = pl.DataFrame({"a": [0, 1] * 20})
    monkeypatch.setattr(module, "most_vectors", lambda budget, n_tuples: 2)
    monkeypatch.setattr(module, "_BESIDE_WHOLE", 10)
    assert _tried({"attributes": attributes, "privacy": K}, frame) == ["ka", "hilbert"]


def test_on_large_tables_hilbert_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    case = standard_case()
    monkeypatch.setattr(module, "_MOST_ON_LATTICE", 10)
    assert _tried(case.plan(privacy=K), case.frame) == ["hilbert"]


def test_roles_flags_and_levels_call_for_their_methods() -> None:
    secrets = [*K, {"l-diversity": {"l": 2, "attribute": "zip"}}]
    plan = Plan.parse({"attributes": PATIENT_ATTRIBUTES, "privacy": secrets})
    assert plan.method.name == "auto"
    assert plan.method.acting.name == "lgb-ncp"
    assert plan.method.layout.keeps_secrets
    assert Plan.parse({**patients_plan(), "method": "auto"}).method.acting.name == "qi-mhsa"
    case = standard_case()
    levels = Plan.parse(case.plan(privacy=[{"multi-level-k": PERSONAL}]))
    assert isinstance(levels.method.acting, MKS3WD)


@pytest.mark.parametrize("shards", [None, {"rows": 70}])
def test_the_best_is_kept_and_told(shards: dict[str, int] | None) -> None:
    case = standard_case(n=200)
    more = {} if shards is None else {"shards": shards}
    release = shoal.run(case.plan(privacy=K, **more), case.frame)
    assert release.method == "auto"
    assert set(release.chosen) <= {trial.method for trial in release.tried}
    (note,) = [note for note in release.notes if note.startswith("auto chose")]
    assert all(name in note for name in ("ka", "hilbert", "weighted-graph"))
    if shards is not None:
        assert sum(trial.chosen for trial in release.tried) > 1
        return
    lost = {trial.method: trial.lost for trial in release.tried}
    assert release.chosen == (min(lost, key=lambda name: lost[name] or 0.0),)
    assert release.measures["glm"] == pytest.approx(min(lost.values()))
    for method in (
        "mondrian",
        "hilbert",
        {"weighted-graph": {"weight": "loss"}},
        {"ka": {"climb": "lattice"}},
    ):
        other = shoal.run(case.plan(privacy=K, method=method), case.frame)
        assert release.measures["glm"] <= other.measures["glm"] + 1e-9


def test_what_one_method_cannot_do_another_may(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.errors import InfeasibleError
    from shoal.method import Hilbert

    def fail(self: Method, task: Task) -> Any:
        raise InfeasibleError("no")

    monkeypatch.setattr(Hilbert, "partition", fail)
    case = standard_case()
    release = shoal.run(case.plan(privacy=K), case.frame)
    assert "hilbert" not in {trial.method for trial in release.tried}
