"""Computes the metrics of `cairn agreement` and `cairn evaluate` from the documents of a dataset in
a directory, with scikit-learn, statsmodels and krippendorff. Prints one JSON value; figures that
are undefined are null.

It implements the rules for labels independently: a person's latest label of a class counts, under
any key and address, unless it is withdrawn; labels of regions; exclusive sets.
"""
import itertools
import json
import math
import pathlib
import re
import sys
import warnings

import krippendorff
import numpy
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    cohen_kappa_score,
    confusion_matrix,
    precision_recall_fscore_support,
)
from statsmodels.stats.inter_rater import fleiss_kappa

warnings.filterwarnings("ignore")
top = pathlib.Path(sys.argv[1])


def documents(kind):
    return [json.loads(path.read_text()) for path in sorted((top / kind).rglob("*.json"))]


def plain(value):
    return None if value is None or math.isnan(value) else float(value)


mailmap = {}
if (top / ".mailmap").exists():
    for line in (top / ".mailmap").read_text().splitlines():
        proper, other = re.findall("<(.*?)>", line)
        mailmap["human:" + other] = "human:" + proper
classes = {one["key"]: one for one in documents("classes")}
removed = {one["id"] for one in documents("photos") if one["removed"]["value"]}


def canonical(key):
    while classes.get(key, {}).get("aliasOf", {}).get("value"):
        key = classes[key]["aliasOf"]["value"]
    return key


def set_of(key):
    return classes.get(key, {}).get("set", {}).get("value")


photos = {}
for label in documents("labels"):
    if label["photo"] in removed:
        continue
    label["class"] = canonical(label["class"])
    label["who"] = mailmap.get(label["annotator"], label["annotator"])
    photos.setdefault(label["photo"], []).append(label)


def votes_on(labels):
    """Returns the votes on each class of a photo: {(person, class): (is present, stamp)}."""
    votes = {}
    key = lambda one: (one["who"], one["class"])
    people = sorted((l for l in labels if l["who"].startswith("human:")), key=key)
    for who, group in itertools.groupby(people, key):
        group = sorted(group, key=lambda one: one["stamp"])
        whole = [one for one in group if "region" not in one][-1:]
        boxes = [one for one in group if "region" in one and one["verdict"] != "withdrawn"]
        last = whole[0] if whole and whole[0]["verdict"] != "withdrawn" else None
        if last:
            boxes = [
                b for b in boxes if b["stamp"] > last["stamp"] or b["verdict"] == last["verdict"]
            ]
        counted = boxes + ([last] if last else [])
        if counted:
            votes[who] = (
                any(one["verdict"] == "present" for one in counted),
                max(one["stamp"] for one in counted if one["verdict"] == "present")
                if any(one["verdict"] == "present" for one in counted)
                else counted[0]["stamp"],
            )
    return votes


def rate(labels):
    """Returns the ratings of a photo: {class: {person: bool}} and {set: {person: class}}."""
    votes = votes_on(labels)
    choices = {}
    for (who, name), (is_present, stamp) in votes.items():
        if is_present and set_of(name):
            best = choices.setdefault(set_of(name), {}).get(who)
            if best is None or best[1] < stamp:
                choices[set_of(name)][who] = (name, stamp)
    ratings = {}
    for (who, name), (is_present, _) in votes.items():
        ratings.setdefault(name, {})[who] = is_present
    for name in classes:
        for who, (choice, _) in choices.get(set_of(name), {}).items():
            ratings.setdefault(name, {})[who] = choice == name
    choices = {s: {w: c for w, (c, _) in by.items()} for s, by in choices.items()}
    return ratings, choices


def agreement(units):
    """Returns the figures of units, each {person: category}."""
    shared = [unit for unit in units if len(unit) > 1]
    people = sorted({who for unit in units for who in unit})
    names = sorted({category for unit in units for category in unit.values()})
    number = {name: index for index, name in enumerate(names)}
    pairs = [
        (a, b) for unit in shared for a, b in itertools.combinations(unit.values(), 2)
    ]
    row = {
        "photos": len(shared),
        "ratedPhotos": len(units),
        "ratings": sum(map(len, units)),
        "people": len({who for unit in shared for who in unit}),
        "agreement": sum(a == b for a, b in pairs) / len(pairs) if pairs else None,
        "alpha": None,
        "fleissKappa": None,
        "fleissPhotos": 0,
        "pairs": {},
    }
    if len({category for unit in shared for category in unit.values()}) > 1:
        table = [[number.get(unit.get(who), numpy.nan) for unit in units] for who in people]
        row["alpha"] = plain(
            krippendorff.alpha(numpy.array(table, float), level_of_measurement="nominal")
        )
    if shared:
        sizes = [len(unit) for unit in shared]
        size = max(set(sizes), key=lambda n: (sizes.count(n), n))
        equal = [unit for unit in shared if len(unit) == size]
        counts = [[list(unit.values()).count(name) for name in names] for unit in equal]
        row["fleissPhotos"] = len(equal)
        row["fleissKappa"] = plain(fleiss_kappa(numpy.array(counts)))
    for a, b in itertools.combinations(people, 2):
        both = [(number[unit[a]], number[unit[b]]) for unit in units if a in unit and b in unit]
        if both:
            first, second = zip(*both)
            kappa = cohen_kappa_score(first, second)
            row["pairs"][f"{a} {b}"] = {
                "photos": len(both),
                "agreement": sum(x == y for x, y in both) / len(both),
                "kappa": plain(kappa),
            }
    return row


