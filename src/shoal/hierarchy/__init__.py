"""Hierarchies: what each value may be published as, from the value itself up to the coarsest."""

from shoal.hierarchy.hierarchy import Hierarchy
from shoal.hierarchy.parse import parse
from shoal.hierarchy.tree import Tree

__all__ = ["Hierarchy", "Tree", "parse"]
