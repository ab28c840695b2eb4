"""Streams: rows that arrive, published in batches under a bound on how long anybody waits."""

from shoal._run.stream.stream import StreamBatch, Streamed, stream

__all__ = ["StreamBatch", "Streamed", "stream"]
