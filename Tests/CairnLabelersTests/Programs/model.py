"""Trains a small network on generated images, exports it to ONNX and prints the expected scores.

    model.py DIR    writes DIR/net.onnx, DIR/net.json, the same network for bytes (bytes.onnx),
                    invalid models and images; prints the scores that onnxruntime gives for each
                    image as decoded by Pillow
"""

import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper
from PIL import Image

place = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(7)
SIDE = 16


def picture(kind, size):
    """Returns a noisy gradient, green on the left or red on the right."""
    width, height = size
    noise = random.integers(0, 90, (height, width, 3))
    ramp = numpy.linspace(0, 160, width).astype(int)
    noise[..., 1 if kind == 0 else 0] += ramp[::-1] if kind == 0 else ramp
    return Image.fromarray(noise.clip(0, 255).astype(numpy.uint8))


def prepared(image):
    short = 20
    long = int(short * max(image.size) / min(image.size))
    new = (short, long) if image.height > image.width else (long, short)
    image = image.resize(new, Image.Resampling.BILINEAR)
    left, top = round((new[0] - SIDE) / 2), round((new[1] - SIDE) / 2)
    image = image.crop((left, top, left + SIDE, top + SIDE))
    values = numpy.asarray(image).astype(numpy.float32) / numpy.float32(255)
    mean = numpy.array([0.485, 0.456, 0.406], numpy.float32)
    deviation = numpy.array([0.229, 0.224, 0.225], numpy.float32)
    return ((values - mean) / deviation).transpose(2, 0, 1)[None]


def save(name, weights, bias, shape=(1, 3, SIDE, SIDE), count=2, first=(), kind=TensorProto.FLOAT):
    nodes = [
        *first,
        helper.make_node("Flatten", ["numbers" if first else "image"], ["flat"], axis=1),
        helper.make_node("Gemm", ["flat", "weights", "bias"], ["scores"]),
    ]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("image", kind, shape)],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, (1, count))],
        [onnx.numpy_helper.from_array(weights.astype(numpy.float32), "weights"),
         onnx.numpy_helper.from_array(bias.astype(numpy.float32), "bias")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, place / name)


# Two classes by logistic regression: a trained network of one layer.
examples = numpy.concatenate([prepared(picture(i % 2, (40, 30))).reshape(1, -1) for i in range(60)])
wanted = numpy.array([i % 2 for i in range(60)])
weights, bias = numpy.zeros((2, examples.shape[1])), numpy.zeros(2)
for _ in range(8):
    logits = examples @ weights.T + bias
    powers = numpy.exp(logits - logits.max(1, keepdims=True))
    error = powers / powers.sum(1, keepdims=True) - numpy.eye(2)[wanted]
    weights -= 0.0004 * error.T @ examples / 60
    bias -= 0.0004 * error.mean(0)
save("net.onnx", weights.T, bias)

described = {
    "name": "net", "version": "2026-11",
    "input": {"resize": 20, "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]},
    "output": {"activation": "softmax"}, "classes": ["green", "red"],
}
(place / "net.json").write_text(json.dumps(described))

# The same network for bytes: the normalization of the pixels is part of its weights.
mean = numpy.repeat([0.485, 0.456, 0.406], SIDE * SIDE)
deviation = numpy.repeat([0.229, 0.224, 0.225], SIDE * SIDE)
cast = helper.make_node("Cast", ["image"], ["numbers"], to=TensorProto.FLOAT)
save("bytes.onnx", (weights / (255 * deviation)).T, bias - weights @ (mean / deviation),
     first=[cast], kind=TensorProto.UINT8)
(place / "bytes.json").write_text(json.dumps(described | {"input": {"resize": 20}}))

# Scores that are not numbers.
save("nan.onnx", weights.T * numpy.nan, bias)
(place / "nan.json").write_text(json.dumps(described))

# Models that do not fit their descriptions.
save("vector.onnx", numpy.zeros((4, 2)), bias, shape=(1, 4))
(place / "vector.json").write_text(json.dumps(described))
save("three.onnx", numpy.zeros((3 * SIDE * SIDE, 3)), numpy.zeros(3), count=3)
(place / "three.json").write_text(json.dumps(described))
save("size.onnx", weights.T, bias)
(place / "size.json").write_text(json.dumps(described | {"input": {"width": 224, "height": 224}}))
(place / "broken.onnx").write_bytes(b"\x08\x07this is no model")
(place / "broken.json").write_text(json.dumps(described))
save("bare.onnx", weights.T, bias)
save("nameless.onnx", weights.T, bias)
(place / "nameless.json").write_text(json.dumps({"classes": []}))

session = onnxruntime.InferenceSession(str(place / "net.onnx"), providers=["CPUExecutionProvider"])
answers = {}
for index, size in enumerate([(16, 16), (20, 20), (40, 30), (30, 40), (333, 97), (640, 480), (17, 300)]):
    for suffix, options in [("png", {}), ("jpg", {"quality": 90})]:
        path = place / f"image-{index}.{suffix}"
        picture(index % 2, size).save(path, **options)
        with Image.open(path) as image:
            logits = session.run(None, {"image": prepared(image.convert("RGB"))})[0][0].astype(float)
        powers = numpy.exp(logits - logits.max())
        answers[path.name] = (powers / powers.sum()).tolist()
print(json.dumps(answers))