def consensus(units):
    """Returns the estimate of the policy dawid-skene, {photo: {category: probability}}, for the
    photos on which people disagree. An independent implementation of the rule in Metrics.md."""
    units = {photo: unit for photo, unit in units.items() if len(unit) > 1}
    names = sorted({c for unit in units.values() for c in unit.values()} | extra(units), key=str)
    likely = {
        photo: {c: list(unit.values()).count(c) / len(unit) for c in set(unit.values())}
        for photo, unit in units.items()
    }

    def weigh(unit, share, prior):
        values = {c: prior.get(c, 1.0) for c in set(unit.values())}
        for truth in values:
            for who, vote in unit.items():
                values[truth] *= share(who, truth, vote)
        return {c: v / sum(values.values()) for c, v in values.items()}

    for _ in range(100):
        counts, rows, truths = {}, {}, {}
        for photo, unit in units.items():
            for truth, p in likely[photo].items():
                truths[truth] = truths.get(truth, 0) + p
                for who, vote in unit.items():
                    counts[who, truth, vote] = counts.get((who, truth, vote), 0) + p
                    rows[who, truth] = rows.get((who, truth), 0) + p

        def share(who, truth, vote):
            before = 4 if truth == vote else 1 / (len(names) - 1)
            return (counts.get((who, truth, vote), 0) + before) / (rows.get((who, truth), 0) + 5)

        prior = {c: (truths.get(c, 0) + 1) / (len(units) + len(names)) for c in names}
        last = likely
        likely = {photo: weigh(unit, share, prior) for photo, unit in units.items()}
        change = max(
            abs(likely[photo][c] - last[photo][c]) for photo in units for c in likely[photo]
        )
        if change <= 1e-9:
            break
    result = {}
    for photo, unit in units.items():
        if len(set(unit.values())) > 1:
            # No vote is evidence against its own category.
            def fair(who, truth, vote):
                return min(share(who, truth, vote), share(who, vote, vote))

            known, even = weigh(unit, fair, prior), weigh(unit, fair, {})
            result[photo] = {str(c): min(known[c], even[c]) for c in known}
    return result


def extra(units):
    """Returns both verdicts for units of a class, even if nobody gave one of them."""
    given = {c for unit in units.values() for c in unit.values()}
    return {True, False} if given <= {True, False} else set()


by_class, by_set, truths = {}, {}, {}
units_of = {}
for photo, labels in photos.items():
    ratings, choices = rate(labels)
    for name, unit in ratings.items():
        units_of.setdefault(name, {})[photo] = unit
        by_class.setdefault(name, []).append(unit)
    for name, unit in choices.items():
        units_of.setdefault("set " + name, {})[photo] = unit
        by_set.setdefault(name, []).append(unit)
    truth = truths[photo] = {}
    for name, unit in ratings.items():
        yes = sum(unit.values())
        rivals = [list(choices.get(set_of(name), {}).values()).count(c) for c in classes if c != name]
        no = max(rivals) if set_of(name) else len(unit) - yes
        truth[name] = None if yes == no else yes > no


def confirmed_in_set(truth, name):
    return next((c for c, is_true in truth.items() if is_true and set_of(c) == name), None)


def means(truth, guess, labels):
    """Returns macro and micro precision, recall and F1."""
    return {
        average: [
            plain(x)
            for x in precision_recall_fscore_support(
                numpy.array(truth), numpy.array(guess), labels=labels, average=average,
                zero_division=0,
            )[:3]
        ]
        for average in ("macro", "micro")
    }


models = {}
for photo, labels in photos.items():
    for label in labels:
        if label["who"].startswith("model:") and label["verdict"] != "withdrawn":
            predictions = models.setdefault(label["who"][6:], {}).setdefault(photo, {})
            prediction = (label["verdict"] == "present", label["confidence"])
            predictions[label["class"]] = max(
                predictions.get(label["class"], prediction), prediction)


