// Measures in the page of `cairn serve`. Times are in milliseconds.
window.probe = {
  // Resolves after the next frame is painted.
  painted: () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  })),

  scroller: () => document.querySelector("cairn-grid .grid-scroller"),

  // The visible cells, and how many of them have no picture.
  cells() {
    const view = probe.scroller().getBoundingClientRect();
    let [seen, empty] = [0, 0];
    for (const cell of document.querySelectorAll("cairn-grid .cell:not([hidden])")) {
      const box = cell.getBoundingClientRect();
      if (box.bottom <= view.top || box.top >= view.bottom) continue;
      seen += 1;
      const image = cell.querySelector("img");
      if (image.hidden || !image.complete || image.naturalWidth === 0) empty += 1;
    }
    return { seen, empty };
  },

  // Resolves when `count` pictures are decoded, with the time since the navigation.
  async first(count) {
    for (;;) {
      const images = [...document.querySelectorAll("cairn-grid .cell:not([hidden]) img")]
        .filter((image) => image.complete && image.naturalWidth > 0).slice(0, count);
      if (images.length === count) {
        await Promise.all(images.map((image) => image.decode().catch(() => {})));
        return probe.painted();
      }
      await new Promise(requestAnimationFrame);
    }
  },

  // Scrolls by `step` pixels a frame; returns the times of the frames and the cells seen.
  async scroll(step, frames) {
    const scroller = probe.scroller();
    const times = [];
    let [seen, empty] = [0, 0];
    let before = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < frames; frame += 1) {
      scroller.scrollTop += step;
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
      const cells = probe.cells();
      seen += cells.seen;
      empty += cells.empty;
    }
    return { times, seen, empty };
  },

  rowHeight() {
    const grid = document.querySelector("cairn-grid");
    return grid.layout.row;
  },

  // Jumps to a part of the grid; returns the time until all visible cells have pictures.
  async jump(part) {
    const scroller = probe.scroller();
    const start = performance.now();
    scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * part;
    for (;;) {
      await new Promise(requestAnimationFrame);
      const { seen, empty } = probe.cells();
      if (seen > 0 && empty === 0) return await probe.painted() - start;
      if (performance.now() - start > 20_000) return Infinity;
    }
  },

  // Has `presses` record, for each key down, when `isDone()` first holds in a painted frame.
  watchKeys(isDone) {
    const times = [];
    const listen = async (event) => {
      const start = event.timeStamp;
      const done = isDone();
      for (;;) {
        await new Promise(requestAnimationFrame);
        if (done()) break;
        if (performance.now() - start > 20_000) break;
      }
      await probe.painted();
      times.push(performance.now() - start);
    };
    window.addEventListener("keydown", listen, { capture: true });
    return { times, stop: () => window.removeEventListener("keydown", listen, { capture: true }) };
  },

  // Key to label painted in the grid: the thumbnail that has the focus gets another text.
  watchLabels() {
    probe.keys = probe.watchKeys(() => {
      const cell = document.querySelector("cairn-grid .cell.focused");
      const chips = cell.querySelector(".cell-chips");
      const before = chips.textContent;
      return () => chips.textContent !== before;
    });
  },

  // Key to the next photo painted in the review.
  watchReview() {
    probe.keys = probe.watchKeys(() => {
      const picture = document.querySelector("cairn-review .picture");
      const before = picture.dataset.photo;
      const place = document.querySelector("cairn-review .review-place");
      const at = place.textContent;
      return () => {
        // A decoded photo is a canvas, a thumbnail that stands in for it an image.
        return place.textContent !== at
          && (picture.dataset.photo !== before || picture.dataset.photo === undefined)
          && (!picture.dataset.photo || picture.querySelector("canvas")?.width > 0);
      };
    });
  },

  // Key to all visible thumbnails painted with a text.
  watchBulk(text) {
    probe.keys = probe.watchKeys(() => () => {
      const view = probe.scroller().getBoundingClientRect();
      return [...document.querySelectorAll("cairn-grid .cell:not([hidden])")].every((cell) => {
        const box = cell.getBoundingClientRect();
        return box.bottom <= view.top || box.top >= view.bottom
          || cell.getAttribute("aria-label").includes(text);
      });
    });
  },

  keyTimes() {
    const { times, stop } = probe.keys;
    stop();
    return times;
  },

  // Opens the map; resolves with the time until the land, the photos and the pins are painted.
  async map() {
    const start = performance.now();
    location.hash = "#/map";
    for (;;) {
      await new Promise(requestAnimationFrame);
      const surface = document.querySelector("cairn-map")?.surface;
      if (surface?.base && surface.items.length > 0) return await probe.painted() - start;
      if (performance.now() - start > 20_000) return Infinity;
    }
  },

  // Times of the frames while `window.probe.moving` holds.
  async frames() {
    const times = [];
    probe.moving = true;
    let before = await new Promise(requestAnimationFrame);
    while (probe.moving) {
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
    }
    return times;
  },
};
