"""The classifier beside scikit-learn's checks of estimators.

They feed tables of numbers, and jensen.Classifier reads images. OfTables makes an image of each row;
what the checks then try, from cloning to pickling, is the classifier's.
"""
import pickle
import warnings

import numpy as np
import pytest

import jensen

sklearn = pytest.importorskip("sklearn", minversion="1.6")
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

EXPECTED = {}  # none: what a check may ask and images do not allow is said in docs/python.md


class OfTables(jensen.Classifier):
    """Rows of numbers as pictures of 8 x 8 pixels, in which the numbers repeat."""

    def __init__(self, loss="gce:q=0.3", network="mlp", epochs=3, augment="none", val_fraction=0, seed=1, out=None,
                 options=None):
        super().__init__(loss, network, epochs, augment, val_fraction, seed, out, options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    @staticmethod
    def _images(X):
        numbers = 255 / (1 + np.exp(-np.clip(X.astype(float), -30, 30)))
        repeated = np.resize(numbers.T, (3 * 8 * 8, len(X))).T
        return repeated.reshape(-1, 8, 8, 3).astype(np.uint8)

    def fit(self, X, y):
        if y is not None:
            X, y = validate_data(self, X, y)
            X = self._images(X)
        return super().fit(X, y)

    def predict_proba(self, X):
        check_is_fitted(self)
        return super().predict_proba(self._images(validate_data(self, X, reset=False)))


def test_the_checks_of_estimators_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = check_estimator(OfTables(options={"threads": 1}), expected_failed_checks=EXPECTED, on_fail=None, on_skip=None)
    failed = {row["check_name"]: row["exception"] for row in rows if row["status"] == "failed"}
    assert not failed
    passed = sum(row["status"] == "passed" for row in rows)
    print(f"scikit-learn {sklearn.__version__}: {passed} of {len(rows)} checks passed")
    assert passed >= 45


def bright_and_dark():
    y = np.tile(["dark", "light"], 30)
    dots = np.random.default_rng(0).integers(0, 60, (60, 16, 16, 3))
    return (dots + 150 * (y == "light")[:, None, None, None]).astype(np.uint8), y


SMALL = {"network": "mlp", "epochs": 5, "augment": "none", "val_fraction": 0, "options": {"threads": 1}}


def test_images_go_through_cross_validation():
    X, y = bright_and_dark()
    assert cross_val_score(jensen.Classifier(**SMALL), X, y, cv=2).min() > 0.9


@pytest.mark.parametrize("named", (False, True))
def test_a_fitted_classifier_is_pickled_with_its_run(named, tmp_path):
    X, y = bright_and_dark()
    model = jensen.Classifier(**SMALL, out=str(tmp_path / "run") if named else None).fit(X, y)
    want = model.predict_proba(X)
    again = pickle.loads(pickle.dumps(model))
    folder = model.run_.path
    del model
    assert np.array_equal(again.predict_proba(X), want) and (again.run_.path == folder) == named
    assert again.run_.finished and again.classes_.tolist() == ["dark", "light"]
