"""Problems in plain words, from the shape of a type and a value, never with a text of the user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic import BaseModel

# What other tools and papers call it: too far from our word to be found as a misspelling.
_OTHER_WORDS = {
    "quasi-identifier": "quasi", "quasi-identifying": "quasi", "quasi-ident": "quasi",
    "qi": "quasi", "key": "quasi", "identifying": "identifier", "ident": "identifier",
    "id": "identifier", "sens": "sensitive", "secret": "sensitive",
    "nonsensitive": "insensitive", "non-sensitive": "insensitive", "not-sensitive": "insensitive",
    "number": "numeric", "integer": "numeric", "int": "numeric", "float": "numeric",
    "text": "categorical", "string": "categorical", "nominal": "categorical",
    "boolean": "categorical", "ordered": "ordinal", "datetime": "date",
    "k": "k-anonymity", "l": "l-diversity", "t": "t-closeness",
}  # fmt: skip


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """The nearest of the known words as a question; empty if none is near.

    >>> did_you_mean("Numerc", ["numeric", "date"]), did_you_mean("quasi_identifier", ["quasi"])
    ("Did you mean 'numeric'?", "Did you mean 'quasi'?")
    """
    near = nearest(word, known)
    return f"Did you mean {near!r}?" if near is not None else ""


def nearest(word: Any, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant."""
    if not isinstance(word, str):
        return None
    plain = {_plain(name): name for name in known}
    other = _OTHER_WORDS.get(_plain(word), "")
    close = [other] if other in plain else get_close_matches(_plain(word), list(plain), n=1)
    return plain[close[0]] if close else None


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "-", word.strip().casefold())


def one_of(words: Iterable[str], last: str = "or") -> str:
    """Words as a choice.

    >>> one_of(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    *others, final = [repr(word) for word in words] or ["none"]
    return f"{', '.join(others)} {last} {final}" if others else final


def describe(value: Any, choice: bool = False) -> str:
    """A value in words: numbers and truth values as they are, only the type of anything else.

    >>> describe(0), describe(True), describe("x"), describe(None)
    ('0', 'true', 'a text', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        # Python refuses to write a number of more than 4,300 digits, and nobody reads thirty.
        return repr(value) if isinstance(value, float) or abs(value) < 10**30 else "a huge number"
    if isinstance(value, str):
        return "another word" if choice else "a text" if value else "an empty text"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    return f"a list of {len(value)}" if value else "an empty list"


class Shape:
    """The shape of a value, from JSON Schema, in words."""

    def __init__(self, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self.schema = self._resolve(schema)

    @staticmethod
    @cache
    def of(model: type[BaseModel]) -> Shape:
        """The shape of a mapping that becomes this model."""
        schema = model.model_json_schema(mode="validation")
        return Shape(schema, schema.get("$defs", {}))

    def inside(self, step: str | int) -> Shape | None:
        """The shape of an entry or item, as far as it is known."""
        schema = self.schema
        if isinstance(step, str):
            other = schema.get("additionalProperties")
            found = schema.get("properties", {}).get(step) or (other if other != {} else None)
        else:
            places = schema.get("prefixItems", [])
            found = places[step] if step < len(places) else schema.get("items")
        return Shape(found, self._definitions) if isinstance(found, Mapping) else None

    @property
    def keys(self) -> list[str]:
        return list(self.schema.get("properties", {}))

    @property
    def choices(self) -> list[str]:
        """The words to choose from; empty if it is not a choice."""
        words = self.schema.get("enum", [self.schema.get("const")])
        return [word for word in words if isinstance(word, str)]

    @property
    def meaning(self) -> str:
        return str(self.schema.get("description", ""))

    def words(self, plural: bool = False) -> str:
        """The shape in words.

        >>> Shape({"type": "integer", "minimum": 1}, {}).words()
        'an integer of at least 1'
        >>> Shape({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {}).words()
        'a number above 0 and at most 1'
        """
        if "words" in self.schema:
            return str(self.schema["words"])
        if self.choices:
            return ("from " if plural else "one of ") + one_of(self.choices)
        if "anyOf" in self.schema:
            inner = [Shape(s, self._definitions) for s in self.schema["anyOf"]]
            return " or ".join(shape.words(plural) for shape in inner)
        kind = str(self.schema.get("type", ""))
        if kind == "array":
            return ("lists" if plural else "a list") + self._items()
        one, many = _NOUNS.get(kind, ("something", "anything"))
        return (many if plural else one) + self._bounds()

    def _items(self) -> str:
        least, most = self.schema.get("minItems"), self.schema.get("maxItems")
        count = ""
        if least is not None:
            count = f" {least}" if least == most else f" at least {least}"
        places = self.schema.get("prefixItems")
        items = places[0] if places else self.schema.get("items")
        if count == " at least 1" and items:
            inner = Shape(items, self._definitions).words().removeprefix("a ").removeprefix("an ")
            return f" of at least one {inner}"
        inner = Shape(items, self._definitions).words(plural=True) if items else ""
        return f" of{count} {inner or 'items'}" if count or inner else ""

    def _bounds(self) -> str:
        parts = [
            f"{word} {self.schema[key]:.15g}"
            if isinstance(self.schema[key], float)
            else f"{word} {self.schema[key]}"
            for key, word in _BOUNDS.items()
            if key in self.schema
        ]
        if not parts:
            return " that is not empty" if self.schema.get("minLength") == 1 else ""
        first = f"of {parts[0]}" if parts[0].startswith("at ") else parts[0]
        return " " + " and ".join([first, *parts[1:]])

    def _resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow references, and leave out the null of an optional value."""
        if "$ref" in schema:
            target = self._definitions[str(schema["$ref"]).rsplit("/", 1)[-1]]
            # What stands next to a reference is said of this entry, and wins.
            around = {k: v for k, v in schema.items() if k != "$ref"}
            return {**self._resolve(target), **around}
        given = [s for s in schema.get("anyOf", []) if s.get("type") != "null"]
        if len(given) == 1:
            around = {k: v for k, v in schema.items() if k != "anyOf"}
            return {**self._resolve(given[0]), **around}
        return {**schema, "anyOf": given} if given else schema


_NOUNS = {
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "string": ("a text", "texts"),
    "boolean": ("true or false", "true or false"),
    "object": ("a mapping", "mappings"),
}
_BOUNDS = {
    "exclusiveMinimum": "above",
    "minimum": "at least",
    "exclusiveMaximum": "below",
    "maximum": "at most",
}
