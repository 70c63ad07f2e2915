// Prints figures in columns.

/** Formats a number with three or more digits, and with separators. */
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

/** Rows with a heading and cells. The first column is text, and the others are right-aligned. */
export class Table {
  #rows;

  constructor(...headings) {
    this.#rows = [headings];
  }

  add(...cells) {
    this.#rows.push(cells.map(shown));
  }

  /** Adds a title line above the following rows. */
  title(text) {
    this.#rows.push([]);
    this.#rows.push([text]);
  }

  text() {
    const widths = this.#rows.reduce((most, row) => {
      // Titles don't affect the widths of columns.
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
