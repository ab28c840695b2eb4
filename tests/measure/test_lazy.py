"""Measures by name, computed when they are read."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.measure import Measure, Measures, View, measures_of
from tests.measure.small import view_of

VIEW = view_of({"q": list("aabb")}, {"q": "quasi"}, [0, 0, 1, 1])
read: list[str] = []


class Counted(Measure):
    name: ClassVar[str] = "counted"
    with_buckets: ClassVar[bool] = True

    def summarise(self, view: View) -> NDArray[np.float64]:
        read.append(self.name)
        return np.array([1.0, 2.0])


class Costly(Counted):
    name: ClassVar[str] = "costly"
    costly: ClassVar[bool] = True
    with_buckets: ClassVar[bool] = False


class Part(Counted):
    name: ClassVar[str] = "part"
    part_of: ClassVar[str] = "counted"


class Never(Counted):
    name: ClassVar[str] = "never"

    def applies(self, view: View) -> bool:
        return False


REGISTRY = {measure.name: measure for measure in (Counted, Costly, Part, Never)}


def test_each_is_computed_once_when_it_is_first_read() -> None:
    read.clear()
    measures = Measures(REGISTRY, VIEW)
    assert (list(measures), len(measures), read) == (["counted", "costly", "part"], 3, [])
    assert measures["counted"] == measures["counted"] == 0.5
    assert read == ["counted"]
    for absent in ("never", "unknown"):
        with pytest.raises(KeyError):
            measures[absent]


def test_a_manifest_has_neither_costly_ones_nor_parts() -> None:
    read.clear()
    assert Measures(REGISTRY, VIEW).quick == {"counted": 0.5}
    assert read == ["counted"]
    quick = measures_of(VIEW).quick
    assert {"glm", "ncp", "dm"} <= set(quick)
    assert {"infoloss-quasi", "query-count"}.isdisjoint(quick)


def test_with_secrets_only_those_that_are_defined_for_buckets() -> None:
    secret = view_of({"q": list("aabb")}, {"q": "quasi"}, [0, 0, 1, 1], buckets={})
    assert list(Measures(REGISTRY, secret)) == ["counted", "part"]


def test_by_attribute() -> None:
    assert measures_of(VIEW).by_attribute == {"q": 0}
