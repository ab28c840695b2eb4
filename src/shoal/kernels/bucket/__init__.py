"""Parts by what is secret, and secret values into buckets (LGB)."""
