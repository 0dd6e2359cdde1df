"""Spans that something else recorded, from files: an OpenTelemetry collector's, or a LiteLLM proxy's log."""
