"""The attributes of a table and their roles, what is required of it, and what was found.

Everything here is plain, frozen data with simple look-ups: it is the one vocabulary that the
methods and the verifier share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias


class Role(StrEnum):
    """What an adversary may know about a column, which decides what happens to it."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    SEMI_SENSITIVE = "semi-sensitive"
    SENSITIVITY = "sensitivity"
    FLAG = "flag"
    INSENSITIVE = "insensitive"
    DROP = "drop"


class Kind(StrEnum):
    """How the values of a column compare."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ORDINAL = "ordinal"
    DATE = "date"


class Layout(StrEnum):
    """How a release is laid out in tables; the texts are those of the manifest's `form`.

    `plain`: one table with a row for each record. `linked`: quasi-identifiers and sensitive values
    in two tables that only the class links. Secret cells are in buckets, which have tables of
    their own (`split`) or are in the same table (`joined`).
    """

    PLAIN = "plain"
    JOINED = "joined"
    SPLIT = "split"
    LINKED = "linked"

    @property
    def keeps_secrets(self) -> bool:
        """Whether secret values are in buckets, not in the rows of their people."""
        return self in (Layout.SPLIT, Layout.JOINED)


@dataclass(frozen=True, slots=True)
class HierarchySpec:
    """A hierarchy as declared; `shoal.Hierarchy` turns it into levels.

    Which fields count depends on `form`: `rows` for file and tree (leaf, parent, …, top; all rows
    of one length), `cuts` for intervals, `width`, `levels` and `origin` for width, `mask` for
    mask, `units` for dates; flat has none.
    """

    form: Literal["file", "tree", "intervals", "width", "mask", "dates", "flat"]
    rows: tuple[tuple[str, ...], ...] = ()
    cuts: tuple[float, ...] = ()
    width: float = 0.0
    levels: int = 0
    origin: float = 0.0
    mask: int = 0
    units: tuple[str, ...] = ()
    path: str = ""

    @property
    def has_clock(self) -> bool:
        """Whether it is of moments, cut to the minute, and not of days."""
        return bool({"minute", "hour"}.intersection(self.units))


@dataclass(frozen=True, slots=True)
class Attribute:
    """One declared column.

    `kind` is None until it has been guessed from the data. `missing` lists the texts that, besides
    the empty cell, mean a missing value. `values` is the declared domain, in order for ordinals.
    """

    name: str
    role: Role
    kind: Kind | None = None
    domain: tuple[float, float] | None = None
    values: tuple[str, ...] | None = None
    hierarchy: HierarchySpec | None = None
    flag: str | None = None
    flags: Mapping[str, Any] | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Individual:
    """The column whose equal values are one person, and what to do if a person's QIs differ."""

    column: str
    conflict: Literal["error", "first", "mode"] = "error"


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of a table, in the order in which they are published."""

    attributes: tuple[Attribute, ...]
    individual: Individual | None = None

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(name)

    def of(self, *roles: Role) -> tuple[Attribute, ...]:
        """The attributes that have one of these roles."""
        return tuple(a for a in self.attributes if a.role in roles)

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """What others may know about people, or about some of them."""
        return self.of(Role.QUASI, Role.SEMI_SENSITIVE)

    @property
    def secret(self) -> tuple[Attribute, ...]:
        """What nobody else knows about people, or about some of them."""
        return self.of(Role.SENSITIVE, Role.SEMI_SENSITIVE)

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        return self.of(Role.SENSITIVE)

    @property
    def published(self) -> tuple[Attribute, ...]:
        """What a release shows, in schema order; identifiers, flags and f are never published."""
        return self.of(Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE, Role.INSENSITIVE)

    def as_published(self) -> Schema:
        """The same for a reader of the published table, in which numbers stand for people."""
        if self.individual is None:
            return Schema(self.published)
        # Numbers that mean nothing elsewhere, but rows of one person can be told by them.
        person = Attribute("Id_num", Role.IDENTIFIER)
        return Schema((person, *self.published), Individual(person.name, self.individual.conflict))

    def without_hierarchies(self) -> Schema:
        """The same without hierarchies of quasi-identifiers, which become ranges and sets."""
        attributes = (replace(a, hierarchy=None) if a in self.quasi else a for a in self.attributes)
        return replace(self, attributes=tuple(attributes))


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold, as plain data: a model's name and its parameters, defaults filled in."""

    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        # Verdicts and manifests name a requirement by this text, and are matched by it.
        inside = ", ".join(f"{k}: {v}" for k, v in self.parameters.items() if v is not None)
        return f"{self.model} {{{inside}}}"


class LevelReach(NamedTuple):
    """One k that people require: how many do, their smallest crowd, and how many are below k."""

    k: int
    people: int
    crowd: int
    below: int


# Of a model with one threshold a number, else numbers by name; None where there is none to state.
Figures: TypeAlias = int | float | Mapping[str, int | float] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about one requirement.

    `holds` is None if the given data cannot show it. `asked` (required) and `reached` (achieved)
    are one number for a model with one threshold, else a mapping of numbers. `worst_class` is the
    class that achieves least, `offending` the classes (rows, for a model of rows) that fail.
    `levels` is what those who require each k achieve, the largest k first, where people require
    different ones.
    `posterior` is the largest share of one value in a bucket, where buckets were judged.
    """

    requirement: str
    holds: bool | None
    asked: Figures
    reached: Figures = None
    worst_class: int | None = None
    offending: tuple[int, ...] = ()
    attribute: str | None = None
    note: str = ""
    levels: tuple[LevelReach, ...] = ()
    posterior: float | None = None
