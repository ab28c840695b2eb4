"""beta-likeness and delta-disclosure: how much a class may reveal beyond the whole table."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shoal import papers
from shoal.model.base import Bound, Reach, SensitiveModel
from shoal.schema import Schema

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_REACH = {"basic": Reach.GAIN, "enhanced": Reach.GAIN_ENHANCED}


class BetaLikeness(SensitiveModel):
    """In no class is a sensitive value more than beta times commoner than it is in the table.

    Cao and Karras 2012: with the share p of a value in the table and q in a class, (q - p)/p is at
    most beta wherever q is above p. The `enhanced` kind also limits it by -ln p, so that common
    values are bounded too.
    """

    name: ClassVar[str] = "beta-likeness"
    cite: ClassVar[papers.Citations] = (papers.cite("cao"),)
    limits: ClassVar[str] = (
        "Does not limit how much rarer a value is in a class than in the table. With the basic "
        "kind, everybody in a class may have the same value if its share is 1/(1 + beta) or more."
    )

    beta: Positive = Field(description="the largest relative gain on a value")
    kind: Literal["basic", "enhanced"] = Field(
        "basic", description="whether -ln p limits the gain on common values too"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(_REACH[self.kind], self.beta, name) for name in self.targets(schema)]


class DeltaDisclosure(SensitiveModel):
    """The values that a class has are nearly as common there as in the whole table.

    Brickell and Shmatikov 2008: |ln(q/p)| < delta, with the share p of a value in the table and q
    in a class. As in other tools, only the values that a class has count: taken literally, the
    definition would require every value of the table in every class. So the union of two classes
    that hold may fail; methods judge every class that they make.
    """

    name: ClassVar[str] = "delta-disclosure"
    cite: ClassVar[papers.Citations] = (papers.cite("brickell"),)
    limits: ClassVar[str] = (
        "A value that is absent from a class is not counted: anybody who finds a person in the "
        "class knows that this person does not have it."
    )

    delta: Positive = Field(description="the limit below which |ln(q/p)| stays")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.RATIO, self.delta, name) for name in self.targets(schema)]
