"""The manifest of a release, format 1: one model of it for all who write it or read it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from shoal.errors import DataError, Problem
from shoal.schema import (
    Attribute,
    HierarchySpec,
    Individual,
    Kind,
    Layout,
    Requirement,
    Role,
    Schema,
)

FORMAT = 1
MANIFEST = "manifest.json"

Ranges = Literal["tight", "snapped", "columns"]
Republish = Literal["m-invariance"]
Symbols = Literal["by-flag", "interval", "one-sided"]


class _Entry(BaseModel):
    """Keys that this version does not know are passed over; messages do not repeat the input."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


class ManifestColumn(_Entry):
    """A published column; `person` is the role of the numbers that stand for people.

    `kind` is left out where neither the plan nor the tables tell it. `hierarchy` is the form of it.
    `symbols` says how cells are shown where not by their values, `loss_over` what losses of the
    column are shares of: what the plan declares, or else all that its published labels cover.
    `missing` are the texts that the plan declares to mean a missing value, besides the empty cell.
    """

    name: str
    role: Role | Literal["person"]
    kind: Kind | None = None
    hierarchy: Literal["file", "tree", "intervals", "width", "mask", "dates", "flat"] | None = None
    symbols: Symbols | None = None
    loss_over: Literal["declared", "published"] | None = None
    missing: tuple[str, ...] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether a cell that is shown is a value, and not a label over several."""
        return self.symbols is None and self.role not in (Role.QUASI, Role.SEMI_SENSITIVE)


class Stated(_Entry):
    """The verdict on one requirement; of what offends, only how many.

    `reached` is stated only where a reader can count it in the published tables; `holds` also where
    it was verified with the original before anything was written.
    `posterior` is the largest share of one value in a bucket, where it is on buckets.
    """

    requirement: str
    attribute: str | None = None
    holds: StrictBool | None = None
    asked: Any = None
    reached: Any = None
    offending: int = 0
    posterior: float | None = None


class ManifestFile(_Entry):
    """A file of the release; tables have rows."""

    sha256: str | None = None
    rows: int | None = None


class Manifest(_Entry):
    """What a release promises and reaches, without a value, a seed, a path or a row.

    All of it but `time` and `plan`, a salted digest, can be computed from the published tables, the
    public part of the plan, and the counts of rows that were read and left out. `individual` is the
    column of people in the original, `conflict` which value was taken for those whose rows differ.
    `republish` is what this version keeps together with others of the same people; then `counts`
    has how many published rows are counterfeits, which belong to nobody.
    The fields are in the order of the file.
    """

    format: int = FORMAT
    tool: str = "shoal"
    version: str = ""
    time: str = ""
    plan: str = ""
    method: str = ""
    ranges: Ranges
    form: Layout = Layout.PLAIN
    columns: tuple[ManifestColumn, ...]
    individual: str | None = None
    conflict: Literal["error", "first", "mode"] | None = None
    republish: Republish | None = None
    requirements: tuple[Requirement, ...]
    verdicts: tuple[Stated, ...]
    measures: dict[str, int | float] = Field(default_factory=dict)
    loss_by_attribute: dict[str, int | float] = Field(default_factory=dict)
    cells_by_attribute: dict[str, dict[str, int | float]] = Field(default_factory=dict)
    singled_out: int | float = 0.0
    counts: dict[str, int] = Field(default_factory=dict)
    files: dict[str, ManifestFile] = Field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The manifest of a release folder; raises DataError where there is none that is sound."""
        path = folder / MANIFEST
        if not folder.is_dir():
            raise DataError(f"There is no folder {folder}.", hint="Name a release folder.")
        if not path.is_file():
            raise DataError(
                f"The folder {folder} has no manifest.json.",
                hint="It is not a release of shoal, or its manifest was removed.",
            )
        try:
            document = read_json(path)
        except ValueError:
            raise DataError(f"The manifest of {folder} cannot be read.") from None
        _check_format(document, folder)
        return cls._of(document, folder)

    @classmethod
    def _of(cls, document: dict[str, Any], folder: Path) -> Self:
        try:
            manifest = cls.model_validate(document)
        except ValidationError as error:
            places = [".".join(map(str, e["loc"])) for e in error.errors(include_input=False)]
            text = f"The manifest of {folder} is broken: this is absent, or not what it must be."
            problems = [Problem(text, place) for place in dict.fromkeys(places)]
        else:
            names = [column.name for column in manifest.columns]
            if len(set(names)) == len(names):
                return manifest
            problems = [Problem(f"The manifest of {folder} lists a column twice.")]
        raise DataError(problems)

    def text(self) -> str:
        """The manifest as it is written."""
        document = self.model_dump(exclude_none=True)
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def as_schema(self) -> Schema:
        """What the manifest says of the attributes; values and hierarchies it does not hold."""
        people = [
            Individual(column.name, self.conflict or "error")
            for column in self.columns
            if column.role == "person"
        ]
        attributes = [
            Attribute(column.name, Role.IDENTIFIER)
            if column.role == "person"
            else Attribute(
                column.name,
                column.role,
                column.kind,
                hierarchy=None if column.hierarchy is None else HierarchySpec(column.hierarchy),
                missing=column.missing or (),
            )
            for column in self.columns
        ]
        return Schema(tuple(attributes), people[-1] if people else None)

    def of_role(self, *roles: Role) -> tuple[ManifestColumn, ...]:
        """The published columns that have one of these roles."""
        return tuple(c for c in self.columns if c.role in roles)

    @property
    def quasi(self) -> tuple[ManifestColumn, ...]:
        """What describes a person: quasi-identifiers, and semi-sensitive cells that are public."""
        return self.of_role(Role.QUASI, Role.SEMI_SENSITIVE)

    @property
    def keeps_secrets(self) -> bool:
        """Whether secret values are in buckets, and not in the rows of their people."""
        return self.form.keeps_secrets

    @property
    def secret(self) -> tuple[ManifestColumn, ...]:
        """What is in buckets, for everybody or for those who keep it secret."""
        return self.of_role(Role.SENSITIVE, Role.SEMI_SENSITIVE) if self.keeps_secrets else ()

    @property
    def in_the_open(self) -> tuple[ManifestColumn, ...]:
        """What is published in the row of its person as it was."""
        sensitive = (Role.SENSITIVE,) if self.form is Layout.PLAIN else ()
        return tuple(c for c in self.of_role(Role.INSENSITIVE, *sensitive) if not c.symbols)

    @property
    def flagged(self) -> tuple[ManifestColumn, ...]:
        """What shows symbols, each cell as its flag or its class asks."""
        return tuple(c for c in self.columns if c.symbols)

    @property
    def person(self) -> str | None:
        """The column that tells the rows of one person from those of others."""
        return next((c.name for c in self.columns if c.role == "person"), None)

    @property
    def counts_people(self) -> bool:
        """Whether the rows of a person are told apart from those of others."""
        return self.person is not None


