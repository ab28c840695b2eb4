"""The keys of a plan: their types, defaults and meanings, from which the reference is made.

Short forms are unfolded here; models, methods and hierarchies define their own parameters.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from shoal.schema import Kind, Role
from shoal.schema.specification import Count

Text = Annotated[str, Field(min_length=1)]


def _one_or_more(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


TextList = Annotated[list[str], BeforeValidator(_one_or_more)]
Sources = Annotated[list[Text], Field(min_length=1), BeforeValidator(_one_or_more)]
Number = Annotated[float, Field(allow_inf_nan=False)]


def _known_encoding(name: str) -> str:
    """The name, if Python has a text encoding of that name."""
    try:
        # codecs.lookup would also find what is no encoding of text, such as base64.
        "".encode(name)
    except LookupError:
        raise ValueError("must name an encoding that Python knows") from None
    return name


Encoding = Annotated[Text, AfterValidator(_known_encoding)]


def _in_words(words: str) -> dict[str, Any]:
    """The name of a type whose shape does not say enough."""
    return {"words": words}


class Fields(BaseModel):
    """A mapping in a plan; a key without a value counts as left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: Any) -> Any:
        if isinstance(given, dict):
            # An unknown key is a problem whether or not it has a value.
            return {k: v for k, v in given.items() if v is not None or k not in cls.model_fields}
        return given


class IndividualFields(Fields):
    """Which rows are one person."""

    column: Text = Field(
        description=("the column in which rows of the same person have the same value")
    )
    conflict: Literal["error", "first", "mode"] = Field(
        "error",
        description="what to do if the rows of a person differ in their quasi-identifiers: stop, "
        "use those of the first row (by `order`), or the most frequent",
    )

    @model_validator(mode="before")
    @classmethod
    def _unfold(cls, given: Any) -> Any:
        return {"column": given} if isinstance(given, str) else given


class AttributeFields(Fields):
    """One column."""

    model_config = ConfigDict(json_schema_extra=_in_words("a role, or a mapping with a role"))

    role: Role = Field(description="what an adversary may know about the column")
    kind: Kind | None = Field(
        None, description="how its values compare; if left out, guessed from the data and reported"
    )
    domain: tuple[Number, Number] | None = Field(
        None,
        description="the smallest and the largest number that can occur",
        json_schema_extra=_in_words("a list of two numbers, the lower one first"),
    )
    values: Annotated[list[str], Field(min_length=1)] | None = Field(
        None, description="every value that can occur; for ordinals, in their order"
    )
    hierarchy: Any = Field(
        None,
        description="what a value may be published as",
        json_schema_extra=_in_words(
            "a file, 'flat', or a mapping with intervals, width, mask, dates or tree"
        ),
    )
    flag: Text | None = Field(None, description="the column that says whether each cell is secret")
    flags: dict[str, Any] | None = Field(None, description="rules that say which cells are secret")
    missing: TextList = Field(
        [],
        description="texts that mean a missing value in this column",
        json_schema_extra=_in_words("a text or a list of texts"),
    )

    @model_validator(mode="before")
    @classmethod
    def _unfold(cls, given: Any) -> Any:
        return {"role": given} if isinstance(given, str) else given


class SuppressionFields(Fields):
    """How many rows may be left out."""

    model_config = ConfigDict(json_schema_extra={"example": "{limit: 0.05}"})

    limit: Annotated[float, Field(ge=0, le=1)] = Field(
        default=1.0,
        description=(
            "the largest share of rows that may be suppressed; if more would be, the run fails"
        ),
    )


class PolishFields(Fields):
    """How long classes are improved once they are made."""

    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = Field(
        default=None,
        description="how long; the result then depends on the machine, and may differ from run to "
        "run",
    )
    steps: Count | None = Field(
        default=None, description="how many steps; the result is the same everywhere"
    )


class ShardFields(Fields):
    """How the table is divided."""

    rows: Annotated[int, Field(strict=True, ge=2)] = Field(
        description="the number of rows of a shard"
    )


class DelayFields(Fields):
    """How long rows of a stream may wait for their batch."""

    rows: Annotated[int, Field(strict=True, ge=2)] = Field(
        description=(
            "the largest number of rows that may arrive before a row is published, including the "
            "row itself"
        )
    )
    batch: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        None,
        description="after this many rows a batch is published; if left out, the number of "
        "`rows`. With fewer, people who fit no class can wait for the next batch",
    )
    again: Literal["publish", "suppress"] = Field(
        "publish",
        description="what to do with new rows of people who are in an earlier batch",
    )
    unfit: Literal["error", "suppress"] = Field(
        "error",
        description="what to do with rows that have a value outside the declared kind, domain, "
        "values or hierarchy: stop before them, or leave them out and count them",
    )

    @model_validator(mode="after")
    def _batch_in_time(self) -> DelayFields:
        if self.batch is not None and self.batch > self.rows:
            raise ValueError(
                "The 'batch' parameter of delay must be at most its 'rows', since nobody may wait "
                "longer."
            )
        return self


class LocalFields(Fields):
    """This machine."""

    workers: Count | None = Field(
        default=None,
        description="how many processes share the shards; if left out, one, in which the method "
        "may use every core",
    )


