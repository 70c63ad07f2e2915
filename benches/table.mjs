// Figures in columns.

/** A number as it is read: three digits or more, and thousands apart. */
export function shown(value) {
  if (typeof value !== "number") {
    return String(value ?? "");
  }
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rows of a heading and cells; the first column is a text, the others end on the right. */
export class Table {
  #rows;

  constructor(...headings) {
    this.#rows = [headings];
  }

  add(...cells) {
    this.#rows.push(cells.map(shown));
  }

  /** A line of its own, before what belongs to it. */
  title(text) {
    this.#rows.push([]);
    this.#rows.push([text]);
  }

  text() {
    const widths = this.#rows.reduce((most, row) => {
      // A title is as long as it is.
      const cells = row.length > 1 ? row : [];
      return cells.map((cell, index) => Math.max(most[index] ?? 0, cell.length)).concat(most.slice(cells.length));
    }, []);
    return this.#rows
      .map((row) =>
        row
          .map((cell, index) =>
            index === 0 && row.length > 1
              ? cell.padEnd(widths[0])
              : row.length > 1
                ? cell.padStart(widths[index])
                : cell,
          )
          .join("  ")
          .trimEnd(),
      )
      .join("\n");
  }
}
