import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { files, page } from "./browser.mjs";

const html = readFileSync(new URL("index.html", page), "utf8");
const read = (name) => readFileSync(new URL(name, page), "utf8");

/** Modules that `name` imports statically, and those that they import. */
function imports(name, found = new Set()) {
  const modules = read(name).matchAll(/^(?:import|export)\b[^;]*?"(\.{1,2}\/[\w/-]+\.js)";/gm);
  for (const [, path] of modules) {
    const other = new URL(path, new URL(name, "file:///")).pathname.slice(1);
    if (found.has(other)) continue;
    found.add(other);
    imports(other, found);
  }
  return found;
}

test("index.html preloads the modules that the page starts with", () => {
  const preloaded = [...html.matchAll(/rel="modulepreload" href="\/page\/([\w./-]+)"/g)]
    .map((match) => match[1]);
  assert.deepEqual(preloaded.sort(), [
    ...imports("shell/main.js"), ...["", "-b", "-c", "-d", "-e"].map((part) => `strings/strings-en${part}.js`),
  ].sort());
});

test("every file that a module, a sheet or index.html names is there", () => {
  let names = 0;
  for (const file of files.filter((name) => /\.(js|css|html)$/.test(name))) {
    for (const [, name] of read(file).matchAll(/\/page\/([\w/-]+\.\w+)/g)) {
      assert.ok(existsSync(new URL(name, page)), `${file} names ${name}`);
      names += 1;
    }
  }
  assert.ok(names > 30);
});

test("every icon that a module shows is in icons.svg", () => {
  const icons = new Set([...read("images/icons.svg").matchAll(/id="([\w-]+)"/g)].map((match) => match[1]));
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    for (const [, name] of read(file).matchAll(/\bicon\("([\w-]+)"\)/g)) {
      assert.ok(icons.has(name), `${file} shows ${name}`);
    }
  }
});

test("nothing goes around the content security policy", () => {
  assert.doesNotMatch(html, /<style|style=|<script(?![^>]*src=)| on\w+=/);
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    assert.doesNotMatch(read(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/);
  }
});

test("every file of the page is embedded into the server (Tests/Scripts/embed-page)", () => {
  const list = readFileSync(new URL("../../CPage/page.c", page), "utf8");
  for (const file of files) assert.ok(list.includes(`/Page/${file}"`), file);
});
