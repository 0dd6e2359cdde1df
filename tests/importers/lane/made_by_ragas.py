"""Run by a Python that has Ragas and PyArrow: scores four samples with metrics that need no model."""

from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import ExactMatch


class Sometimes(ExactMatch):
    """Gives no score for a wrong answer."""

    async def _single_turn_ascore(self, sample, callbacks):
        if sample.response != sample.reference:
            raise RuntimeError("the judge broke")
        return 0.75


SAMPLES = [
    SingleTurnSample(
        user_input=f"q\u00e9 {i}", response=f"a{i % 2}", reference="a0", retrieved_contexts=['c "1"', "c2"]
    )
    for i in range(4)
]
METRICS = [ExactMatch(), Sometimes(name="sometimes")]
frame = evaluate(
    EvaluationDataset(SAMPLES), metrics=METRICS, raise_exceptions=False, show_progress=False
).to_pandas()
frame.to_csv("scores.csv", index=False)
frame.to_json("scores.jsonl", orient="records", lines=True)
frame.to_json("scores.json", orient="records")
frame.to_json("columns.json")
frame.to_parquet("scores.parquet")
