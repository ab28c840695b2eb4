"""What the papers compare themselves with: Mondrian, k-member, Top-Down."""
