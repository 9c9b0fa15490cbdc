#!/usr/bin/env python3
"""A labeler for cairn: runs a model on the images that cairn requests.

    cairn labeler add trees --program python3 labeler.py trees.onnx
    cairn labeler add trees --program python3 labeler.py trees.pt          a TorchScript module
    cairn labeler add vit   --program python3 labeler.py google/vit-base-patch16-224

A model file needs a description next to it (trees.json); the page “Labelers” of cairn's documentation
defines its members. The program needs Pillow and NumPy, and onnxruntime, torch or transformers, depending
on the model.

It implements version 1 of the protocol for programs on that page: one line of JSON for each request on its
standard input, and one for each answer on its standard output. To run another kind of model, replace
`open_model`.
"""

import hashlib
import json
import math
import os
import pathlib
import sys


def describe(path):
    """Returns the description next to a model, its classes, and the model's name, version and digest.

    Without a name or a version in the description, they come from the file's name and hash.
    """
    file = pathlib.Path(path)
    described = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    classes = described["classes"]
    if isinstance(classes, str):
        classes = file.with_name(classes).read_text(encoding="utf-8").splitlines()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    hello = {
        "name": described.get("name", file.stem),
        "version": described.get("version", digest[:12]),
        "digest": digest,
    }
    return described, classes, hello


def pixels(path, wanted, size=None, raw=False):
    """Returns an image as the model's input, an array of 1×3×height×width or 1×height×width×3.

    A model that takes bytes (`raw`) gets them without scaling, mean and deviation.
    """
    import numpy
    from PIL import Image, ImageOps

    with Image.open(path) as opened:
        image = ImageOps.exif_transpose(opened)
        if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
            image = image.convert("RGBA")
            white = Image.new("RGBA", image.size, "white")
            image = Image.alpha_composite(white, image)
        image = image.convert("RGB")
    width = wanted.get("width") or size[0]
    height = wanted.get("height") or size[1]
    filters = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
    resample = filters[wanted.get("filter", "bilinear")]
    if wanted.get("fit", "crop") == "stretch":
        image = image.resize((width, height), resample)
    else:
        short = wanted.get("resize") or max(width, height)
        long = int(short * max(image.size) / min(image.size))
        new = (short, long) if image.height > image.width else (long, short)
        image = image.resize(new, resample)
        left, top = round((new[0] - width) / 2), round((new[1] - height) / 2)
        image = image.crop((left, top, left + width, top + height))
    values = numpy.asarray(image)
    if wanted.get("channels", "rgb") == "bgr":
        values = values[..., ::-1]
    if not raw:
        values = values.astype(numpy.float32) * numpy.float32(wanted.get("scale", 1 / 255))
        values = values - numpy.asarray(wanted.get("mean", [0, 0, 0]), numpy.float32)
        values = values / numpy.asarray(wanted.get("std", [1, 1, 1]), numpy.float32)
    if wanted.get("layout", "nchw") == "nchw":
        values = values.transpose(2, 0, 1)
    return numpy.ascontiguousarray(values[None])


def activated(values, activation):
    import numpy

    values = numpy.asarray(values, numpy.float64).reshape(-1)
    if activation == "softmax":
        powers = numpy.exp(values - values.max())
        return powers / powers.sum()
    if activation == "sigmoid":
        return 1 / (1 + numpy.exp(-values))
    return values


def open_onnx(path):
    import onnxruntime

    described, classes, hello = describe(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wanted, (entry,) = described.get("input", {}), session.get_inputs()
    output = described.get("output", {})
    name = output.get("name") or session.get_outputs()[0].name
    isFirst = wanted.get("layout", "nchw") == "nchw"
    size = (entry.shape[3], entry.shape[2]) if isFirst else (entry.shape[2], entry.shape[1])

    raw = entry.type == "tensor(uint8)"

    def predict(image):
        (values,) = session.run([name], {entry.name: pixels(image, wanted, size, raw)})
        scores = activated(values, output.get("activation", "none"))
        return [{"name": n, "score": float(s)} for n, s in zip(classes, scores, strict=True)]

    return hello, predict


def open_torch(path):
    import torch

    described, classes, hello = describe(path)
    model = torch.jit.load(path, map_location="cpu").eval()
    wanted, output = described.get("input", {}), described.get("output", {})

    def predict(image):
        with torch.inference_mode():
            values = model(torch.from_numpy(pixels(image, wanted))).numpy()
        scores = activated(values, output.get("activation", "none"))
        return [{"name": n, "score": float(s)} for n, s in zip(classes, scores, strict=True)]

    return hello, predict


def open_transformers(name):
    import transformers

    pipeline = transformers.pipeline("image-classification", model=name)
    revision = getattr(pipeline.model.config, "_commit_hash", None) or "main"

    def predict(image):
        return [{"name": r["label"], "score": float(r["score"])} for r in pipeline(image, top_k=20)]

    return {"name": name, "version": revision[:12]}, predict


def open_model(name):
    """Returns the model's name and version, and a function that returns the labels of an image file."""
    if name.endswith(".onnx"):
        return open_onnx(name)
    if name.endswith((".pt", ".pth")):
        return open_torch(name)
    return open_transformers(name)


def main():
    # Keep the messages that libraries print out of the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(message):
        # NaN, which Python would write, is not valid JSON.
        answers.write(json.dumps(message, allow_nan=False) + "\n")
        answers.flush()

    hello, predict = open_model(sys.argv[1])
    say({"cairn": "labeler", "protocol": 1, **hello})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            labels = predict(request["path"])
            if not all(math.isfinite(label["score"]) for label in labels):
                raise ValueError("a score is not a number")
            say({"id": request["id"], "labels": labels})
        except Exception as error:
            say({"id": request["id"], "error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
