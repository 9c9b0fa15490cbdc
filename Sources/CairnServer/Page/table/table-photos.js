// @ts-check
/** @file The photos of a table's rows, in their order, for the view of one photo. */

/** @typedef {import("./table-rows.js").TableRows} TableRows */

export class TablePhotos {
  /**
   * @param {TableRows} rows
   * @param {number} row the one whose photo was opened
   */
  constructor(rows, row) {
    this.rows = rows;
    this.row = row;
  }

  get count() { return this.rows.count; }

  /**
   * Returns the row of a photo: the one that was opened or stepped to last, or the next one loaded.
   * @param {string} id
   */
  async find(id) {
    const { rows } = this;
    const found = [this.row, ...rows.loaded()].find((index) => rows.at(index)?.photo === id);
    if (found !== undefined) this.row = found;
    return found ?? -1;
  }

  /** @param {number} index */
  async load(index) {
    if (index < 0 || index >= this.count) return null;
    const row = await this.rows.read(index);
    return row && { id: row.photo, name: row.name };
  }
}
