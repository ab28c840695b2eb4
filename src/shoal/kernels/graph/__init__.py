"""Stars and groups of the weighted graph, and the local search that betters them."""
