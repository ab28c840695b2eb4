"""How to make classes that meet the requirements: one class per method, by its name in a plan."""

from shoal.method.auto import Auto
from shoal.method.base import Display, Method, Task
from shoal.method.baseline.hilbert import Hilbert
from shoal.method.baseline.k_member import KMember
from shoal.method.baseline.mondrian import Mondrian
from shoal.method.baseline.top_down import TopDown
from shoal.method.graph.adjacency import Adjacency
from shoal.method.graph.base import GraphMethod
from shoal.method.graph.weighted import WeightedGraph
from shoal.method.identity.danonyir import DAnonyIR
from shoal.method.identity.geneir import GeneIR
from shoal.method.lgb.generalisation import LGBMDP, LGBNCP, LocalGeneralisation
from shoal.method.mhsa.qi_mhsa import QIMHSA
from shoal.method.mks3wd.ka import KA
from shoal.method.mks3wd.scheme import ECEMKS3WD, SDMKS3WD, SEMKS3WD

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        Auto,
        Mondrian,
        Hilbert,
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
    "Auto",
    "DAnonyIR",
    "Display",
    "GeneIR",
    "GraphMethod",
    "Hilbert",
    "KMember",
    "LocalGeneralisation",
    "Method",
    "Mondrian",
    "Task",
    "TopDown",
    "WeightedGraph",
]
