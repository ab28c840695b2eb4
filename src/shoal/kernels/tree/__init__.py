"""Classes by cutting or climbing: Mondrian, bisection, the ladder and the lattice."""
