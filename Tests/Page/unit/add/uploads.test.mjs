import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikePhoto, uploadPath, UploadQueue } from "../../../../Sources/CairnServer/Page/add/uploads.js";

const OPTIONS = { pin: null, similar: null };

function file(name, size = 3) {
  return Object.assign(new Blob([new Uint8Array(size)]), { name });
}

/** A server that answers when the test says so. */
class Server {
  requests = [];

  send = (path, blob, { signal }) => new Promise((resolve, reject) => {
    const name = new URLSearchParams(path.split("?")[1]).get("name");
    this.requests.push({ name, size: blob.size, resolve, reject });
    signal.addEventListener("abort", () => reject(signal.reason));
  });

  answer(name, answer = { status: "added", photo: { id: name } }) {
    const index = this.requests.findIndex((request) => request.name === name);
    const [request] = this.requests.splice(index, 1);
    if (answer instanceof Error) request.reject(answer);
    else request.resolve(answer);
  }
}

function open(limit = 1000) {
  const server = new Server();
  const queue = new UploadQueue(server.send, { limit: () => limit, tooLarge: () => "too large" });
  return { server, queue };
}

/** Resolves when the queue is as wanted. */
function until(queue, wanted) {
  return new Promise((resolve) => {
    const check = () => {
      if (!wanted()) return;
      queue.removeEventListener("change", check);
      resolve();
    };
    queue.addEventListener("change", check);
    check();
  });
}

test("sends four files at once and starts the next when one is done", async () => {
  const { server, queue } = open();
  queue.add([..."abcdef"].map((name) => file(name)), OPTIONS);
  assert.deepEqual(server.requests.map(({ name }) => name), ["a", "b", "c", "d"]);
  server.answer("b");
  await until(queue, () => queue.counts().added === 1);
  assert.deepEqual(server.requests.map(({ name }) => name), ["a", "c", "d", "e"]);
  for (const name of "acde") server.answer(name);
  await until(queue, () => queue.counts().added === 5);
  server.answer("f");
  await until(queue, () => queue.left === 0);
  assert.equal(queue.counts().added, 6);
});

test("keeps each file's outcome: added, known, similar, failed", async () => {
  const { server, queue } = open();
  queue.add([..."abcd"].map((name) => file(name)), OPTIONS);
  server.answer("a");
  server.answer("b", { status: "known", photo: { id: "old" } });
  server.answer("c", { status: "similar", photo: null, like: "twin", note: "looks like twin" });
  server.answer("d", new Error("not an image"));
  await until(queue, () => queue.left === 0);
  assert.deepEqual(queue.items.map(({ state, photo, like, message }) => [state, photo?.id ?? null, like, message]), [
    ["added", "a", null, ""], ["known", "old", null, ""],
    ["similar", null, "twin", "looks like twin"], ["failed", null, null, "not an image"],
  ]);
});

test("sends failed files again with their bytes, and frees the bytes of the others", async () => {
  const { server, queue } = open();
  queue.add([file("good"), file("bad", 7)], OPTIONS);
  server.answer("good");
  server.answer("bad", new Error("offline"));
  await until(queue, () => queue.left === 0);
  assert.equal(queue.items.find(({ state }) => state === "added")?.file.size, 0);
  queue.retry();
  assert.deepEqual(server.requests.map(({ name, size }) => [name, size]), [["bad", 7]]);
  server.answer("bad");
  await until(queue, () => queue.left === 0);
  assert.deepEqual(queue.counts(), { waiting: 0, sending: 0, added: 2, known: 0, similar: 0, failed: 0 });
});

test("does not send a file above the limit", async () => {
  const { server, queue } = open(5);
  queue.add([file("large", 6), file("small", 5)], OPTIONS);
  await until(queue, () => queue.counts().failed === 1);
  assert.deepEqual(server.requests.map(({ name }) => name), ["small"]);
  assert.equal(queue.items[0].message, "too large");
});

test("cancelling keeps what is finished and sends nothing more", async () => {
  const { server, queue } = open();
  queue.add([..."abcdefg"].map((name) => file(name)), OPTIONS);
  server.answer("a");
  await until(queue, () => queue.counts().added === 1);
  queue.cancel();
  await until(queue, () => queue.left === 0);
  assert.deepEqual(queue.items.map(({ file: { name }, state }) => [name, state]), [["a", "added"]]);
  queue.add([file("later")], OPTIONS);
  server.answer("later");
  await until(queue, () => queue.counts().added === 2);
  assert.ok(!server.requests.some(({ name }) => name === "f" || name === "g"));
});

test("names are escaped in the address", () => {
  assert.equal(uploadPath("a&pin=x #1.jpg", OPTIONS), "/api/uploads?name=a%26pin%3Dx+%231.jpg");
  assert.equal(uploadPath("a.jpg", { pin: "auto", similar: 4 }), "/api/uploads?name=a.jpg&pin=auto&similar=4");
});

test("recognizes photos by type or by name", () => {
  assert.ok(looksLikePhoto({ name: "a.JPG", type: "" }));
  assert.ok(looksLikePhoto({ name: "a", type: "image/heic" }));
  for (const name of ["a.jfif", "a.HIF", "a.tif", "DSC_1.NEF", "IMG_1.CR3", "a.gif"]) {
    assert.ok(looksLikePhoto({ name, type: "" }), name);
  }
  assert.ok(!looksLikePhoto({ name: "clip.mp4", type: "video/mp4" }));
  assert.ok(!looksLikePhoto({ name: "notes.txt", type: "text/plain" }));
  assert.ok(!looksLikePhoto({ name: ".hidden.jpg", type: "image/jpeg" }));
});
