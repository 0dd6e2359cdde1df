"""The shape of every JSON document, as types: for readers in Python, and for the JSON Schemas that `schema` makes of them.

A field is always there; what is not known is null. Words that are listed are all that this version writes.

PYTEST_DONT_REWRITE: nothing here asserts.
"""
