"""Computes mAP of each model from the documents of a dataset in a directory, with pycocotools.

Boxes are in pixels of the photos, with two decimals where these say the same, as `cairn export
coco` writes them.

The images are the photos on which a person drew a box or labeled a class as absent. A class is
left out of a photo where a person says that it is there but not where, and of a photo without any
person's box unless a person says that it is absent.
"""
import contextlib
import io
import json
import pathlib
import sys

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

top = pathlib.Path(sys.argv[1])
labels = [json.loads(path.read_text()) for path in sorted((top / "labels").rglob("*.json"))]
classes = sorted({label["class"] for label in labels})
photos = sorted({label["photo"] for label in labels})
people = [label for label in labels if label["annotator"].startswith("human:")]
drawn = {label["photo"] for label in people if "region" in label}
sizes = {
    image["id"]: (image["image"]["width"], image["image"]["height"])
    for image in (json.loads(path.read_text()) for path in (top / "photos").rglob("*.json"))
}
whole = {
    (label["photo"], label["class"]): label["verdict"]
    for label in people
    if "region" not in label
}


def is_measured(photo, name):
    verdict = whole.get((photo, name))
    return verdict == "absent" or (verdict is None and photo in drawn)


def pixels(region, photo):
    def rounded(fraction, size):
        exact = fraction * size
        short = round(exact, 2)
        return short if abs(short - exact) <= 1.5e-9 * size else round(exact, 9)

    width, height = sizes[photo]
    return [
        rounded(region[key], size)
        for key, size in (("x", width), ("y", height), ("width", width), ("height", height))
    ]


def dataset(rows):
    coco = COCO()
    coco.dataset = {
        "images": [{"id": index} for index in range(len(photos))],
        "categories": [{"id": index} for index in range(len(classes))],
        "annotations": [
            {
                "id": number + 1,
                "image_id": photos.index(row["photo"]),
                "category_id": classes.index(row["class"]),
                "bbox": pixels(row["region"], row["photo"]),
                "area": 1,
                "iscrowd": int(row["region"].get("crowd", False)),
                "score": row["confidence"],
            }
            for number, row in enumerate(rows)
            if "region" in row and is_measured(row["photo"], row["class"])
        ],
    }
    coco.createIndex()
    return coco


result = {}
with contextlib.redirect_stdout(io.StringIO()):
    truth = dataset(people)
    for model in sorted({l["annotator"] for l in labels} - {l["annotator"] for l in people}):
        found = dataset([label for label in labels if label["annotator"] == model])
        evaluation = COCOeval(truth, found, "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
        precision = evaluation.eval["precision"][:, :, :, 0, -1]
        result[model[6:]] = {
            "map": float(evaluation.stats[0]),
            "map50": float(evaluation.stats[1]),
            "classes": {
                name: {"ap": float(precision[:, :, i].mean()), "ap50": float(precision[0, :, i].mean())}
                for i, name in enumerate(classes)
            },
        }
json.dump(result, sys.stdout)
