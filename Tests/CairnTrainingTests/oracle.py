"""Prints the probabilities of a model for images, from ONNX Runtime."""
import json
import sys

import numpy
import onnx
import onnxruntime

model, images = sys.argv[1:]
onnx.checker.check_model(onnx.load(model), full_check=True)
session = onnxruntime.InferenceSession(model)
pixels = numpy.fromfile(images, numpy.uint8).reshape(-1, 192, 192, 3).transpose(0, 3, 1, 2)
print(json.dumps([
    session.run(None, {"image": numpy.ascontiguousarray(image[None])})[0][0].tolist()
    for image in pixels]))
