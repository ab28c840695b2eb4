"""How to get to classes that hold: one class per method, by the name that a plan uses."""

from shoal.method.adjacency import Adjacency
from shoal.method.base import Method, Task
from shoal.method.danonyir import DAnonyIR
from shoal.method.geneir import GeneIR
from shoal.method.graph import GraphMethod
from shoal.method.k_member import KMember
from shoal.method.ka import KA
from shoal.method.lgb import LGBMDP, LGBNCP, LocalGeneralisation
from shoal.method.mks3wd import ECEMKS3WD, SDMKS3WD, SEMKS3WD
from shoal.method.mondrian import Mondrian
from shoal.method.qi_mhsa import QIMHSA
from shoal.method.top_down import TopDown
from shoal.method.weighted_graph import WeightedGraph

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        Mondrian,
        KA,
        SDMKS3WD,
        SEMKS3WD,
        ECEMKS3WD,
        DAnonyIR,
        GeneIR,
        Adjacency,
        KMember,
        WeightedGraph,
        LGBMDP,
        LGBNCP,
        QIMHSA,
        TopDown,
    )
}

__all__ = [
    "ECEMKS3WD",
    "KA",
    "LGBMDP",
    "LGBNCP",
    "METHODS",
    "QIMHSA",
    "SDMKS3WD",
    "SEMKS3WD",
    "Adjacency",
    "DAnonyIR",
    "GeneIR",
    "GraphMethod",
    "KMember",
    "LocalGeneralisation",
    "Method",
    "Mondrian",
    "Task",
    "TopDown",
    "WeightedGraph",
]
