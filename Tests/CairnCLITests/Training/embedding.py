"""Makes models that describe images, and runs a model.

    embedding.py make DIR          writes DIR/net.onnx with its description, and models that cannot be used
    embedding.py run MODEL IMAGE…  prints the last output that onnxruntime gives for images of 96 × 96 pixels
"""
import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

SIDE, FILTERS = 96, 24
DESCRIPTION = {
    "input": {"fit": "stretch", "mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]},
    "output": {"name": "features"},
}


def make(place):
    random = numpy.random.default_rng(3)
    kernel = random.normal(0, 0.3, (FILTERS, 3, 7, 7)).astype(numpy.float32)
    kernel -= kernel.mean((2, 3), keepdims=True)
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["edges"], strides=[2, 2]),
        helper.make_node("Relu", ["edges"], ["positive"]),
        helper.make_node("Mul", ["positive", "positive"], ["squares"]),
        helper.make_node("Concat", ["positive", "squares"], ["map"], axis=1),
        helper.make_node("GlobalAveragePool", ["map"], ["features"]),
    ]

    def save(name, weights, opset=13, description=DESCRIPTION, side=SIDE):
        graph = helper.make_graph(
            nodes, "net",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, (1, 3, side, side))],
            [helper.make_tensor_value_info("map", TensorProto.FLOAT, (1, 2 * FILTERS, 45, 45)),
             helper.make_tensor_value_info("features", TensorProto.FLOAT, (1, 2 * FILTERS, 1, 1))],
            [numpy_helper.from_array(weights, "kernel")])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        onnx.save(model, place / f"{name}.onnx")
        if description:
            (place / f"{name}.json").write_text(json.dumps(description))
        return model

    save("net", kernel)
    save("other", kernel[:, ::-1].copy())
    save("bare", kernel, description=None)
    save("tokens", kernel, description={**DESCRIPTION, "output": {"name": "map"}})
    # The numbers of a tensor are moved to another file only if there are many.
    onnx.save(
        save("split", kernel), place / "split.onnx", save_as_external_data=True,
        location="weights", size_threshold=0)
    nodes[-1] = helper.make_node("GlobalAveragePool", ["map"], ["cairn_weights"])
    nodes.append(helper.make_node("Identity", ["cairn_weights"], ["features"]))
    save("names", kernel)


def run(path, images):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    answers = []
    for image in images:
        values = numpy.asarray(Image.open(image).convert("RGB")).astype(numpy.float32) / 255
        values = ((values - 0.5) / 0.25).transpose(2, 0, 1)[None].astype(numpy.float32)
        scores = session.run(["probabilities"], {"image": values})[0][0].tolist()
        answers.append(dict(zip(metadata["cairn.classes"].split("\n"), scores)))
    print(json.dumps(answers))


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    run(sys.argv[2], sys.argv[3:])
