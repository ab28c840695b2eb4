"""Secrets in buckets and symbols, and what an adversary can learn about them."""
