"""Analyses: each reads runs from the store, calls the statistics and returns one frozen result."""
