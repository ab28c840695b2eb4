"""A lower bound on the loss of every release: lattice cells, and prices on people."""
