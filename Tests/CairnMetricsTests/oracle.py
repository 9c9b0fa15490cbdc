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


def wilson(question):
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(question["hits"], question["count"], method="wilson")
    return [float(low), float(high)]


def means(question):
    """Macro and micro means of a multi-label or multi-class problem."""
    from sklearn.metrics import precision_recall_fscore_support

    truth, predicted = numpy.array(question["truth"]), numpy.array(question["predicted"])
    return {
        average: [
            float(x)
            for x in precision_recall_fscore_support(
                truth, predicted, labels=question["labels"], average=average, zero_division=0
            )[:3]
        ]
        for average in ("macro", "micro")
    }


def bootstrap(question):
    """The percentile interval of macro F1 over resampled photos."""
    from sklearn.metrics import f1_score

    truth, predicted = numpy.array(question["truth"]), numpy.array(question["predicted"])
    random = numpy.random.default_rng(7)
    values = []
    for _ in range(400):
        index = random.integers(0, len(truth), len(truth))
        values.append(
            f1_score(
                truth[index], predicted[index], labels=question["labels"], average="macro",
                zero_division=0,
            )
        )
    return [float(x) for x in numpy.percentile(values, [2.5, 97.5])]


def ranking(question):
    from sklearn.metrics import average_precision_score, precision_recall_curve

    truth, scores = question["truth"], question["scores"]
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    points = list(zip(thresholds, precision, recall))
    return {
        "ap": plain(average_precision_score(truth, scores)),
        "curve": [[float(x) for x in point] for point in reversed(points)],
    }


def coco(question):
    """COCO's evaluation of boxes: [photo, class, x, y, width, height, is a crowd, score or is
    ignored]."""
    import contextlib
    import io

    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def entry(index, row):
        photo, category, *box, is_crowd, last = row
        return {
            "id": index + 1, "image_id": photo, "category_id": category, "bbox": box,
            # COCO ignores a box whose area is out of range.
            "area": 1e12 if last is True else box[2] * box[3], "iscrowd": int(is_crowd), "score": last,
        }

    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {
            "images": [{"id": photo} for photo in range(question["photos"])],
            "categories": [{"id": one, "name": str(one)} for one in range(question["classes"])],
            "annotations": [entry(i, row) for i, row in enumerate(question["truth"])],
        }
        truth.createIndex()
        found = COCO()
        found.dataset = dict(truth.dataset)
        found.dataset["annotations"] = [entry(i, row) for i, row in enumerate(question["found"])]
        found.createIndex()
        evaluation = COCOeval(truth, found, "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    # overlaps, recalls, classes, areas, limits
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    recall = evaluation.eval["recall"][:, :, 0, -1]
    return {
        "map": plain(evaluation.stats[0]),
        "map50": plain(evaluation.stats[1]),
        "classes": [
            [plain(numpy.mean(numpy.where(one < 0, numpy.nan, one))) for one in precision[:, :, index]]
            for index in range(question["classes"])
        ],
        "recall": [
            None if recall[0, index] < 0 else float(recall[0, index])
            for index in range(question["classes"])
        ],
    }


question = json.load(sys.stdin)
answers = {
    "cohen": cohen,
    "fleiss": fleiss,
    "alpha": alpha,
    "dawid-skene": dawid_skene,
    "scores": scores,
    "calibration": calibration,
    "wilson": wilson,
    "means": means,
    "bootstrap": bootstrap,
    "ranking": ranking,
    "coco": coco,
}
json.dump([answers[one["kind"]](one) for one in question], sys.stdout)
