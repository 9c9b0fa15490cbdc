// @ts-check
/**
 * @file Figures of models and people, as trees of elements. Pure: `render` makes elements of a
 * tree; everything else works without a page.
 */

/**
 * @typedef {object} Tree An element: HTML, or SVG if its tag is one of SVG's.
 * @property {string} tag
 * @property {Record<string, string|number|(() => void)>} props attributes, and `onclick`
 * @property {(Tree|string)[]} children
 */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "line", "circle", "text", "title", "polyline"]);

/**
 * @param {string} tag
 * @param {Tree["props"]} props
 * @param {...(Tree|string)} children
 * @returns {Tree}
 */
export function node(tag, props, ...children) {
  return { tag, props, children };
}

/**
 * Makes elements of a tree; text stays text.
 * @param {Tree} tree
 * @returns {Element}
 */
export function render({ tag, props, children }) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(/** @type {HTMLElement} */ (element), String(value));
    else element.setAttribute(name, String(value));
  }
  element.append(...children.map((child) => typeof child === "string" ? child : render(child)));
  return element;
}

/**
 * Sets custom properties: a style attribute is not allowed on the page.
 * @param {HTMLElement} element
 * @param {string} text `--name: value; …`
 */
function setStyle(element, text) {
  for (const part of text.split(";")) {
    const [name, value] = part.split(":").map((piece) => piece.trim());
    if (name && value) element.style.setProperty(name, value);
  }
}

/** @typedef {{set: string, classes: string[], names: string[], matrix: number[][], none: number[]}} Matrix */

/**
 * @typedef {object} MatrixOptions
 * @property {string} caption
 * @property {string} truth heading of the rows
 * @property {string} prediction heading of the columns
 * @property {string|null} none heading of the column “no prediction”; null: there is none
 * @property {(truth: string, prediction: string, count: number) => string} describe a cell
 * @property {((truth: string, prediction: string|null) => void)|null} open called with class keys;
 *   null: the photos of a cell are not known
 */

/**
 * Returns a confusion matrix: rows are what is true, columns what was predicted. The stronger the
 * color of a cell, the larger its part of the row. A cell with photos is a button if they are known.
 * @param {Matrix} matrix
 * @param {MatrixOptions} options
 * @returns {Tree}
 */
export function confusionMatrix({ set, classes, names, matrix, none }, options) {
  const { open } = options;
  const heads = options.none === null ? names : [...names, options.none];
  const keys = /** @type {(string|null)[]} */ ([...classes, null]);
  const rows = names.map((name, truth) => {
    const counts = options.none === null ? matrix[truth] : [...matrix[truth], none[truth]];
    const total = counts.reduce((sum, value) => sum + value, 0);
    return node("tr", {}, node("th", { scope: "row" }, name), ...counts.map((value, column) => {
      const part = total > 0 ? value / total : 0;
      const right = column === truth;
      const props = {
        class: `cell-${value === 0 ? "zero" : right ? "right" : "wrong"}`,
        style: `--part: ${part.toFixed(3)}`,
      };
      if (value === 0) return node("td", props, "0");
      const text = options.describe(name, heads[column], value);
      if (!open) return node("td", props, node("span", { title: text }, String(value)));
      return node("td", props, node("button", {
        type: "button", "aria-label": text, title: text, "data-hold": `${set} ${classes[truth]} ${keys[column]}`,
        onclick: () => open(classes[truth], keys[column]),
      }, String(value)));
    }));
  });
  return node("table", { class: "matrix" }, node("caption", {}, options.caption),
    node("thead", {}, node("tr", {}, node("th", { class: "matrix-corner", scope: "col" },
      `${options.truth} ↓ ${options.prediction} →`),
    ...heads.map((name) => node("th", { scope: "col" }, node("span", {}, name))))),
    node("tbody", {}, ...rows));
}

/**
 * Returns the matrix of a class on its own: present or absent.
 * @param {{truePositives: number, falsePositives: number, falseNegatives: number,
 *   trueNegatives: number}} counts
 * @param {{present: string, absent: string}} names
 * @returns {Matrix}
 */
