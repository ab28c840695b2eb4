"""The different cells of one column and how often each occurs: enough for a page to count with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.read import read_input
from shoal.errors import PlanError, ShoalError
from shoal.plan import Plan
from shoal.schema import Attribute, Role
from shoal.studio.draft import Draft
from shoal.studio.place import Place

_KEPT = 12
# What decides how a cell is read, apart from its own attribute.
_SHARED = ("individual", "encoding", "decimal", "missing")


@dataclass(frozen=True)
class CountedColumn:
    """The cells of a column as a run reads them, each once, and its declaration."""

    cells: pl.Series
    counts: NDArray[np.int64]
    attribute: Attribute

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())


KnownCells = tuple[pl.Series, NDArray[np.int64]]


class ColumnCounter:
    """Counts columns, and remembers the last few; safe to use from several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = Lock()
        self._known: OrderedDict[str, KnownCells] = OrderedDict()
        self._begun: set[str] = set()
        self._failed: set[str] = set()

    def count(self, draft: Draft, name: str, body: dict[str, Any] | None = None) -> CountedColumn:
        """A column of the table of a plan, read as a run would; `body` declares it otherwise.

        Raises PlanError or DataError if it cannot be read so.
        """
        plan, key = self._planned(draft, name, body)
        attribute = next(a for a in plan.schema.attributes if a.name == name)
        with self._lock:
            known = self._known.get(key)
        if known is None:
            # Not under the lock, as it may take seconds in which other pages would wait. At worst
            # two threads read the same column.
            frame = read_input(plan).frame
            found = frame.select(name).group_by(name, maintain_order=True).len("n")
            known = found[name], found["n"].cast(pl.Int64).to_numpy()
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return CountedColumn(*known, attribute)

    def is_ready(self, draft: Draft, columns: Mapping[str, dict[str, Any] | None]) -> bool:
        """Whether these columns are counted; those that are not are begun, in a thread.

        A column that cannot be counted is ready: `count` says why.
        """
        wanted = {}
        for name, body in columns.items():
            try:
                _, key = self._planned(draft, name, body)
            except ShoalError:
                continue
            with self._lock:
                if key not in self._known and key not in self._failed:
                    wanted[key] = (name, body)
        with self._lock:
            begun = self._begun & wanted.keys()
            self._begun |= wanted.keys()
        fresh = {key: wanted[key] for key in wanted.keys() - begun}
        if fresh:
            Thread(target=self._count_all, args=(draft, fresh), daemon=True).start()
        return not wanted

    def _count_all(self, draft: Draft, wanted: Mapping[str, tuple[str, Any]]) -> None:
        for key, (name, body) in wanted.items():
            try:
                self.count(draft, name, body)
            except Exception:
                # The next request for the column is told why.
                self._failed.add(key)
            finally:
                self._begun.discard(key)

    def _planned(self, draft: Draft, name: str, body: dict[str, Any] | None) -> tuple[Plan, str]:
        """The plan by which a column is read, and the key under which it is remembered."""
        declared = draft.attributes.get(name) if body is None else body
        if declared is None or draft.source is None:
            raise PlanError("The plan must name a table of the folder and declare this column.")
        plan = self._small_plan(draft, name, declared)
        stamp = self._place.find(draft.source).stamp
        shared = {key: draft.content.get(key) for key in _SHARED}
        own = (declared.get("role"), declared.get("kind"), declared.get("missing"))
        return plan, repr((draft.source, stamp, name, own, shared))

    def _small_plan(self, draft: Draft, name: str, body: dict[str, Any]) -> Plan:
        """A plan of this column alone, and the column that says whose each row is."""
        # These refer to another column, or to the role sensitive, which this plan does not have.
        kept = {key: body[key] for key in body if key not in ("flag", "flags")}
        # Only what describes a person is the same in all their rows; a run sees to that.
        described = body.get("role") in (Role.QUASI, Role.SEMI_SENSITIVE)
        attributes: dict[str, Any] = {name: {**kept, "role": "quasi"}}
        content = {key: draft.content[key] for key in _SHARED if key in draft.content}
        if not described or draft.individual == name:
            content.pop("individual", None)
        elif draft.individual:
            attributes[draft.individual] = "identifier"
        plan = Plan.parse(
            {
                **content,
                "source": draft.source,
                "others": "drop",
                "attributes": attributes,
                # A plan must require something; nothing is published here.
                "privacy": [{"k-anonymity": {"k": 1}}],
            },
            self._place.folder,
        )
        self._place.confine(plan)
        return plan
