"""The measures that a reader can compute: what a release cost over declared or published spans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.folder.counted import PERSON, Counted
from shoal.folder.counted_secret import CountedSecrets, Held
from shoal.folder.loss import MEASURES, losses_of
from shoal.folder.public import Public
from shoal.release.crowd import description
from shoal.report.cell import distinct_labels
from shoal.schema import Attribute, Layout, Role


@dataclass(frozen=True, eq=False)
class StatedCost:
    """The measures by name, and the loss `glm` of each quasi-identifier.

    All are sums of exactly rounded parts (`fsum`), so that the order of rows does not matter.
    """

    measures: dict[str, float]
    by_attribute: dict[str, float]


def cost_of(public: Public) -> StatedCost:
    """What the release cost; a row that was left out loses 1 in every cell.

    Measures that need what is hidden are not among them: `entropy`, `v`, those of levels, and
    `privacy-loss` where a column shows symbols.
    """
    n, (sizes, n_classes) = max(public.n_records, 1), class_sizes(public)
    lost = {a.name: _lost(public, a) for a in public.schema.quasi}
    total = {m: fsum(of[m] for of in lost.values()) for m in MEASURES}
    n_cells = max(n * len(lost), 1)
    found = {"glm": total["glm"] / n_cells, "ncp": total["ncp"] / n_cells}
    if not public.layout.keeps_secrets:
        found["prec"] = total["prec"] / n_cells
    found |= {
        "dm": float(_squared(sizes, n_classes) + public.n_suppressed * public.n_records),
        "avg-class": public.n_published / max(int(n_classes.sum()), 1),
        "suppression": public.n_suppressed / n,
    }
    if not public.layout.keeps_secrets:
        sensitive = [_lost_sensitive(public, a) for a in public.schema.sensitive]
        found["infoloss"] = fsum([total["infoloss"], *sensitive]) / n
        found |= _privacy_loss(public)
        found |= {"nloss": found["glm"]} if public.schema.individual is not None else {}
    return StatedCost(found, {name: of["glm"] / n for name, of in lost.items()})


def class_sizes(public: Public) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many rows published classes have, ascending, and how many classes have each size.

    Where secrets are kept the number of the class is published, so no two look alike.
    """
    if public.counted is not None:
        return public.counted.crowds
    keys = _class_keys(public)
    if not keys:
        found = [public.data.height] if public.data.height else []
        return np.array(found, dtype=np.int64), np.ones(len(found), dtype=np.int64)
    sizes = public.data.select(keys).group_by(pl.all()).len(name="").get_column("")
    return np.unique(sizes.cast(pl.Int64).to_numpy(), return_counts=True)


def _squared(sizes: NDArray[np.int64], n_classes: NDArray[np.int64]) -> int:
    return sum(s * s * n for s, n in zip(sizes.tolist(), n_classes.tolist(), strict=True))


def _class_keys(public: Public) -> list[pl.Expr]:
    return description(public.data, public.declared.quasi, public.layout.keeps_secrets)


def _lost(public: Public, attribute: Attribute) -> dict[str, float]:
    """What all cells of a quasi-identifier lose together, by each measure."""
    name, data = attribute.name, public.data
    public_cells, held = data, None
    if f"{name}_BID" in data.columns:
        public_cells = data.filter(data[f"{name}_BID"].is_null())
        held = _held(public, name)
    counted = _labels(public_cells, name) if public.counted is None else _known(public, name)
    labels, weights = counted["label"].to_list(), counted["n"].to_numpy()
    values = [] if held is None else held.values["label"].to_list()
    # An empty cell may be withheld and, where it is a pair of ends, cover anything.
    hides = attribute.role is Role.SEMI_SENSITIVE or name not in data.columns
    found = losses_of(attribute, labels, values, empty=1.0 if hides else 0.0)
    lost = {m: [*(getattr(found, m) * weights).tolist(), public.n_suppressed] for m in MEASURES}
    if held is not None:
        # A secret cell counts as the set of the values of its bucket.
        n_values = found.n_values or len({*values, *labels})
        lost["glm"].append(held.lost / max(n_values - 1, 1))
    return {m: fsum(parts) for m, parts in lost.items()}


def _known(public: Public, name: str) -> pl.DataFrame:
    assert public.counted is not None
    return public.counted.labels[name].sort("label", nulls_last=True)


