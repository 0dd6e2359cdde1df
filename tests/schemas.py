"""Validators of the documents, and the one place through which every document of a test goes."""

from functools import cache

from jsonschema import Draft202012Validator

from pytest_poisson.render import documents
from pytest_poisson.shapes.schema import json_schema


@cache
def validator(stated):
    """Return the validator of a document, by what its `schema` field says."""
    return Draft202012Validator(json_schema(stated))


def faults(document):
    """Return where a document is not as its schema says, a line each."""
    errors = validator(document["schema"]).iter_errors(document)
    return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in errors]


def check_every_document():
    """Let each document that is written be held against its schema, whatever test it is that writes it."""
    write = documents.dump

    def dump(document):
        text = write(document)
        wrong = faults(document)
        if wrong:
            raise AssertionError(f"not as {document['schema']} says: {wrong}")
        return text

    documents.dump = dump
