"""Ladders, the lattice, and personal k by sequential three-way decisions (MKS3WD)."""