export function binaryMatrix(counts, { present, absent }) {
  return {
    set: "", classes: ["present", "absent"], names: [present, absent], none: [0, 0],
    matrix: [[counts.truePositives, counts.falseNegatives],
      [counts.falsePositives, counts.trueNegatives]],
  };
}

/**
 * @typedef {object} Pair The agreement of two people.
 * @property {string} first
 * @property {string} second
 * @property {number|null} kappa
 * @property {number} same photos that both rated the same
 * @property {number} different photos that they rated differently
 */

/**
 * @typedef {object} PeopleOptions
 * @property {string} caption
 * @property {(person: string) => string} name
 * @property {(pair: Pair, agreed: boolean|null) => string} describe a cell
 * @property {(pair: Pair, agreed: boolean|null) => void} open
 * @property {(kappa: number|null) => string} number
 */

/** From here on, agreement is called substantial. Source: Landis and Koch, 1977. */
const SUBSTANTIAL = 0.6;

/**
 * Returns a matrix of people: below the diagonal, the kappa of each two of them; above it, how often
 * they differ. Both are buttons: the first opens everything that the two rated, the second the
 * differences. The color tells how good the agreement is; two people who share nothing have no cell.
 * @param {string[]} people
 * @param {Pair[]} pairs
 * @param {PeopleOptions} options
 * @returns {Tree}
 */
export function peopleMatrix(people, pairs, options) {
  const found = new Map(pairs.flatMap((pair) => [
    [`${pair.first} ${pair.second}`, pair], [`${pair.second} ${pair.first}`, pair]]));
  /** @param {number} row @param {number} column */
  const cell = (row, column) => {
    const pair = found.get(`${people[row]} ${people[column]}`);
    if (!pair || row === column) return node("td", { class: "cell-zero" }, row === column ? "" : "–");
    const agreed = row < column ? false : null;
    const rate = pair.kappa ?? pair.same / Math.max(1, pair.same + pair.different);
    const good = rate >= SUBSTANTIAL;
    const props = {
      class: pair.different === 0 && agreed === false ? "cell-zero" : `cell-${good ? "right" : "wrong"}`,
      style: `--part: ${Math.max(0, Math.min(1, good ? rate : 1 - rate)).toFixed(3)}`,
    };
    const text = agreed === false ? String(pair.different) : options.number(pair.kappa);
    if (agreed === false && pair.different === 0) return node("td", props, text);
    return node("td", props, node("button", {
      type: "button", "aria-label": options.describe(pair, agreed), title: options.describe(pair, agreed),
      "data-hold": `${people[row]} ${people[column]}`,
      onclick: () => options.open(pair, agreed),
    }, text));
  };
  return node("table", { class: "matrix" }, node("caption", {}, options.caption),
    node("thead", {}, node("tr", {}, node("td", { class: "matrix-corner" }),
      ...people.map((person) => node("th", { scope: "col" }, node("span", {}, options.name(person)))))),
    node("tbody", {}, ...people.map((person, row) => node("tr", {},
      node("th", { scope: "row" }, options.name(person)), ...people.map((_, column) => cell(row, column))))));
}

// Charts: a square, from 0 to 1 from bottom to top and, unless other marks are given, from left to right

const SIDE = 240;
const EDGE = { left: 60, top: 12, right: 20, bottom: 40 };

/** @param {number} x */
const across = (x) => EDGE.left + x * SIDE;
/** @param {number} y */
const down = (y) => EDGE.top + (1 - y) * SIDE;

/**
 * @typedef {object} ChartText
 * @property {string} title what the figure shows, with its main number
 * @property {string} x
 * @property {string} y
 * @property {(x: number) => string} percent
 * @property {(point: any) => string} describe a point
 */

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/**
 * @param {string} kind
 * @param {ChartText} text
 * @param {Tree[]} marks
 * @param {{x: number, text: string}[]} scale below the chart, from 0 to 1
 */
