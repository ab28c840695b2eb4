"""Local generalisation, with buckets for what people keep secret (LGB)."""
