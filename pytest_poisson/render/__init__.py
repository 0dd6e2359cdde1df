"""Renderers: each turns a result into text or a document; they compute nothing."""
