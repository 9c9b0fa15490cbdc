// @ts-check
/** @file Edits with their confirmations, undo, and the dialog that picks a class. */

import { api, ApiError } from "./api.js";
import { closeDialog, confirmDialog, showDialog, toast } from "./dialog.js";
import { announce, clear, h } from "./dom.js";
import { applyEarly } from "./early-edits.js";
import { count } from "./format.js";
import { patchRows, setOf } from "./rows.js";
import { emit, on, store } from "./store.js";
import { plural, t } from "./strings.js";

/** @typedef {import("./types.js").DryRun} DryRun */
/** @typedef {import("./types.js").EditResult} EditResult */
/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./types.js").UnknownClass} UnknownClass */

/**
 * Shows an error as a toast.
 * @param {unknown} error
 */
export function report(error) {
  if (!(error instanceof ApiError)) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    console.error(error);
    toast(String(error), { kind: "error" });
    return;
  }
  if (error.status === 401) return;
  const text = error.status === 0 ? t("actions.unreachable") : error.message;
  toast(error.hint ? `${text} ${error.hint}` : text, { kind: "error" });
}

/**
 * Returns the body with a target that fits into a request.
 * @param {any} body
 */
async function fitting(body) {
  const photos = body.target?.photos;
  const most = store.session?.limits.directEdit ?? 500;
  if (!photos || photos.length <= most) return body;
  const { set } = await setOf(photos);
  return { ...body, target: { set } };
}

/**
 * Whether the person should see what would change first.
 * @param {any} body
 */
function needsPreview(body) {
  return !body.dryRun && body.target?.set !== undefined;
}

/**
 * @param {any} body
 * @returns {Promise<boolean>}
 */
async function preview(body) {
  /** @type {DryRun} */
  const dry = await api.post("/api/edits", { ...body, dryRun: true });
  if (dry.changes === 0) {
    toast(t("actions.nothing"));
    return false;
  }
  const lines = [plural("actions.changes", dry.changes)];
  if (dry.unchanged > 0) lines.push(plural("actions.unchanged", dry.unchanged));
  if (dry.skipped > 0) lines.push(plural("actions.skipped", dry.skipped));
  if (dry.reversals > 0) lines.push(plural("actions.reversals", dry.reversals));
  lines.push(t("actions.undoable"));
  return confirmDialog({
    title: t(`actions.title.${body.do}`, {
      photos: plural("actions.photos", dry.photos), name: nameIn(body),
    }),
    text: lines.join("\n"),
    yes: t("actions.yes", { n: dry.changes }),
    danger: body.do === "remove" && body.on !== false,
  });
}

/** @param {any} body */
function nameIn(body) {
  const key = body.class ?? body.classes?.[0] ?? body.create?.[0] ?? "";
  return store.classes.get(key)?.name ?? key;
}

/**
 * Sends an edit. The rows show it at once, and what the server says afterwards. More photos than
 * one request may have, and whole sets, are previewed first. Returns null if nothing was sent or
 * it was refused; the person has been told then.
 * @param {any} original of `POST /api/edits`
 * @returns {Promise<EditResult|null>}
 */
export async function edit(original) {
  let restore = () => {};
  try {
    const body = await fitting(original);
    if (needsPreview(body) && !(await preview(body))) return null;
    if (!body.dryRun) restore = applyEarly(body);
    /** @type {EditResult} */
    const result = await api.post("/api/edits", body);
    if (result.photos) patchRows(result.photos);
    else if (!body.dryRun && !result.job) restore();
    if (result.job) watchJob(result.job);
    else if (result.text && (result.changed ?? 0) > 0) announce(result.text);
    return result;
  } catch (error) {
    restore();
    if (error instanceof ApiError && error.status === 422 && error.body.unknown) {
      return createAndEdit(original, error.body.unknown);
    }
    if (error instanceof ApiError && error.status === 409) {
      if (error.body.photo?.photo) patchRows([error.body.photo.photo]);
      toast(error.message, { kind: "info" });
      return null;
    }
    report(error);
    return null;
  }
}

/**
 * @param {any} body
 * @param {UnknownClass[]} unknown
 * @returns {Promise<EditResult|null>}
 */
async function createAndEdit(body, unknown) {
  if (!(await confirmClass(unknown))) return null;
  const create = [...(Array.isArray(body.create) ? body.create : []),
    ...unknown.map((entry) => entry.name)];
  return edit({ ...body, create });
}

/**
 * Offers to undo a bulk edit when its job is done.
 * @param {string} id
 */
function watchJob(id) {
  const stop = on("server:job", (/** @type {Job} */ job) => {
    if (job.job !== id || job.state === "waiting" || job.state === "running") return;
    stop();
    const changed = job.result?.changed ?? 0;
    if (job.state === "failed") {
      toast(job.error?.message ?? job.text, { kind: "error" });
    } else if (changed > 0) {
      toast(job.result.text ?? job.text, { kind: "done", action: undoAction() });
    }
  });
}

