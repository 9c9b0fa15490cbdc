import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { COLUMNS, eachOnce, filterText } = await import(new URL("table/table-cells.js", page).href);

test("a verdict that a person gave several times is shown once", () => {
  const [ann, bob] = ["ann@example.org", "bob@example.org"];
  assert.deepEqual(eachOnce([
    { person: ann, verdict: "present" }, { person: bob, verdict: "present" },
    { person: ann, verdict: "present" }, { person: ann, verdict: "absent" },
  ]).map(({ person, verdict }) => `${person} ${verdict}`),
  [`${ann} present`, `${bob} present`, `${ann} absent`]);
});

test("a rejected class has no confidence: what is given is that of the rejection", () => {
  const { paint } = COLUMNS.find(({ name }) => name === "confidence");
  assert.equal(paint({ state: "rejected", confidence: 1 }).length, 0);
  assert.equal(paint({ state: "predicted", confidence: 0.4 }).length, 2);
});

const row = {
  photo: "3fa9", name: "mill.jpg", class: "oak", className: "Oak", state: "predicted", confidence: 0.837,
  taken: "2024-05-03T10:00:00", pin: null, predictions: [{ model: "net@1", verdict: "present", confidence: 0.8 }],
  verdicts: [{ person: "ann@x.org", verdict: "present" }, { person: "ann@x.org", verdict: "absent" }],
};

test("every column sorts, and filters by its cell", () => {
  const filters = Object.fromEntries(COLUMNS.map(({ name, filters }) => [name, filters(row)]));
  assert.deepEqual(filters, {
    photo: [{ photo: "3fa9" }], class: [{ class: "oak" }], state: [{ state: "predicted" }],
    confidence: [{ confidence: "0.83" }], predictions: [{ model: "net@1" }],
    verdicts: [{ person: "ann@x.org" }], taken: [{ day: "2024-05-03" }], pin: [{ pin: "none" }],
  });
  assert.ok(COLUMNS.every(({ sort }) => sort));
});

test("a photo without a day, and a rejected class, have nothing to filter by", () => {
  const of = (name) => COLUMNS.find((column) => column.name === name);
  for (const taken of [null, "2024", "2024-05"]) assert.deepEqual(of("taken").filters({ ...row, taken }), []);
  assert.deepEqual(of("confidence").filters({ ...row, state: "rejected" }), []);
});

test("a filter has a name, also that of a photo that is not loaded", () => {
  assert.equal(filterText({ photo: "3fa9" }, () => "mill.jpg"), "mill.jpg");
  assert.equal(filterText({ photo: "3fa912345678900" }, () => undefined), "3fa912345678");
  assert.equal(filterText({ confidence: "0.83" }, () => undefined), "at least 83%");
  assert.equal(filterText({ pin: "none" }, () => undefined), "without a pin");
});
