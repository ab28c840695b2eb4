"""k-anonymity on the weighted graph of rows."""