def _labels(data: pl.DataFrame, name: str) -> pl.DataFrame:
    """The different labels of a quasi-identifier with their counts; two columns of ends as one."""
    if name not in data.columns:
        ends = pl.DataFrame({end: data[f"{name}_{end}"].cast(pl.String) for end in ("low", "high")})
        ranges = pl.format("[{}, {}]", "low", "high")
        label = pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(ranges)
        data = ends.select(label.alias(name))
    return distinct_labels(data, name).sort("label", nulls_last=True)


def _held(public: Public, name: str) -> Held:
    """What the buckets of an attribute hold."""
    if isinstance(public.counted, CountedSecrets):
        return public.counted.held[name]
    held = public.tables.get(f"buckets-{name}")
    if held is None:
        own = name if name in public.data.columns else f"{name}_low"
        columns = {"BID": public.data[f"{name}_BID"], "value": public.data[own]}
        held = pl.DataFrame(columns).filter(pl.col("BID").is_not_null())
    held = held.select(pl.col("BID", "value").cast(pl.String))
    pointing = public.data[f"{name}_BID"].drop_nulls().cast(pl.String)
    return replace(Held.of(held["BID"], held["value"]), lost=_lost_in_buckets(held, pointing))


def _lost_in_buckets(held: pl.DataFrame, pointing: pl.Series) -> int:
    """The sum, over secret cells, of the values other than its own that each may have.

    Some entries of buckets may be counterfeits.
    """
    sizes = held.group_by("BID").agg(pl.col("value").n_unique().alias("m"))
    buckets = pointing.value_counts(name="n").rename({pointing.name: "BID"}).join(sizes, on="BID")
    return int((buckets["n"].cast(pl.Int64) * (buckets["m"].cast(pl.Int64) - 1)).sum())


def _lost_sensitive(public: Public, attribute: Attribute) -> float:
    """The infoloss of a sensitive column, which loses nothing where its values are shown."""
    if attribute.name not in public.symbols:
        return float(public.n_suppressed)
    name = attribute.name
    counted = (
        _labels(public.tables.get("sensitive", public.data), name)
        if public.counted is None
        else _known(public, name)
    )
    losses = losses_of(attribute, counted["label"].to_list()).infoloss
    return fsum([*(losses * counted["n"].to_numpy()).tolist(), public.n_suppressed])


def _privacy_loss(public: Public) -> dict[str, float]:
    """For a row the larger of 1/people of its class and the share of the commonest value there."""
    names = [a.name for a in public.schema.sensitive]
    if not names or public.symbols or public.layout is not Layout.PLAIN or not public.n_published:
        return {}
    if public.counted is not None:
        return {"privacy-loss": _counted_loss(public.counted) / public.n_published}
    keys = _class_keys(public) or [pl.lit(0).alias("key0")]
    people = [] if public.schema.individual is None else [public.data[PERSON].alias("who")]
    values = [public.data[name].alias(f"value{i}") for i, name in enumerate(names)]
    rows = public.data.lazy().select(*keys, *people, *values)
    each = [f"key{i}" for i in range(len(keys))]
    n_people = pl.col("who").n_unique() if people else pl.len()
    classes = rows.group_by(each).agg(pl.len().alias("n"), (1 / n_people).alias("worst"))
    for value in (series.name for series in values):
        most = rows.group_by(*each, value).agg(pl.len().alias("most")).group_by(each)
        share = pl.max_horizontal("worst", pl.col("most") / pl.col("n"))
        found = classes.join(most.agg(pl.col("most").max()), on=each, nulls_equal=True)
        classes = found.select(*each, "n", share.alias("worst"))
    lost = classes.select(pl.col("worst") * pl.col("n")).collect().to_series()
    return {"privacy-loss": fsum(lost) / public.data.height}


def _counted_loss(counted: Counted) -> float:
    """The sum over rows, from counts of classes; rounded once, as the sum over classes is."""
    crowds = counted.crowds_of_people
    if crowds is None:
        return counted.commonest
    columns = [crowds[name].to_list() for name in ("size", "people", "most", "n")]
    lost = (
        Fraction(max(1 / people, most / size) * size) * n
        for size, people, most, n in zip(*columns, strict=True)
    )
    return float(sum(lost))
