import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { LabelsPanel } = await import(new URL("photo/photo-labels.js", page).href);

test("each control of the panel can have the focus again when the panel is painted again", () => {
  /** @type {any[]} */
  const made = [];
  const create = document.createElement;
  document.createElement = (tag) => {
    const element = Object.assign(create(tag), { tag });
    made.push(element);
    return element;
  };
  const entry = (key, state) => ({
    class: key, name: key, state, confidence: 0.5, mine: null, reason: { key: "x" }, evidence: [],
  });
  const box = { label: "l1", class: "oak", box: [0, 0, 1, 1], annotator: { kind: "person", name: "bob@example.org" } };
  const commands = { edit() {}, type() {}, draw() {}, selectBox() {} };
  new LabelsPanel(commands).update({
    photo: { id: "p1" }, version: "v1", classes: [entry("oak", "predicted"), entry("elm", "rejected")],
    boxes: [{ ...box, mine: true }, { ...box, label: "l2", mine: false }],
  }, { readOnly: false, keys: new Map([["oak", "1"]]) });
  document.createElement = create;
  const controls = made.filter(({ tag }) => tag === "button" || tag === "summary");
  assert.equal(controls.length, 14);
  const holds = controls.map(({ dataset }) => dataset.hold);
  assert.ok(holds.every(Boolean), String(holds));
  assert.equal(new Set(holds).size, holds.length, String(holds));
});
