"""Secrets in buckets and symbols, and what an adversary can tell of them."""