def evaluate(predictions):
    named = {name for of_photo in predictions.values() for name in of_photo}
    result = {"photos": len(predictions), "classes": {}, "sets": {}, "disputed": 0, "withoutGroundTruth": 0}
    outcomes, by_name, by_choice, by_best, by_score = [], {}, {}, {}, {}
    for photo, of_photo in predictions.items():
        truth = truths[photo]
        predicted, surest, best = {}, {}, {}
        for name, (is_present, confidence) in of_photo.items():
            predicted[name] = is_present and confidence >= 0.5
            if is_present and set_of(name):
                best[set_of(name)] = max(best.get(set_of(name), (-1, "none")), (confidence, name))
            if predicted[name] and set_of(name):
                surest[set_of(name)] = max(surest.get(set_of(name), (0, "")), (confidence, name))
            if name not in truth:
                result["withoutGroundTruth"] += 1
            elif truth[name] is None:
                result["disputed"] += 1
            else:
                outcomes.append((confidence, is_present == truth[name]))
        for name in named:
            if truth.get(name) is not None:
                guess = predicted.get(name, False)
                if set_of(name):
                    guess = surest.get(set_of(name), (0, ""))[1] == name
                by_name.setdefault(name, []).append((truth[name], guess))
                is_present, confidence = of_photo.get(name, (True, 0))
                score = confidence if is_present else 1 - confidence
                by_score.setdefault(name, []).append((photo, truth[name], guess, score))
        for name in {set_of(c) for c in named} - {None}:
            if confirmed_in_set(truth, name):
                guess = surest.get(name, (0, "none"))[1]
                by_choice.setdefault(name, []).append((confirmed_in_set(truth, name), guess))
                guess = best.get(name, (0, "none"))[1]
                by_best.setdefault(name, []).append((confirmed_in_set(truth, name), guess))
    for name, pairs in by_name.items():
        truth, guess = zip(*pairs)
        p, r, f, _ = precision_recall_fscore_support(
            truth, guess, labels=[True], average=None, zero_division=numpy.nan
        )
        result["classes"][name] = {
            "photos": len(pairs),
            "accuracy": plain(accuracy_score(truth, guess)),
            "precision": plain(p[0]),
            "recall": plain(r[0]),
            "f1": plain(f[0]),
            "averagePrecision": plain(
                average_precision_score(truth, [score for *_, score in by_score[name]])
            ),
        }
    for name, pairs in by_choice.items():
        truth, guess = zip(*pairs)
        best_truth, best_guess = zip(*by_best[name])
        labels = sorted(set(truth) | set(best_guess) - {"none"})
        table = confusion_matrix(truth, guess, labels=labels + ["none"])
        result["sets"][name] = {
            "classes": labels,
            "accuracy": plain(accuracy_score(truth, guess)),
            "matrix": table[:-1, :-1].tolist(),
            "none": table[:-1, -1].tolist(),
            "top1": plain(accuracy_score(best_truth, best_guess)),
            **means(best_truth, best_guess, labels),
        }
    # The classes in no set, as a multi-label problem. A photo whose class is not known is neither
    # right nor wrong about it.
    free = sorted(name for name in by_name if not set_of(name))
    indicator = {}
    for column, name in enumerate(free):
        for photo, truth, guess, _ in by_score[name]:
            row = indicator.setdefault(photo, ([0] * len(free), [0] * len(free)))
            row[0][column], row[1][column] = int(truth), int(guess)
    rows = list(indicator.values())
    result["independent"] = {
        **means([r[0] for r in rows], [r[1] for r in rows], list(range(len(free)))),
        "meanAveragePrecision": sum(
            result["classes"][name]["averagePrecision"] for name in free
        ) / len(free),
    }
    if outcomes:
        confidence = numpy.array([c for c, _ in outcomes])
        right = numpy.array([int(r) for _, r in outcomes])
        accuracies, confidences = calibration_curve(right, confidence, n_bins=10)
        bins = numpy.searchsorted(numpy.linspace(0, 1, 11)[1:-1], confidence)
        counts = [int(n) for n in numpy.bincount(bins, minlength=10) if n]
        result["bins"] = [list(x) for x in zip(counts, accuracies, confidences)]
        result["error"] = sum(
            n / len(right) * abs(a - c) for n, a, c in zip(counts, accuracies, confidences)
        )
    return result


json.dump(
    {
        "classes": {name: agreement(units) for name, units in by_class.items()},
        "sets": {name: agreement(units) for name, units in by_set.items()},
        "consensus": {
            name: consensus(units)
            for name, units in units_of.items()
            if not set_of(name) and any(len(unit) > 1 for unit in units.values())
        },
        "models": {name: evaluate(predictions) for name, predictions in models.items()},
    },
    sys.stdout,
)