/** The button “Undo” of a toast. */
export function undoAction() {
  return { label: t("actions.undo"), run: () => { undo(); } };
}

/**
 * Undoes the person's latest action.
 * @returns {Promise<any>} the server's answer, or null
 */
export async function undo() {
  try {
    const result = await api.post("/api/undo");
    if (result.job) {
      toast(t("actions.undoing"));
      return result;
    }
    patchRows(result.photos ?? []);
    const { text, message } = result.undone;
    toast(`${text}: ${message}`, { kind: "done" });
    emit("undone", {
      action: result.undone.action, undone: result.undone, question: result.question ?? null,
    });
    return result;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) toast(t("actions.noUndo"));
    else report(error);
    return null;
  }
}

/**
 * Asks whether classes that do not exist are to be created.
 * @param {UnknownClass[]} unknown
 * @returns {Promise<boolean>}
 */
export function confirmClass(unknown) {
  const names = unknown.map((entry) => entry.name).join(", ");
  const similar = unknown.flatMap((entry) => entry.suggestions ?? []);
  return confirmDialog({
    title: plural("actions.newClass", unknown.length, { name: names }),
    text: similar.length > 0 ? t("actions.similar", { names: similar.join(", ") }) : "",
    yes: t("actions.create"),
  });
}

/**
 * Has the person type a class, with completion; a new one is created after a question.
 * @param {{title?: string, near?: string[]}} options `near`: keys offered before typing
 * @returns {Promise<string|null>} the key of the class
 */
export async function pickClass({ title = t("actions.pick"), near = [] } = {}) {
  const first = [...near, ...store.classes.keys()]
    .filter((key, index, keys) => keys.indexOf(key) === index).slice(0, 9)
    .map((key) => store.classes.get(key)?.name ?? key);
  const name = await askName(title, first);
  if (!name) return null;
  try {
    const { exact, valid } = await api.get(
      `/api/classes/complete?text=${encodeURIComponent(name)}`);
    if (exact) return exact;
    if (valid === false) {
      toast(t("actions.invalidName", { name }), { kind: "error" });
      return null;
    }
    return await createClass(name);
  } catch (error) {
    report(error);
    return null;
  }
}

/**
 * @param {string} name
 * @returns {Promise<string|null>}
 */
async function createClass(name) {
  try {
    return (await api.post("/api/classes", { name })).class;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const unknown = error.body.unknown ?? [{ name, suggestions: [] }];
    if (!(await confirmClass(unknown))) return null;
    const { class: key } = await api.post("/api/classes", { name, confirm: true });
    if (!store.classes.has(key)) {
      const info = { class: key, name, aliases: [], photos: 0 };
      store.update({ classes: new Map([...store.classes, [key, info]]) });
    }
    return key;
  }
}

/**
 * @param {string} title
 * @param {string[]} first
 * @returns {Promise<string|null>}
 */
function askName(title, first) {
  let names = first;
  let at = -1;
  let asked = 0;
  const list = h("ul", { class: "options", role: "listbox", id: "pick-list", "aria-label": title });
  const input = h("input", {
    type: "text", class: "pick-input", autocomplete: "off", spellcheck: false, autofocus: true,
    role: "combobox", "aria-expanded": "true", "aria-controls": "pick-list",
    "aria-autocomplete": "list", "aria-label": title,
    oninput: async () => {
      const text = input.value.trim();
      asked += 1;
      const own = asked;
      if (!text) return paint(first);
      const path = `/api/classes/complete?text=${encodeURIComponent(text)}`;
      const found = await api.get(path).catch(() => ({ names: [] }));
      if (own === asked) paint(found.names);
    },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const step = event.key === "ArrowDown" ? 1 : -1;
        at = names.length === 0 ? -1 : (at + step + names.length) % names.length;
        mark();
      } else if (event.key === "Tab" && !event.shiftKey && names[Math.max(at, 0)]) {
        input.value = names[Math.max(at, 0)];
      } else if (event.key === "Enter") {
        closeDialog(body, at >= 0 ? names[at] : input.value.trim());
      } else return;
      event.preventDefault();
    },
  });
  const body = h("div", { class: "dialog-body pick" }, h("h2", null, title), input, list,
    h("p", { class: "quiet" }, t("actions.pickHint")));

  /** @param {string[]} next */
  function paint(next) {
    names = next;
    at = -1;
    clear(list).append(...names.map((name, index) => {
      const info = [...store.classes.values()].find((entry) => entry.name === name);
      return h("li", {
        role: "option", id: `pick-${index}`, "aria-selected": "false",
        onclick: () => closeDialog(body, name),
      }, h("span", null, name), info && h("span", { class: "quiet" }, count(info.photos)));
    }));
    mark();
  }

  function mark() {
    [...list.children].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === at));
      if (index === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) input.setAttribute("aria-activedescendant", `pick-${at}`);
    else input.removeAttribute("aria-activedescendant");
  }

  paint(first);
  return showDialog(body, { label: title });
}