class SparkFields(Fields):
    """An Apache Spark cluster."""

    master: Text | None = Field(
        default=None,
        description="the address of the cluster, such as `spark://host:7077`, `yarn` or "
        "`local[2]`; if left out, that of `spark-submit` or of the running session, else this "
        "machine",
    )
    conf: dict[str, str | bool | int | float] = Field(
        default={}, description="options of Spark by name, such as `spark.executor.memory: 4g`"
    )


class SeedFields(Fields):
    """Where the seed is kept."""

    file: Text = Field(
        description="a file with a secret text of at least 16 bytes, such as "
        "`openssl rand -hex 16` makes"
    )


class OutputFields(Fields):
    """Where the release is written."""

    folder: Text | None = Field(None, description="the folder of the release")
    database: Text | None = Field(
        None,
        description="the address of a database to write the release to, as well as the folder or "
        "instead of it",
    )
    table: Text | None = Field(None, description="the table of that database to create")
    format: Literal["csv", "parquet"] = Field("csv", description="the format of its tables")

    @model_validator(mode="before")
    @classmethod
    def _unfold(cls, given: Any) -> Any:
        return {"folder": given} if isinstance(given, str) else given


class PlanFields(Fields):
    """The plan."""

    source: Sources | None = Field(
        None,
        description="the data: a file, a glob of parts, or the address of a database; left out if "
        "data is passed in",
        json_schema_extra=_in_words("a path, a list of paths, or an address"),
    )
    encoding: Encoding | None = Field(
        None,
        description="the encoding of its text, as named in Python (such as windows-1252); if left "
        "out, UTF-8, or the encoding that a statistics package's file declares",
        json_schema_extra=_in_words("a text"),
    )
    decimal: Literal[".", ","] | None = Field(
        None,
        description="the decimal mark of numbers that are text; with a comma, points may group "
        "thousands. If left out, a decimal comma is recognised if there is no doubt",
    )
    table: Text | None = Field(
        None,
        description=(
            "the table to read, if the source is a database, as `schema.table` if it has a schema"
        ),
    )
    query: Text | None = Field(
        None, description="the query to run, if the source is a database and `table` is left out"
    )
    individual: IndividualFields | None = Field(
        None,
        description="which rows belong to one person; if left out, each row is a person",
        json_schema_extra=_in_words("a column, or a mapping with column and conflict"),
    )
    attributes: dict[str, AttributeFields] = Field(
        {},
        description="every column of the data, in the order in which they are published",
        json_schema_extra=_in_words("a mapping from columns to a role or a mapping"),
    )
    others: Literal["error", "drop"] = Field(
        "error", description="what to do with columns of the data that the plan does not declare"
    )
    privacy: Any = Field(
        None,
        description="the models, all of which must hold in the release",
        json_schema_extra=_in_words("a list of models"),
    )
    method: Any = Field(
        "auto",
        description="how the classes are made",
        json_schema_extra=_in_words("a method, or a mapping from it to its options"),
    )
    suppression: SuppressionFields = Field(
        SuppressionFields(), description="how many rows may be left out"
    )
    objective: Literal["glm", "ncp", "nloss", "prec", "dm", "query"] = Field(
        "glm", description="the loss that methods, repair and polish minimise"
    )
    polish: PolishFields | None = Field(
        None,
        description="how long to improve the classes once they are made; if left out, not at all",
        json_schema_extra=_in_words("a mapping with seconds or steps"),
    )

    @field_validator("polish", mode="before")
    @classmethod
    def _none(cls, given: Any) -> Any:
        return None if given is False else given

    ranges: Literal["tight", "snapped", "columns"] = Field(
        "tight",
        description="how a range of numbers is published: its real ends, ends on a round grid, or "
        "two columns of numbers",
    )
    order: Literal["content", "input"] = Field(
        "content",
        description="the row order that methods see: that of a keyed hash of each row's content, "
        "so that shuffling the input changes nothing, or the order of the input",
    )
    shards: ShardFields | None = Field(
        None,
        description=(
            "how to divide the table; if left out, it is not divided as long as memory permits"
        ),
    )
    engine: Any = Field(
        "local",
        description="where the plan runs",
        json_schema_extra=_in_words("'local' or 'spark', or a mapping from it to its options"),
    )
    missing: TextList = Field(
        [],
        description="texts that mean a missing value in every column",
        json_schema_extra=_in_words("a text or a list of texts"),
    )
    seed: Any = Field(
        None,
        description="the seed of all random choices, as secret as the data. Best left out: it is "
        "then drawn at random and kept in the private folder. A number is for tests "
        "and papers",
        json_schema_extra=_in_words("a mapping with file, or an integer"),
    )
    republish: Literal["m-invariance"] | None = Field(
        None,
        description="what must hold across versions: with m-invariance, everyone's class shows "
        "the same sensitive values in every version; if left out, nothing",
    )
    delay: DelayFields | None = Field(
        None,
        description="how long rows of a stream (`shoal stream`) may wait for their batch; a run "
        "ignores it",
        json_schema_extra=_in_words("a mapping with rows"),
    )
    output: OutputFields | None = Field(
        None,
        description="where the release is written; if left out, nowhere",
        json_schema_extra=_in_words("a folder, or a mapping with folder, format, database, table"),
    )
