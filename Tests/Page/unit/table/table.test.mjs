import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

globalThis.ResizeObserver = class { observe() {} };
const { CairnTable } = await import(new URL("table/table.js", page).href);
const { api } = await import(new URL("data/api.js", page).href);

test("labels that changed while the table was hidden are read when it is shown", async () => {
  const table = new CairnTable();
  let read = 0;
  Object.assign(table, { layout() {}, paintBar() {}, loadPins: async () => {} });
  table.rows.refresh = () => { read += 1; };
  api.post = async () => ({ table: "t1", count: 1 });
  table.show({});
  await new Promise(setImmediate);
  table.hide();
  table.show({});
  assert.equal(read, 0);
  table.hide();
  table.refresh();
  assert.equal(read, 0);
  table.show({});
  table.show({});
  assert.equal(read, 1);
});
