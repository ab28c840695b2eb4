"""A plan that needs no other file: what an update of its release starts from."""

from __future__ import annotations

from shoal.model import PopulationModel
from shoal.plan.canonical import to_dict
from shoal.plan.content import Content
from shoal.schema.portable import Portable

# Where it runs and where it writes is not part of what an update goes on with.
_ELSEWHERE = ("source", "table", "query", "output", "engine", "seed")


def portable(plan: Content) -> Portable:
    """The plan without source, output, engine and seed; its hierarchy files get plain names.

    A population is named by its whole path.
    """
    content = {key: value for key, value in to_dict(plan).items() if key not in _ELSEWHERE}
    files = {}
    for place, attribute in enumerate(plan.schema.attributes):
        hierarchy = attribute.hierarchy
        if hierarchy is not None and hierarchy.form == "file":
            name = f"hierarchy-{place}.csv"
            files[name] = hierarchy.rows
            content["attributes"][attribute.name]["hierarchy"] = name
    for entry, model in zip(content["privacy"], plan.models, strict=True):
        if isinstance(model, PopulationModel):
            # The population stays where it is: it may be far larger than the data.
            source = str(plan.base / model.population.source)
            entry[model.name]["population"]["source"] = source
    return Portable(content, files)
