"""The shortest mapping with the meaning of a plan, its YAML, and its digest."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from shoal.method.polish import Polish
from shoal.model import LDiversity
from shoal.plan.content import Content
from shoal.plan.field import SparkFields
from shoal.plan.seed import SeedFile
from shoal.schema import Attribute
from shoal.schema.specification import Specification

_PLAIN = re.compile(r"[A-Za-z0-9_.-][A-Za-z0-9_./ -]*")


def to_dict(plan: Content) -> dict[str, Any]:
    """The content of a plan file with the same meaning, in short forms, without defaults."""
    schema = plan.schema
    individual = schema.individual
    entries: dict[str, Any] = {
        "source": _one_or_more(plan.source),
        "table": plan.table,
        "query": plan.query,
        "encoding": plan.encoding,
        "decimal": plan.decimal,
        "individual": individual and _individual(individual.column, individual.conflict),
        "attributes": {a.name: _attribute(a, plan) for a in schema.attributes},
        "others": None if plan.others == "error" else plan.others,
        "privacy": [_specification(model) for model in plan.models],
        "method": _specification(plan.method),
        "suppression": None if plan.suppression_limit == 1 else {"limit": plan.suppression_limit},
        "objective": None if plan.objective == "glm" else plan.objective,
        "polish": None if plan.polish is None else _polish(plan.polish),
        "ranges": None if plan.ranges == "tight" else plan.ranges,
        "order": None if plan.order == "content" else plan.order,
        "shards": None if plan.shard_rows is None else {"rows": plan.shard_rows},
        "engine": _engine(plan),
        "missing": _one_or_more(plan.missing),
        "seed": {"file": plan.seed.path} if isinstance(plan.seed, SeedFile) else plan.seed,
        "republish": plan.republish,
        "delay": None if plan.delay is None else plan.delay.model_dump(exclude_defaults=True),
        "output": _output(plan),
    }
    return {key: value for key, value in entries.items() if value is not None}


def to_yaml(plan: Content) -> str:
    """The same as a YAML file: one line for each attribute and model where it fits."""
    return dump(to_dict(plan))


def dump(content: Mapping[str, Any]) -> str:
    """The content of a plan file, whether or not it is a valid plan, as YAML.

    >>> print(dump({"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]}))
    attributes:
      age: quasi
    privacy:
      - k-anonymity: {k: 2}
    <BLANKLINE>
    """
    yaml = YAML(typ="rt", pure=True)
    yaml.width = 100
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.dump(_block(content, depth=0), stream)
    return stream.getvalue()


def digest(plan: Content) -> str:
    """SHA-256 over what the plan means, whatever the order of its keys.

    Seed, source, population, output and engine are left out: they change where it runs, not what
    it means.
    A hierarchy file enters by its content.
    """
    meaning: dict[str, Any] = {
        "attributes": {a.name: _meaning(a) for a in plan.schema.attributes},
        "individual": plan.schema.individual and asdict(plan.schema.individual),
        "privacy": [[r.model, dict(r.parameters)] for r in plan.requirements],
        "method": [plan.method.name, plan.method.parameters()],
        "suppression": plan.suppression_limit,
        "objective": plan.objective,
        "ranges": plan.ranges,
        "order": plan.order,
        "shards": plan.shard_rows,
    }
    # Keys that are newer than the digest enter it only where they are used: it stays the same for
    # plans that were written before.
    if plan.decimal is not None:
        meaning["decimal"] = plan.decimal
    if plan.polish is not None:
        meaning["polish"] = _polish(plan.polish)
    if plan.republish is not None:
        meaning["republish"] = plan.republish
    if plan.delay is not None:
        meaning["delay"] = plan.delay.model_dump()
    aims = plan.method.aims(plan.models)
    if aims:
        meaning["aims"] = aims
    text = json.dumps(_plain(meaning), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _polish(polish: Polish) -> dict[str, Any]:
    return {key: value for key, value in asdict(polish).items() if value is not None}


def _meaning(attribute: Attribute) -> dict[str, Any]:
    meaning = asdict(attribute)
    if meaning["hierarchy"] is not None:
        del meaning["hierarchy"]["path"]
        if meaning["hierarchy"]["form"] == "tree":
            # Siblings are put in natural order anyway, so the order in which a tree lists them is
            # no matter.
            meaning["hierarchy"]["rows"] = sorted(meaning["hierarchy"]["rows"])
    # The order of these texts means nothing.
    meaning["missing"] = sorted(meaning["missing"])
    return meaning


def _attribute(attribute: Attribute, plan: Content) -> Any:
    own = tuple(text for text in attribute.missing if text not in plan.missing)
    entries: dict[str, Any] = {
        "role": str(attribute.role),
        "kind": attribute.kind and str(attribute.kind),
        "domain": attribute.domain and _plain(attribute.domain),
        "values": attribute.values and list(attribute.values),
        # Copies: a plan is frozen, and whoever gets the mapping may change it.
        "hierarchy": copy.deepcopy(plan.declared.get(attribute.name)),
        "flag": attribute.flag,
        "flags": copy.deepcopy(attribute.flags),
        "missing": _one_or_more(own),
    }
    short = {key: value for key, value in entries.items() if value is not None}
    return short["role"] if len(short) == 1 else short


def _specification(specification: Specification) -> Any:
    given = specification.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if isinstance(specification, LDiversity) and specification.names_kind:
        given["kind"] = specification.kind
    return {specification.name: _plain(given)} if given else specification.name


def _individual(column: str, conflict: str) -> Any:
    return column if conflict == "error" else {"column": column, "conflict": conflict}


def _output(plan: Content) -> Any:
    database = plan.output_database
    if database is None and plan.output_format == "csv":
        return plan.output
    entries = {
        "folder": plan.output,
        "format": None if plan.output_format == "csv" else plan.output_format,
        "database": database and database.address,
        "table": database and database.table,
    }
    return {key: value for key, value in entries.items() if value is not None}


def _engine(plan: Content) -> Any:
    name = "spark" if isinstance(plan.engine, SparkFields) else "local"
    options = plan.engine.model_dump(exclude_defaults=True)
    if not options:
        return None if name == "local" else name
    return {name: options}


def _one_or_more(texts: tuple[str, ...]) -> Any:
    return (texts[0] if len(texts) == 1 else list(texts)) if texts else None


def _plain(value: Any) -> Any:
    """Whole numbers without a decimal point."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    # From 2^53 on, a float stands for several integers.
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _block(value: Any, depth: int) -> Any:
    """Mappings and lists for the dumper, in one line from the second level on."""
    made: CommentedMap | CommentedSeq
    if isinstance(value, Mapping):
        entries = {_text(key): _block(inner, depth + 1) for key, inner in value.items()}
        made = CommentedMap(entries)
    elif isinstance(value, list):
        made = CommentedSeq([_block(inner, depth + 1) for inner in value])
    else:
        return _text(value) if isinstance(value, str) else value
    is_model = depth == 2 and isinstance(value, Mapping) and len(value) == 1
    if depth >= 2 and not is_model:
        made.fa.set_flow_style()
    else:
        made.fa.set_block_style()
    return made


def _text(text: str) -> str:
    """The text, in double quotes with escapes if it could be misread."""
    return text if _PLAIN.fullmatch(text) else DoubleQuotedScalarString(text)
