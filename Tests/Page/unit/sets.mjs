/** @file A server of result sets, for the tests of modules that use them. */

/** Returns the full id of a photo by its number. */
export const id = (/** @type {number} */ number) => number.toString(16).padStart(64, "0");

/** Keeps the latest sets, as many as the server does. */
export class SetServer {
  /** @type {Map<string, {body: any, ids: string[]}>} */
  sets = new Map();
  /** @type {{method: string, path: string}[]} */
  requests = [];
  made = 0;

  /** @param {(body: any) => string[]} find returns the ids of the photos of a new set */
  constructor(find) {
    this.find = find;
    globalThis.fetch = this.fetch;
  }

  /** Drops all sets, as after 16 newer ones. */
  expire() {
    this.sets.clear();
  }

  /** Returns the bodies of the sets that were created since the last call. */
  takeCreated() {
    return this.bodies.splice(0);
  }

  /** @type {any[]} */
  bodies = [];

  fetch = async (/** @type {any} */ address, /** @type {any} */ { method, body }) => {
    const url = new URL(String(address), "http://page.test");
    this.requests.push({ method, path: url.pathname });
    if (method === "POST") {
      return this.create(typeof body === "string" ? JSON.parse(body) : { photos: idsIn(body) });
    }
    const [, , , name, part, photo] = url.pathname.split("/");
    const set = this.sets.get(name);
    if (!set) return Response.json({ kind: "gone", message: "expired" }, { status: 410 });
    if (method === "DELETE") return this.sets.delete(name) && new Response(null, { status: 204 });
    const from = Number(url.searchParams.get("from"));
    const some = set.ids.slice(from, from + Number(url.searchParams.get("count")));
    if (part === "ids") return new Response(Buffer.from(some.join(""), "hex"));
    if (part === "photos") return Response.json({ from, photos: some.map((one) => row(one)) });
    if (part === "index" && set.ids.includes(photo)) return Response.json({ index: set.ids.indexOf(photo) });
    if (part === "changes") return this.changes(set);
    return Response.json({ kind: "not-found", message: "no" }, { status: 404 });
  };

  /** @param {any} body */
  create(body) {
    this.made += 1;
    const name = `s${this.made}`;
    const ids = body.photos ?? this.find(body);
    this.bodies.push(body);
    this.sets.set(name, { body, ids });
    const { query = "", sort = "id", descending = false, group = "none" } = body;
    return Response.json({ set: name, query, sort, descending, group, count: ids.length }, { status: 201 });
  }

  /** @param {{body: any, ids: string[]}} set */
  changes({ body, ids }) {
    const now = body.photos ?? this.find(body);
    return Response.json({
      count: now.length, new: now.filter((/** @type {string} */ one) => !ids.includes(one)).length,
      gone: ids.filter((one) => !now.includes(one)).length,
    });
  }
}

/** Returns the ids that a page sent. */
function idsIn(/** @type {Uint8Array} */ bytes) {
  return Array.from({ length: bytes.length / 32 }, (_, at) =>
    Buffer.from(bytes.subarray(32 * at, 32 * at + 32)).toString("hex"));
}

/** @param {string} photo */
function row(photo) {
  return { id: photo, name: photo.slice(-4), classes: [] };
}
