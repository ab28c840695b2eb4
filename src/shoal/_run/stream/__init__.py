"""Streams: rows that arrive, published in batches under a bound on how long anybody waits."""

from shoal._run.stream.stream import Published, Streamed, stream

__all__ = ["Published", "Streamed", "stream"]
