"""Answers questions in JSON on stdin with reference implementations; NaN becomes null."""
import json
import math
import sys
import warnings

import numpy
import pandas

warnings.filterwarnings("ignore")


def plain(value):
    value = float(value)
    return None if math.isnan(value) else value


def cohen(question):
    from sklearn.metrics import cohen_kappa_score

    return plain(cohen_kappa_score(question["first"], question["second"]))


def fleiss(question):
    from statsmodels.stats.inter_rater import fleiss_kappa

    return plain(fleiss_kappa(numpy.array(question["table"])))


def alpha(question):
    import krippendorff

    ratings = [[numpy.nan if x is None else x for x in row] for row in question["ratings"]]
    return plain(krippendorff.alpha(ratings, level_of_measurement="nominal"))


def dawid_skene(question):
    from crowdkit.aggregation import DawidSkene

    votes = pandas.DataFrame(question["votes"], columns=["task", "worker", "label"])
    model = DawidSkene(n_iter=question["iterations"], tol=-1e18).fit(votes)
    categories = range(question["categories"])
    probabilities = model.probas_.reindex(columns=categories, fill_value=0)
    errors = model.errors_.reindex(columns=categories, fill_value=0)
    return {
        "posteriors": probabilities.sort_index().values.tolist(),
        "priors": model.priors_.reindex(categories, fill_value=0).tolist(),
        "errors": [[*index, errors.loc[index].tolist()] for index in errors.index],
    }


def scores(question):
    from sklearn.metrics import (
        accuracy_score,
        confusion_matrix,
        precision_recall_fscore_support,
    )

    truth, predicted = question["truth"], question["predicted"]
    labels = question["labels"]
    of_each = precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0)
    macro = precision_recall_fscore_support(
        truth, predicted, labels=labels, average="macro", zero_division=0
    )
    return {
        "accuracy": plain(accuracy_score(truth, predicted)),
        "each": [column.tolist() for column in of_each[:3]],
        "macro": [float(x) for x in macro[:3]],
        "matrix": confusion_matrix(truth, predicted, labels=labels).tolist(),
    }


def calibration(question):
    from sklearn.calibration import calibration_curve

    truth = numpy.array(question["truth"])
    confidence = numpy.array(question["confidence"])
    accuracies, confidences = calibration_curve(truth, confidence, n_bins=10)
    edges = numpy.linspace(0, 1, 11)
    bins = numpy.searchsorted(edges[1:-1], confidence)
    counts = [int(n) for n in numpy.bincount(bins, minlength=10) if n]
    error = sum(
        n / len(truth) * abs(a - c) for n, a, c in zip(counts, accuracies, confidences)
    )
    return {
        "counts": counts,
        "accuracies": accuracies.tolist(),
        "confidences": confidences.tolist(),
        "error": float(error),
    }


question = json.load(sys.stdin)
answers = {
    "cohen": cohen,
    "fleiss": fleiss,
    "alpha": alpha,
    "dawid-skene": dawid_skene,
    "scores": scores,
    "calibration": calibration,
}
json.dump([answers[one["kind"]](one) for one in question], sys.stdout)
