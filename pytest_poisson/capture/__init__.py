"""Spans that the program under test makes through OpenTelemetry, or would make if its clients were instrumented."""
