// @ts-check
/** @file Edits with their confirmations, and undo. */

import { api, ApiError } from "../data/api.js";
import { confirmDialog, toast } from "../common/dialog.js";
import { announce } from "../common/dom.js";
import { applyEarly } from "./early-edits.js";
import { followJob } from "../data/jobs.js";
import { patchRows, setOf } from "../data/rows.js";
import { emit, on, store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";

export { pickClass } from "./pick-class.js";

/** @typedef {import("../data/types.js").DryRun} DryRun */
/** @typedef {import("../data/types.js").EditResult} EditResult */
/** @typedef {import("../data/types.js").UnknownClass} UnknownClass */

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
  toast(errorText(error), { kind: "error" });
}

/**
 * Returns what went wrong and what helps, for a person.
 * @param {unknown} error
 */
export function errorText(error) {
  if (!(error instanceof ApiError)) return String(error);
  const text = error.status === 0 ? t("actions.unreachable") : error.message;
  return error.hint ? `${text} ${error.hint}` : text;
}

/**
 * Returns the edits of a body: its list, or itself.
 * @param {any} body of `POST /api/edits`
 * @returns {any[]}
 */
export function editsOf(body) {
  return body.edits ?? [body];
}

/**
 * Returns the body with targets that fit into a request.
 * @param {any} body
 */
async function fitting(body) {
  if (body.edits) return { ...body, edits: await Promise.all(body.edits.map(fitting)) };
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
  if (body.dryRun) return false;
  const targets = editsOf(body).map(({ target }) => target);
  const photos = targets.reduce((sum, target) => sum + (target?.photos?.length ?? 0), 0);
  return photos > (store.session?.limits.directEdit ?? 500)
    || targets.some((target) => target?.set !== undefined);
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
    title: previewTitle(body, dry.photos),
    text: lines.join("\n"),
    yes: t("actions.yes", { n: dry.changes }),
    danger: body.do === "remove" && body.on !== false,
  });
}

/** The names of edits that turn off what others turn on. */
const OPPOSITES = /** @type {Record<string, string>} */ ({
  favorite: "unfavorite", remove: "restore", label: "labelAbsent",
});

/**
 * Returns the question about an edit, which says what it does.
 * @param {any} body of `POST /api/edits`
 * @param {number} photos
 */
export function previewTitle(body, photos) {
  const [first] = editsOf(body);
  const isOff = first.on === false || first.verdict === "absent";
  let name = isOff ? OPPOSITES[first.do] ?? first.do : first.do;
  if (body.edits && first.do === "label") name = isOff ? "reject" : "accept";
  return t(`actions.title.${name}`, {
    photos: plural("actions.photos", photos), name: namesIn(body),
  });
}

/** @param {any} body */
function namesIn(body) {
  const names = [...new Set(editsOf(body).map(nameIn))];
  return names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", ");
}

/** @param {any} body */
function nameIn(body) {
  const key = body.class ?? body.classes?.[0] ?? body.create?.[0] ?? "";
  return store.classes.get(key)?.name ?? key;
}

/**
 * Sends an edit. The rows show it at once, and what the server says afterwards. More photos than
 * one request may have, and whole sets, are previewed first. Returns null if nothing was sent or
 * it was refused, which the person has then seen.
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
    // Its `photos` is a number.
    if (body.dryRun) return result;
    if (result.photos) patchRows(result.photos);
    else if (!result.job) restore();
    if (result.job) watchJob(result.job);
    else if (result.text && (result.changed ?? 0) > 0) announce(said(result.text));
    return result;
  } catch (error) {
    restore();
    if (error instanceof ApiError && error.status === 422 && error.body.unknown) {
      return createAndEdit(original, error.body.unknown);
    }
    // The set is created again; what was selected of it is no longer.
    if (error instanceof ApiError && error.status === 410) emit("set-expired", { set: store.set });
    if (error instanceof ApiError && error.status === 409) {
      if (error.body.photo?.photo) patchRows([error.body.photo.photo]);
      toast(error.message, { kind: "info" });
      return null;
    }
    if (error instanceof ApiError && error.status === 0 && !original.dryRun) unanswered.push(original);
    report(error);
    return null;
  }
}

/**
 * Edits without an answer: the server may have written them.
 * @type {any[]}
 */
let unanswered = [];

on("connection", ({ online }) => {
  if (!online || unanswered.length === 0) return;
  const targets = unanswered.flatMap(editsOf).map(({ target, photo }) => target?.photos ?? (photo && [photo]));
  unanswered = [];
  // The server's own event has the name of this page, which knows what it edits.
  emit("server:photos", { ids: targets.every(Boolean) ? targets.flat() : null, session: null });
});

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
 * Offers to undo a bulk edit when its job is done, or what it changed before it was cancelled.
 * @param {string} id
 */
async function watchJob(id) {
  try {
    const job = await followJob(id, () => {});
    if (job.state === "failed") {
      toast(said(job.error?.message ?? job.text), { kind: "error" });
    } else if (job.result?.changed > 0) {
      const { action, changed } = job.result;
      const text = said(job.result.text ?? job.text);
      toast(job.state === "done" ? text : t("actions.cancelled", { text, n: changed }), {
        kind: "done", action: action ? undoAction(action) : null,
      });
    } else if (job.state === "cancelled") toast(t("actions.cancelledEarly", { text: said(job.text) }));
  } catch (error) {
    report(error);
  }
}

/**
 * Returns the button “Undo” of a toast. It undoes this action only while it is the latest one.
 * @param {string} action
 */
export function undoAction(action) {
  return { label: t("actions.undo"), undoes: action, run: () => undo(action) };
}

/**
 * Reports how many photos an edit removed or restored, and offers to undo it.
 * @param {EditResult} result
 * @param {boolean} [removes]
 */
export function toastRemoved({ changed, action, job }, removes = true) {
  // A job has its own message.
  if (!changed || job) return;
  toast(plural(removes ? "label-bar.removed" : "label-bar.restored", changed),
    { action: action ? undoAction(action) : null });
}

/**
 * Undoes the person's latest action; the server first stops it if it is a bulk edit that still runs.
 * @param {string|null} [action] undone only while it is the latest
 * @returns {Promise<any>} the server's answer, or null
 */
export async function undo(action = null) {
  try {
    const result = await api.post(action ? `/api/undo?action=${action}` : "/api/undo");
    if (result.job) {
      toast(t("actions.undoing"));
      return result;
    }
    patchRows(result.photos ?? []);
    const { text, message } = result.undone;
    toast(`${said(text)}: ${said(message)}`, { kind: "done" });
    emit("undone", {
      action: result.undone.action, undone: result.undone, question: result.question ?? null,
    });
    return result;
  } catch (error) {
    const status = error instanceof ApiError ? error.status : null;
    if (status === 409) toast(t("actions.notLatest"));
    // There is nothing to undo: no failure.
    else if (error instanceof ApiError && status === 404) toast(error.message);
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
