"""A scikit-learn classifier, trained anew from every replicate's seed, with its scaler or without."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

GOOD_ENOUGH = 0.93  # accuracy on the third of the data that was held out


@pytest.fixture(scope="session")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(params=[8, 16], ids="hidden={}".format)
def hidden(request):
    return request.param


def build(hidden: int, *, seed: int, scaled: bool):
    network = MLPClassifier((hidden,), max_iter=60, solver="lbfgs", random_state=seed)
    return make_pipeline(StandardScaler(), network) if scaled else make_pipeline(network)


@pytest.mark.rollout(
    id="classifier", outcomes=["good", "poor"], failures=["poor"], successes=["good"], t_unit="iterations"
)
def test_classifier(wine, hidden, rollout):
    features, labels = wine
    held_out = train_test_split(features, labels, test_size=1 / 3, random_state=rollout.seed)
    train_features, test_features, train_labels, test_labels = held_out
    model = build(hidden, seed=rollout.seed, scaled=rollout.variant.get("scaling") != "off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(train_features, train_labels)
    accuracy = float(np.mean(model.predict(test_features) == test_labels))
    rollout.end(
        "good" if accuracy >= GOOD_ENOUGH else "poor", t=model[-1].n_iter_, meta={"accuracy": accuracy}
    )
