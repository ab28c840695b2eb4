"""A contract for import-linter: one library, one home."""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class HomeContract(Contract):
    """Libraries that only one module and its children may import.

    Unlike with the linter's own contracts, neither a library nor its home has to exist yet.
    """

    type_name = "home"

    libraries: Any = fields.ListField(subfield=fields.StringField())
    home: Any = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the direct imports of the libraries from outside their home."""
        strays = [
            (importer, library)
            for library in self.libraries
            if library in graph.modules
            for importer in sorted(graph.find_modules_that_directly_import(library))
            if not f"{importer}.".startswith(f"{self.home}.")
        ]
        return ContractCheck(kept=not strays, metadata={"strays": strays})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print which module imports what it should not."""
        for importer, library in check.metadata["strays"]:
            output.print_error(f"{importer} imports {library}; only {self.home} may.", bold=False)
        output.new_line()
