"""How to get to classes that hold: one class per method, by the name that a plan uses."""

from shoal.method.base import Method, Task
from shoal.method.ka import KA
from shoal.method.mondrian import Mondrian

METHODS: dict[str, type[Method]] = {method.name: method for method in (Mondrian, KA)}

__all__ = ["KA", "METHODS", "Method", "Mondrian", "Task"]
