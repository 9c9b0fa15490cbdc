import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";

const page = new URL("../../../Sources/CairnServer/Page/", import.meta.url);

/** Returns the names in braces of a text. */
function placeholders(text) {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
}

for (const part of ["", "-b", "-c"]) {
  if (!existsSync(new URL(`strings-en${part}.js`, page))) continue;
  test(`each English text of strings-en${part}.js has a German one with the same values`, async () => {
    const { strings: english } = await import(new URL(`strings-en${part}.js`, page));
    const { strings: german } = await import(new URL(`strings-de${part}.js`, page));
    assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) {
      assert.ok(german[key].trim(), key);
      assert.deepEqual(placeholders(german[key]), placeholders(text), key);
    }
  });
}
