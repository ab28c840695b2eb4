"""k-map and delta-presence: the people of the data among those of a population."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Model, Reach, Scope
from shoal.schema import Requirement, Schema
from shoal.schema.specification import Count, Share
from shoal.schema.wording import counted
from shoal.table import Table


class Register(BaseModel):
    """The file of a population: a row for each person, or for each combination with its count."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    source: Annotated[str, Field(min_length=1)]
    count: Annotated[str, Field(min_length=1)] | None = None


def _unfold(given: Any) -> Any:
    return {"source": given} if isinstance(given, str) else given


Registered = Annotated[Register, BeforeValidator(_unfold)]

_POPULATION = (
    "a file with the quasi-identifiers of everybody in the population, including the people in "
    "the data; or `{source: file, count: column}`, a table of counts"
)


class PopulationModel(Model):
    """A model on the people of a population who fit a published class.

    Methods count, of the population, those with the same quasi-identifiers as somebody in the
    class, divided among the people of the data who have them: all of them fit what is published.
    So they never count too many. The check counts everybody who fits.
    """

    scope: ClassVar[Scope] = "table"

    population: Registered = Field(description=_POPULATION)

    def requirement(self) -> Requirement:
        # Where the population is kept is nobody's business but the publisher's.
        given = {k: v for k, v in self.parameters().items() if k != "population"}
        return Requirement(self.name, given)


class KMap(PopulationModel):
    """Every class fits at least k people in the population.

    Sweeney 2002; El Emam and Dankar 2008. An adversary who does not know that somebody is in the
    data has k people to choose from. As the population includes everybody in the data, k-anonymity
    with the same k is always enough.
    """

    name: ClassVar[str] = "k-map"
    cite: ClassVar[papers.Citations] = (papers.cite("elemam"),)
    limits: ClassVar[str] = (
        "Protects only against adversaries who do not know who is in the data. It is only as good "
        "as the population file: people in it who do not exist, or could not be in the data, hide "
        "nobody."
    )

    k: Count = Field(description="the least number of people of the population")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.POPULATION, self.k)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        most = int(table.unit_crowd().sum())
        if most >= self.k:
            return []
        who = counted(most, "person", "people")
        found = f"{who} of the population {'is' if most == 1 else 'are'} like somebody in the data"
        return [self.out_of_reach("k", found, most)]


class DeltaPresence(PopulationModel):
    """Of the people in the population who fit a class, a share from low to high is in the data.

    Nergiz, Atzori and Clifton 2007, class by class. A `low` above 0 keeps others from learning
    that somebody is not in the data. It is checked, but no method aims at it: larger classes fit
    more people who are not in the data.
    """

    name: ClassVar[str] = "delta-presence"
    cite: ClassVar[papers.Citations] = (papers.cite("nergiz"),)
    limits: ClassVar[str] = (
        "Where classes overlap, the chance that a person who fits several is in the data can be "
        "as high as the sum of their shares. Anybody who fits no class is known not to be in the "
        "data."
    )

    low: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        0.0, description="the least share, of the people who fit a class, that is in the data"
    )
    high: Share = Field(description="the largest share of them that is in the data")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.PRESENCE, self.high)]

    def unfit(self, table: Table) -> list[Problem]:
        if not self.low:
            return []
        return [
            Problem(
                f"delta-presence with low = {self.low:g} can be checked, but no method aims at "
                "it: larger classes fit more people who are not in the data.",
                hint="Leave 'low' out, and check the release with 'shoal check'.",
            )
        ]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        # No class does better than those people alone who stand for most of the population.
        least = 1 / int(table.unit_crowd().max())
        if least <= self.high:
            return []
        found = "too many of those who are like somebody in the data are in it"
        return [self.out_of_reach("high", found, least)]
