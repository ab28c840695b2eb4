"""Measures by name, each computed when it is first read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.measure.base import Measure, View
from shoal.measure.loss import GLM


class Measures(Mapping[str, float]):
    """A mapping from the names of the measures that apply to their values."""

    def __init__(self, registry: Mapping[str, type[Measure]], view: View) -> None:
        self.view = view
        self._measures = {
            name: measure()
            for name, measure in registry.items()
            if (view.buckets is None or measure.with_buckets) and measure().applies(view)
        }
        self._values: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        if name not in self._measures:
            raise KeyError(f"{name!r} is not a measure, or does not apply to this release")
        if name not in self._values:
            self._values[name] = self._measures[name].value(self.view)
        return self._values[name]

    @property
    def quick(self) -> dict[str, float]:
        """The measures that take next to no time and are no part of another, for the manifest."""
        chosen = [n for n, m in self._measures.items() if not m.costly and not m.part_of]
        return {name: self[name] for name in chosen}

    @property
    def by_attribute(self) -> dict[str, float]:
        """The loss `glm` of each quasi-identifier."""
        return GLM().by_attribute(self.view)

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __repr__(self) -> str:
        return repr(dict(self))
