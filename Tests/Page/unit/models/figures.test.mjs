import assert from "node:assert/strict";
import test from "node:test";

import {
  binaryMatrix, confusionMatrix, learningCurve, peopleMatrix, precisionRecall, reliability,
} from "../../../../Sources/CairnServer/Page/models/figures.js";

/** Returns the elements of a tree with a tag. */
function all(tree, tag) {
  if (typeof tree === "string") return [];
  return [...(tree.tag === tag ? [tree] : []), ...tree.children.flatMap((child) => all(child, tag))];
}

const text = {
  title: "Calibration", x: "Confidence", y: "Accuracy", percent: (x) => `${x * 100}%`,
  describe: (point) => JSON.stringify(point),
};

function matrix(opened) {
  return confusionMatrix(
    { set: "tree", classes: ["elm", "oak"], names: ["Elm", "Oak"], matrix: [[12, 1], [0, 30]], none: [2, 0] },
    {
      caption: "tree", truth: "Truth", prediction: "Prediction", none: "none",
      describe: (truth, prediction, count) => `${truth} as ${prediction}: ${count}`,
      open: (truth, prediction) => opened.push([truth, prediction]),
    });
}

test("a confusion matrix has the numbers of its rows and columns", () => {
  const cells = all(matrix([]), "tr").slice(1).map((row) => row.children.slice(1)
    .map((cell) => all(cell, "button")[0]?.children[0] ?? cell.children[0]));
  assert.deepEqual(cells, [["12", "1", "2"], ["0", "30", "0"]]);
});

test("a cell with photos is a button that opens them, with class keys", () => {
  const opened = [];
  const buttons = all(matrix(opened), "button");
  assert.deepEqual(buttons.map((button) => button.props["aria-label"]),
    ["Elm as Elm: 12", "Elm as Oak: 1", "Elm as none: 2", "Oak as Oak: 30"]);
  buttons[1].props.onclick();
  buttons[2].props.onclick();
  assert.deepEqual(opened, [["elm", "oak"], ["elm", null]]);
});

test("a cell whose photos are not known is text", () => {
  const tree = confusionMatrix({ set: "", classes: ["a"], names: ["A"], matrix: [[3]], none: [] },
    { caption: "", truth: "", prediction: "", none: null, open: null, describe: () => "3 photos" });
  assert.deepEqual(all(tree, "button"), []);
  assert.deepEqual(all(all(tree, "td")[0], "span").map((cell) => [cell.props.title, cell.children[0]]),
    [["3 photos", "3"]]);
});

test("the color of a cell is its part of the row", () => {
  const parts = all(matrix([]), "td").map((cell) => cell.props.style);
  assert.deepEqual(parts.slice(0, 3), ["--part: 0.800", "--part: 0.067", "--part: 0.133"]);
  const [elm, wrong, none, zero, oak] = all(matrix([]), "td").map((cell) => cell.props.class);
  assert.deepEqual([elm, wrong, none, zero, oak],
    ["cell-right", "cell-wrong", "cell-wrong", "cell-zero", "cell-right"]);
});

test("a row without photos has no color", () => {
  const empty = confusionMatrix({ set: "", classes: ["a"], names: ["A"], matrix: [[0]], none: [0] },
    { caption: "", truth: "", prediction: "", none: "", describe: () => "", open: () => {} });
  assert.deepEqual(all(empty, "td").map((cell) => cell.props.style), ["--part: 0.000", "--part: 0.000"]);
});

test("the matrix of one class", () => {
  const counts = { truePositives: 40, falsePositives: 3, falseNegatives: 5, trueNegatives: 100 };
  assert.deepEqual(binaryMatrix(counts, { present: "yes", absent: "no" }).matrix, [[40, 5], [3, 100]]);
});

