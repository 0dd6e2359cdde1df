"""Paired replay: two arms sent the same requests, and their decisions at a threshold are compared."""
