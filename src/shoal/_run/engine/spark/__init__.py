"""Apache Spark: the same shards as on one machine, on an existing cluster."""
