"""Exact tests, intervals and detection limits: arrays in, frozen dataclasses out.

PYTEST_DONT_REWRITE: nothing here asserts.
"""
