from __future__ import annotations

import numpy as np
import polars as pl

from shoal._command.query.folder import AttributeView, Buckets
from shoal._command.query.share import Shares, Weighed, bucket_shares
from shoal.reading.encoding import Coded
from shoal.schema import Kind


def test_only_certain_cells_are_sure() -> None:
    shares = Shares.exact(np.array([0.0, 0.5, 1.0]))
    assert shares.surely.tolist() == [False, False, True]
    assert shares.maybe.tolist() == [False, True, True]
    shares.lower[1] = 0.0
    assert shares.estimate[1] == shares.upper[1] == 0.5, "the parts are apart"


def test_conditions_multiply() -> None:
    both = Shares.exact(np.array([0.5, 1.0])) & Shares.exact(np.array([0.5, 1.0]))
    assert both.estimate.tolist() == [0.25, 1.0]
    assert both.surely.tolist() == [False, True]
    assert both.surely.dtype == np.bool_


def test_a_row_has_the_share_of_its_bucket_or_of_its_label() -> None:
    labels = Coded(np.array([0, 1, 1], dtype=np.int32), pl.Series(["a"]))
    buckets = Buckets(np.array([0, 0], dtype=np.int32), pl.Series(["a", "b"]), 1)
    bids = np.array([-1, 0, -1], dtype=np.int32)
    view = AttributeView("x", Kind.CATEGORICAL, None, labels, bids=bids, buckets=buckets)
    none = np.zeros(2, dtype=np.bool_)
    shares = bucket_shares(buckets.owners, np.array([True, False]))
    weighed = Weighed(Shares.exact(np.array([1.0, 0.0])), shares, none, none)
    assert weighed.rows(view).estimate.tolist() == [1.0, 0.5, 0.0]
    assert view.counts.tolist() == [1, 1]
    assert view.count(np.array([True, True])) == 2
    assert view.has_empty
