import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { attachGestures } = await import(new URL("map/map-gestures.js", page).href);

globalThis.cancelAnimationFrame = () => {};

/** Returns a map on which nothing is, what its gestures did, and a function that sends an event. */
function map() {
  const done = [];
  const canvas = Object.assign(new EventTarget(), {
    getBoundingClientRect: () => ({ left: 0, top: 0 }), focus() {}, setPointerCapture() {},
    classList: { toggle() {} },
  });
  const camera = { zoom: 5, zoomAt: (zoom) => { done.push(`zoom ${zoom}`); } };
  attachGestures({ canvas, camera, redraw() {} }, {
    itemAt: () => null, canDrag: () => false, moved() {}, drop() {}, area() {},
    tap: ({ x, y }) => { done.push(`tap ${x} ${y}`); },
    longPress: ({ x, y }) => { done.push(`long press ${x} ${y}`); },
  });
  const send = (name, x, y, { time = 0, pointerType = "mouse" } = {}) => {
    const event = Object.assign(new Event(name, { cancelable: true }), {
      button: 0, pointerId: 1, pointerType, shiftKey: false, clientX: x, clientY: y,
    });
    Object.defineProperty(event, "timeStamp", { value: time });
    canvas.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const tap = (x, y, time) => {
    send("pointerdown", x, y, { time });
    send("pointerup", x, y, { time });
  };
  return { done, send, tap };
}

test("two quick taps enlarge the map, but not if they are apart", () => {
  const near = map();
  near.tap(10, 10, 0);
  near.tap(12, 11, 200);
  near.tap(12, 11, 400);
  assert.deepEqual(near.done, ["tap 10 10", "zoom 6", "tap 12 11"]);
  const apart = map();
  apart.tap(10, 10, 0);
  apart.tap(200, 90, 100);
  assert.deepEqual(apart.done, ["tap 10 10", "tap 200 90"]);
  const slow = map();
  slow.tap(10, 10, 0);
  slow.tap(10, 10, 500);
  assert.deepEqual(slow.done, ["tap 10 10", "tap 10 10"]);
});

test("the end of a long press clicks nothing, that of a tap does", () => {
  const { setTimeout } = window;
  let press = () => {};
  window.setTimeout = (run) => {
    press = run;
    return 1;
  };
  const { done, send } = map();
  const touch = { pointerType: "touch" };
  send("pointerdown", 30, 40, touch);
  press();
  send("pointerup", 30, 40, touch);
  assert.equal(send("touchend", 30, 40), true);
  send("pointerdown", 50, 60, touch);
  send("pointerup", 50, 60, touch);
  assert.equal(send("touchend", 50, 60), false);
  assert.deepEqual(done, ["long press 30 40", "tap 50 60"]);
  window.setTimeout = setTimeout;
});