function chart(kind, text, marks, scale = QUARTERS.map((x) => ({ x, text: text.percent(x) }))) {
  const width = EDGE.left + SIDE + EDGE.right;
  const height = EDGE.top + SIDE + EDGE.bottom;
  const lines = QUARTERS.flatMap((value) => [
    node("line", {
      class: "rule", x1: across(0), x2: across(1), y1: down(value), y2: down(value),
    }),
    node("text", { class: "tick", x: EDGE.left - 6, y: down(value) + 4, "text-anchor": "end" },
      text.percent(value)),
  ]);
  lines.push(...scale.map((mark) => node("text", {
    class: "tick", x: across(mark.x), y: down(0) + 16, "text-anchor": "middle",
  }, mark.text)));
  return node("svg", {
    class: `chart ${kind}`, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": text.title,
  }, ...lines, ...marks,
  node("text", { class: "axis", x: across(0.5), y: height - 6, "text-anchor": "middle" }, text.x),
  node("text", {
    class: "axis", x: 0, y: 0, "text-anchor": "middle",
    transform: `translate(12 ${down(0.5)}) rotate(-90)`,
  }, text.y));
}

/** @typedef {{from: number, to: number, count: number, confidence: number|null, accuracy: number|null}} Bin */

/**
 * Returns a reliability diagram: for each range of confidence, a bar for how often the model was
 * right, and a line for how sure it was. The width of a bar shows its share of photos.
 * @param {Bin[]} bins
 * @param {ChartText} text
 * @returns {Tree}
 */
export function reliability(bins, text) {
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const marks = bins.flatMap((bin) => {
    if (bin.count === 0 || bin.accuracy === null) return [];
    const room = across(bin.to) - across(bin.from) - 2;
    const width = Math.max(4, room * Math.sqrt(bin.count / most));
    const x = across((bin.from + bin.to) / 2) - width / 2;
    const expected = down(bin.confidence ?? (bin.from + bin.to) / 2);
    return [
      node("rect", {
        class: "bar", x, y: down(bin.accuracy), width, height: Math.max(1, bin.accuracy * SIDE),
      }, node("title", {}, text.describe(bin))),
      node("line", { class: "expected", x1: x - 2, x2: x + width + 2, y1: expected, y2: expected }),
    ];
  });
  return chart("reliability", text, [...marks, node("line", {
    class: "diagonal", x1: across(0), y1: down(0), x2: across(1), y2: down(1),
  })]);
}

/** @typedef {{threshold: number, precision: number, recall: number}} CurvePoint */

/**
 * Returns a precision-recall curve, one point for each threshold.
 * @param {CurvePoint[]} curve highest threshold first
 * @param {ChartText} text
 * @returns {Tree}
 */
export function precisionRecall(curve, text) {
  const points = curve.map(({ recall, precision }) =>
    `${across(recall).toFixed(1)},${down(precision).toFixed(1)}`);
  return chart("curve", text, [
    node("polyline", { class: "line", points: points.join(" ") }),
    ...curve.map((point) => node("circle", {
      class: "point", cx: across(point.recall), cy: down(point.precision), r: 4,
    }, node("title", {}, text.describe(point)))),
  ]);
}

/** @typedef {{labelsPerClass: number, macroF1: number|null}} LearningPoint */

/**
 * Returns a learning curve: how good models are that learned from a share of the labels, and last
 * from all of them.
 * @param {LearningPoint[]} points by the number of labels
 * @param {ChartText & {count: (labels: number) => string}} text
 * @returns {Tree}
 */
export function learningCurve(points, text) {
  const most = Math.max(1, ...points.map(({ labelsPerClass }) => labelsPerClass));
  const found = points.flatMap((point) => point.macroF1 === null ? [] : [{
    point, x: across(point.labelsPerClass / most), y: down(point.macroF1),
  }]);
  return chart("curve", text, [
    node("polyline", { class: "line", points: found.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") }),
    ...found.map(({ point, x, y }) => node("circle", { class: "point", cx: x, cy: y, r: 4 },
      node("title", {}, text.describe(point)))),
  ], points.map(({ labelsPerClass }) => ({ x: labelsPerClass / most, text: text.count(labelsPerClass) })));
}
