"""A run in parts: pure functions of a batch or of a shard, and of what is known of the whole."""
