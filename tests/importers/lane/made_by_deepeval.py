"""Run by a Python that has DeepEval: evaluates four cases with a metric that needs no model."""

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Length(BaseMetric):
    """Scores an answer by its length."""

    def __init__(self):
        self.threshold, self.async_mode, self.strict_mode, self.include_reason = 0.5, False, False, True
        self.error = self.evaluation_model = None
        self.verbose_mode = False

    def measure(self, case, *_, **__):
        if case.input == "boom":
            raise RuntimeError("the judge broke")
        self.score = min(1.0, len(case.actual_output) / 10)
        self.success = self.score >= self.threshold
        self.reason = f"{len(case.actual_output)} characters"
        return self.score

    async def a_measure(self, case, *_, **__):
        return self.measure(case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Length"


if __name__ == "__main__":
    CASES = [
        LLMTestCase(name=f"case {size}", input="h\u00e9llo", actual_output="x" * size) for size in (2, 7, 9)
    ]
    evaluate(
        [*CASES, LLMTestCase(name="broken", input="boom", actual_output="y")],
        [Length()],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
        error_config=ErrorConfig(ignore_errors=True),
        cache_config=CacheConfig(write_cache=True),
    )
