// @ts-check
/** @file What the canvases of views have in common. */

/**
 * Sets the size of a canvas, which clears it, and returns the pixels of the screen per CSS pixel.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in CSS pixels
 * @param {number} height
 */
export function setSize(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  return ratio;
}

/**
 * Returns colors of the theme, by name. A probe resolves what a variable refers to.
 * @param {HTMLCanvasElement} canvas
 * @param {Record<string, string>} variables of the style sheet, by name
 * @returns {Record<string, string>}
 */
export function themeColors(canvas, variables) {
  const probe = document.createElement("span");
  probe.hidden = true;
  canvas.after(probe);
  /** @type {Record<string, string>} */
  const colors = {};
  for (const [name, variable] of Object.entries(variables)) {
    probe.style.color = `var(${variable})`;
    colors[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colors;
}
