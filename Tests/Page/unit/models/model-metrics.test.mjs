import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { api } = await import(new URL("data/api.js", page).href);
const { caveat, MetricsPanel } = await import(new URL("models/model-metrics.js", page).href);

test("figures of a model whose silent photos are not all known have a caveat", () => {
  const known = { silentIsKnown: true, learnedIsKnown: true, learnedFromAll: false };
  assert.match(caveat({ ...known, silentIsKnown: false }), /^Figures may be too high: photos /);
  assert.match(caveat({ ...known, learnedIsKnown: false }), /^Figures may be too high: the training /);
  assert.equal(caveat(known), "");
});

test("a model that learned from all labeled photos has nothing to be measured on", () => {
  const all = { silentIsKnown: true, learnedIsKnown: true, learnedFromAll: true };
  assert.match(caveat(all), /^Nothing to measure: /);
});

test("a cell opens photos of the query that was measured, not of one that is being typed", async () => {
  /** @type {any[]} */
  const posted = [];
  api.get = async () => ({ models: [] });
  api.post = async (_path, body) => {
    posted.push(body);
    return { set: "s1", count: 1 };
  };
  const panel = new MetricsPanel();
  await panel.load("pin:harbor");
  panel.query.value = "pin:harb";
  const cell = { model: "net@1", class: "oak", truth: "present", prediction: "present" };
  await panel.open(cell);
  assert.deepEqual(posted, [{ cell, query: "pin:harbor" }]);
});

test("figures that are read again are those of the photos that were measured, not of a query that is being typed", async () => {
  /** @type {string[]} */
  const asked = [];
  api.get = async (path) => {
    asked.push(path);
    return { models: [] };
  };
  const panel = new MetricsPanel();
  panel.query.value = "pin:harb";
  await panel.show();
  await panel.load("pin:harbor");
  await panel.show();
  assert.deepEqual(asked.map((path) => path.split("query=")[1]), ["", "pin%3Aharbor", "pin%3Aharbor"]);
});

test("labels of others do not replace a query that is being measured", async () => {
  /** @type {((answer: any) => void)[]} */
  const answers = [];
  /** @type {string[]} */
  const asked = [];
  api.get = (path) => {
    asked.push(path.split("query=")[1]);
    return new Promise((resolve, reject) => {
      answers.push((answer) => answer instanceof Error ? reject(answer) : resolve(answer));
    });
  };
  const panel = new MetricsPanel();
  const submitted = panel.load("elm");
  const again = panel.show();
  for (const answer of answers) answer({ models: [] });
  await Promise.all([submitted, again]);
  assert.deepEqual([asked, panel.measured], [["elm", "elm"], "elm"]);
  // A query that fails is not asked for again.
  const failed = panel.load("(");
  answers[2](new Error("Invalid query."));
  await failed;
  panel.show();
  assert.deepEqual(asked.slice(2), ["(", "elm"]);
});
