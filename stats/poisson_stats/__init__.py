"""Exact tests, intervals and detection limits: arrays in, frozen dataclasses out."""
