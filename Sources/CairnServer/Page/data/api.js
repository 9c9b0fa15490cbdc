// @ts-check
/** @file Requests to the server. */

import { said } from "../strings/strings.js";
import { emit } from "./store.js";

/** @typedef {import("./types.js").ApiErrorBody} ApiErrorBody */

/** This tab, so that it recognizes its own changes in the events. */
export const CLIENT = crypto.getRandomValues(new Uint32Array(3))
  .reduce((text, number) => text + number.toString(36), "p");

/** How often a request that the server had no room for is sent again. */
const RETRIES = 4;

/** An error with the server's message and hint in the person's language. */
export class ApiError extends Error {
  /**
   * @param {number} status 0: the server did not answer
   * @param {ApiErrorBody} body
   */
  constructor(status, body) {
    super(said(body.message));
    this.name = "ApiError";
    this.status = status;
    this.kind = body.kind;
    this.hint = body.hint && said(body.hint);
    this.body = body;
  }
}

/**
 * Returns the address of a route: `sets/s1`, `/sets/s1` and `/api/sets/s1` are the same.
 * @param {string} path
 */
function address(path) {
  return path.startsWith("/api/") ? path : `/api/${path.replace(/^\//, "")}`;
}

/**
 * @param {number} seconds
 * @param {AbortSignal|undefined} signal
 */
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/**
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
async function failure(response) {
  /** @type {ApiErrorBody} */
  let body = { kind: "internal", message: `${response.status} ${response.statusText}` };
  try {
    const json = await response.json();
    if (json && typeof json.message === "string") body = json;
  } catch {
    // Not JSON: the status has to do.
  }
  if (response.status === 401) emit("unauthorized", { message: body.message });
  return new ApiError(response.status, body);
}

/**
 * Sends a request; repeats it while the server answers that it is busy (nothing was done then).
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, raw?: BodyInit, signal?: AbortSignal, accept?: string}} options
 * @returns {Promise<Response>}
 */
async function send(method, path, { body, raw, signal, accept = "application/json" } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: accept, "X-Cairn-Client": CLIENT };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (raw !== undefined) headers["Content-Type"] = "application/octet-stream";
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(address(path), {
        method, headers, body: payload, signal, credentials: "same-origin",
      });
    } catch (error) {
      throw unreachable(error, signal);
    }
    if (response.ok) return response;
    const busy = response.status === 503 || response.status === 429;
    if (!busy || attempt >= RETRIES) throw await failure(response);
    await response.body?.cancel();
    await pause(Math.min(Number(response.headers.get("Retry-After") ?? 1) || 1, 8), signal);
  }
}

/**
 * Returns the error of a request that got no answer, or not all of it.
 * @param {unknown} error
 * @param {AbortSignal} [signal]
 */
function unreachable(error, signal) {
  if (signal?.aborted) return error;
  emit("unreachable", {});
  return new ApiError(0, { kind: "unreachable", message: String(error) });
}

/**
 * @template Body
 * @param {Promise<Response>} request
 * @param {(response: Response) => Promise<Body>} read
 * @param {AbortSignal} [signal]
 */
async function received(request, read, signal) {
  const response = await request;
  try {
    return await read(response);
  } catch (error) {
    throw unreachable(error, signal);
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Parameters<typeof send>[2]} [options]
 * @returns {Promise<any>}
 */
async function json(method, path, options) {
  const text = await received(send(method, path, options), (response) => response.text(), options?.signal);
  return text === "" ? null : JSON.parse(text);
}

/** @typedef {{signal?: AbortSignal}} Options */

export const api = {
  /**
   * @param {string} path
   * @param {Options} [options]
   */
  get: (path, options) => json("GET", path, options),
  /**
   * @param {string} path
   * @param {unknown} [body]
   * @param {Options} [options]
   */
  post: (path, body = {}, options = {}) => json("POST", path, { body, ...options }),
  /**
   * @param {string} path
   * @param {unknown} body
   * @param {Options} [options]
   */
  patch: (path, body, options = {}) => json("PATCH", path, { body, ...options }),
  /**
   * @param {string} path
   * @param {unknown} body
   * @param {Options} [options]
   */
  put: (path, body, options = {}) => json("PUT", path, { body, ...options }),
  /**
   * @param {string} path
   * @param {Options} [options]
   */
  delete: (path, options) => json("DELETE", path, options),
  /**
   * @param {string} path
   * @param {Options} [options]
   */
  blob: (path, options = {}) =>
    received(send("GET", path, { accept: "*/*", ...options }), (response) => response.blob(), options.signal),
  /**
   * Returns the response with its bytes still to be read.
   * @param {string} path
   * @param {Options} [options]
   */
  bytes: (path, options = {}) => send("GET", path, { accept: "*/*", ...options }),
  /**
   * Sends bytes, for uploads.
   * @param {string} path
   * @param {BodyInit} raw
   * @param {Options} [options]
   */
  upload: (path, raw, options = {}) => json("POST", path, { raw, ...options }),
};
