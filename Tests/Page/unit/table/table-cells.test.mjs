import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { COLUMNS, eachOnce } = await import(new URL("table/table-cells.js", page).href);

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
