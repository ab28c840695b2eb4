"""Hierarchies: what each value may be published as, from the value itself up to the coarsest."""

from shoal.hierarchy.hierarchy import Hierarchy
from shoal.hierarchy.level import ROOT
from shoal.hierarchy.parse import parse
from shoal.hierarchy.tree import Tree, flat_tree

__all__ = ["ROOT", "Hierarchy", "Tree", "flat_tree", "parse"]
