"""The different cells of one column and how often each occurs: enough for a page to count with."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine import LocalEngine
from shoal._run.read import read_input
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.schema import Attribute, Role
from shoal.studio.draft import Draft
from shoal.studio.place import Place

_KEPT = 12
# What decides how a cell is read, besides its own attribute.
_SHARED = ("individual", "encoding", "decimal", "missing")


@dataclass(frozen=True)
class Counted:
    """The cells of a column as a run reads them, each once, and its declaration."""

    cells: pl.Series
    counts: NDArray[np.int64]
    attribute: Attribute

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())


class Counter:
    """Counts columns, and remembers the last few; safe to use from several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = Lock()
        self._known: OrderedDict[str, tuple[pl.Series, NDArray[np.int64]]] = OrderedDict()

    def count(self, draft: Draft, name: str, body: dict[str, Any] | None = None) -> Counted:
        """A column of the table of a plan, read as a run would; `body` declares it otherwise.

        Raises PlanError or DataError if it cannot be read so.
        """
        declared = draft.attributes.get(name) if body is None else body
        if declared is None or draft.source is None:
            raise PlanError("The plan must name a table of the folder and declare this column.")
        plan = self._small_plan(draft, name, declared)
        attribute = next(a for a in plan.schema.attributes if a.name == name)
        stamp = self._place.find(draft.source).stamp
        shared = {key: draft.content.get(key) for key in _SHARED}
        own = (declared.get("role"), declared.get("kind"), declared.get("missing"))
        key = repr((draft.source, stamp, name, own, shared))
        with self._lock:
            known = self._known.get(key)
            if known is None:
                frame = read_input(plan, None, LocalEngine()).frame
                found = frame.select(name).group_by(name, maintain_order=True).len("n")
                known = found[name], found["n"].cast(pl.Int64).to_numpy()
                self._known[key] = known
                if len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
        return Counted(known[0], known[1], attribute)

    def _small_plan(self, draft: Draft, name: str, body: dict[str, Any]) -> Plan:
        """A plan of this column alone, with whoever the rows belong to."""
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
                "privacy": [{"k-anonymity": {"k": 1}}],
            },
            self._place.folder,
        )
        self._place.confine(plan)
        return plan
