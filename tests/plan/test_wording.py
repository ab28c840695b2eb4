"""Types, values and near words, as they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.plan.wording import Shape, describe, did_you_mean, nearest, one_of


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1}, "an integer of at least 1"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "a number of at least 0 and at most 1"),
        ({"type": "number", "exclusiveMinimum": 0}, "a number above 0"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "a number"),
        ({"anyOf": [{"type": "number"}, {"type": "string"}]}, "a number or a text"),
        ({"enum": ["a", "b"]}, "one of 'a' or 'b'"),
        ({"type": "array", "items": {"type": "string"}}, "a list of texts"),
        ({"type": "array"}, "a list"),
        ({"type": "boolean"}, "true or false"),
        ({"$ref": "#/$defs/K"}, "an integer"),
        ({}, "something"),
        (
            {
                "type": "array",
                "items": {
                    "type": "array",
                    "prefixItems": [{"type": "number"}, {"type": "number"}],
                    "minItems": 2,
                    "maxItems": 2,
                },
            },
            "a list of lists of 2 numbers",
        ),
    ],
)
def test_a_shape_in_words(schema: dict[str, Any], words: str) -> None:
    assert Shape(schema, {"K": {"type": "integer"}}).words() == words


def test_values_are_not_shown_unless_they_are_numbers() -> None:
    values = [7, 0.5, False, None, "S3CRET", "", ["S3CRET"], [], {"S3CRET": 1}, {}, 10**40]
    assert [describe(value) for value in values] == [
        "7", "0.5", "false", "nothing", "a text", "an empty text", "a list of 1", "an empty list",
        "a mapping", "an empty mapping", "a huge number",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("quasi-identifier", "quasi"),
        ("QUASI_IDENTIFYING", "quasi"),
        ("non-sensitive", "insensitive"),
        ("identifer", "identifier"),
        ("semi_sensitive", "semi-sensitive"),
        ("xyzzy", None),
        (5, None),
    ],
)
def test_the_nearest_role(word: object, meant: str | None) -> None:
    roles = ["identifier", "quasi", "sensitive", "semi-sensitive", "flag", "insensitive"]
    assert nearest(word, roles) == meant


def test_no_near_word_gives_no_hint() -> None:
    assert did_you_mean("xyzzy", ["k"]) == ""
    assert one_of([]) == "none"
    assert one_of(["a"]) == "'a'"