test("a reliability diagram has a bar for each bin with photos", () => {
  const bins = [
    { from: 0, to: 0.1, count: 0, confidence: null, accuracy: null },
    { from: 0.5, to: 0.6, count: 4, confidence: 0.55, accuracy: 0.25 },
    { from: 0.9, to: 1, count: 16, confidence: 0.95, accuracy: 1 },
  ];
  const bars = all(reliability(bins, text), "rect").filter((rect) => rect.props.class === "bar");
  assert.equal(bars.length, 2);
  // The area is proportional to the number of photos: a quarter has half the width.
  assert.ok(Math.abs(bars[0].props.width / bars[1].props.width - 0.5) < 1e-9);
  assert.ok(Math.abs(bars[1].props.height / bars[0].props.height - 4) < 1e-9);
  const bottom = (bar) => bar.props.y + bar.props.height;
  assert.ok(Math.abs(bottom(bars[0]) - bottom(bars[1])) < 1e-9);
});

test("a curve goes through its points in their order", () => {
  const curve = [
    { threshold: 0.9, precision: 1, recall: 0.4 }, { threshold: 0.5, precision: 0.5, recall: 1 },
  ];
  const tree = precisionRecall(curve, text);
  const [line] = all(tree, "polyline");
  const [first, second] = line.props.points.split(" ").map((pair) => pair.split(",").map(Number));
  assert.ok(first[0] < second[0] && first[1] < second[1]);
  assert.equal(all(tree, "circle").length, 2);
  assert.equal(tree.props["aria-label"], "Calibration");
});

/** Ann and Bob agree well, Bob and Eve do not; Ann and Eve share nothing. */
function people(opened = []) {
  return peopleMatrix(["ann", "bob", "eve"], [
    { first: "ann", second: "bob", kappa: 0.8, same: 9, different: 1 },
    { first: "bob", second: "eve", kappa: -0.2, same: 4, different: 0 },
  ], {
    caption: "Oak", name: (person) => person.toUpperCase(), number: (x) => x === null ? "–" : x.toFixed(2),
    describe: ({ first, second }, agreed) => `${first} ${second} ${agreed}`,
    open: ({ first, second }, agreed) => opened.push([first, second, agreed]),
  });
}

test("the matrix of people has kappa below the diagonal, and differences above it", () => {
  const cells = all(people(), "tr").slice(1).map((row) => row.children.slice(1)
    .map((cell) => all(cell, "button")[0]?.children[0] ?? cell.children[0]));
  assert.deepEqual(cells, [["", "1", "–"], ["0.80", "", "0"], ["–", "-0.20", ""]]);
  assert.deepEqual(all(people(), "th").map((head) => all(head, "span")[0]?.children[0] ?? head.children[0]),
    ["ANN", "BOB", "EVE", "ANN", "BOB", "EVE"]);
});

test("a cell of the matrix of people opens its photos", () => {
  const opened = [];
  for (const button of all(people(opened), "button")) button.props.onclick();
  assert.deepEqual(opened, [["ann", "bob", false], ["ann", "bob", null], ["bob", "eve", null]]);
});

test("the color of two people tells how well they agree", () => {
  const cells = all(people(), "td").filter((cell) => all(cell, "button").length > 0);
  assert.deepEqual(cells.map(({ props }) => [props.class, props.style]),
    [["cell-right", "--part: 0.800"], ["cell-right", "--part: 0.800"], ["cell-wrong", "--part: 1.000"]]);
});

test("a learning curve has a mark for each number of labels, and a point if its figure is known", () => {
  const points = [
    { labelsPerClass: 2, macroF1: null }, { labelsPerClass: 5, macroF1: 0.5 }, { labelsPerClass: 20, macroF1: 1 },
  ];
  const tree = learningCurve(points, { ...text, count: (labels) => `${labels} labels` });
  const [half, full] = all(tree, "circle").map(({ props }) => props);
  assert.equal(all(tree, "circle").length, 2);
  const marks = all(tree, "text").filter((mark) => mark.children[0].includes("labels"));
  assert.deepEqual(marks.map((mark) => mark.children[0]), ["2 labels", "5 labels", "20 labels"]);
  assert.deepEqual([marks[1].props.x, marks[2].props.x], [half.cx, full.cx]);
  assert.ok(half.cy > full.cy && half.cx < full.cx);
});
