"""JSON Schemas of the documents, made of their types."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from pytest_poisson.shapes import comparison, replay, reports, runs, shares, survival, usage

PREFIX = "pytest-poisson."
DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

PLAIN: dict[Any, Schema] = {
    Any: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def document_types() -> dict[str, list[type]]:
    """Return the types of every document, by what its `schema` field says; a report is of one of two types."""
    found: dict[str, list[type]] = {}
    for module in (runs, comparison, reports, survival, shares, replay, usage):
        for name, shape in vars(module).items():
            if name.endswith("Document") and shape.__module__ == module.__name__:
                (stated,) = get_args(get_type_hints(shape)["schema"])
                found.setdefault(stated, []).append(shape)
    return dict(sorted(found.items()))


def json_schema(stated: str) -> Schema:
    """Return the JSON Schema (draft 2020-12) of a document, by what its `schema` field says.

    Every field is required, but for the details of a report, and no other is allowed.

    Raises
    ------
    KeyError
        If there is no such document.
    """
    shapes = document_types()[stated]
    definitions: dict[str, Schema] = {}
    parts = [_schema(shape, definitions) for shape in shapes]
    body = parts[0] if len(parts) == 1 else {"oneOf": parts}
    return {"$schema": DIALECT, "title": stated, **body, "$defs": dict(sorted(definitions.items()))}


def _schema(kind: Any, definitions: dict[str, Schema]) -> Schema:
    if kind in PLAIN:
        return PLAIN[kind]
    if is_typeddict(kind):
        return _reference(kind, definitions)
    given = get_args(kind)
    if get_origin(kind) is Literal:
        return {"enum": list(given)}
    inner = [_schema(each, definitions) for each in given]
    if get_origin(kind) is list:
        return {"type": "array", "items": inner[0]}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": inner[1]}
    return {"anyOf": inner}


def _reference(shape: Any, definitions: dict[str, Schema]) -> Schema:
    name = shape.__name__
    if name not in definitions:
        fields = get_type_hints(shape)
        definitions[name] = {
            "type": "object",
            **({"description": shape.__doc__} if shape.__doc__ else {}),
            "properties": {field: _schema(kind, definitions) for field, kind in fields.items()},
            "required": [field for field in fields if field in shape.__required_keys__],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