def read_json(path: Path) -> Any:
    """A JSON file in which every key appears once and every number is finite.

    Raises ValueError where it is not such a file.
    """
    try:
        return json.loads(
            path.read_bytes().decode("utf-8"),
            object_pairs_hook=_once_each,
            parse_float=_finite,
            parse_int=_whole,
            parse_constant=_no_constant,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key appears twice")
    return dict(pairs)


def _finite(digits: str) -> float:
    # Python reads 1e999 as infinity, other readers as a very large number.
    if not math.isfinite(number := float(digits)):
        raise ValueError("a number is too large")
    return number


def _whole(digits: str) -> int:
    # Other readers take it for a fraction; Python cannot even compare it with one.
    _finite(digits)
    return int(digits)


def _no_constant(name: str) -> None:
    raise ValueError("NaN and Infinity are not JSON")


def _check_format(document: Any, folder: Path) -> None:
    if not isinstance(document, dict) or "format" not in document:
        raise DataError(f"The manifest of {folder} cannot be read.")
    written = document["format"]
    # To Python, true is an integer as well.
    if type(written) is not int or written < 1:
        raise DataError(f"The manifest of {folder} names no format.")
    if written > FORMAT:
        raise DataError(
            f"The release in {folder} is of format {written}, but this version reads up to "
            f"{FORMAT}.",
            hint="Audit it with the version of shoal that wrote it, or a later one.",
        )
