import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

globalThis.ResizeObserver = class { observe() {} };
const { CairnPhoto } = await import(new URL("photo/photo.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

test("favorite and remove turn off again what they turned on, before the server has answered", () => {
  const view = new CairnPhoto();
  /** @type {any[]} */
  const sent = [];
  view.edits.send = (body) => { sent.push(body); };
  view.toggleFavorite();
  assert.deepEqual(sent, []);
  const photo = { id: "p1", favorite: false, removed: false };
  Object.assign(view, { photo: "p1", detail: { photo } });
  view.toggleFavorite();
  view.toggleRemoved();
  store.rows.set("p1", { ...photo, favorite: true, removed: true, pending: true });
  view.toggleFavorite();
  view.toggleRemoved();
  assert.deepEqual(sent, [{ do: "favorite", on: true }, { do: "remove", on: true },
    { do: "favorite", on: false }, { do: "remove", on: false }]);
});
