"""People with several records: DAnonyIR and GeneIR."""
