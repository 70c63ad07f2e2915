// Draws the cost of more recall in prefix reuse, as an SVG that is legible on light and dark pages.

const WIDTH = 720;
const HEIGHT = 440;
const LEFT = 64;
const TOP = 24;
const RIGHT = 176;
const BOTTOM = 56;
const COLOURS = ["#2f7d5b", "#b8651b", "#4f67b0", "#8d4a8f"];

const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
const round = (number) => number.toFixed(1);

/** Returns the plot of several sets, each with its own points and those of others. */
export function frontierPlot(sets) {
  const parts = [grid()];
  for (const [index, { name, points, others }] of sets.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    const path = points.map(({ reuse, evidence }) => `${round(x(evidence))},${round(y(reuse))}`).join(" ");
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const { share, reuse, evidence } of points) {
      const [cx, cy] = [round(x(evidence)), round(y(reuse))];
      parts.push(
        `<circle cx="${cx}" cy="${cy}" r="${share === 0.15 ? 6 : 3.5}" fill="${colour}"><title>${name}: ${percent(share)} for what is recalled; reuse ${percent(reuse)}, evidence ${percent(evidence)}</title></circle>`,
      );
    }
    for (const { row, reuse, evidence } of others) {
      const [cx, cy] = [x(evidence), y(reuse)];
      parts.push(
        `<path d="M${round(cx - 4)} ${round(cy - 4)}l8 8m0 -8l-8 8" stroke="${colour}" stroke-width="2"><title>${name}, ${row}: reuse ${percent(reuse)}, evidence ${percent(evidence)}</title></path>`,
      );
    }
    const legend = TOP + 16 + index * 22;
    parts.push(
      `<circle cx="${WIDTH - RIGHT + 24}" cy="${legend - 4}" r="5" fill="${colour}"/>`,
      text(WIDTH - RIGHT + 36, legend, name),
    );
  }
  const below = TOP + 16 + sets.length * 22;
  parts.push(
    text(WIDTH - RIGHT + 18, below, "large dot: steady"),
    text(WIDTH - RIGHT + 18, below + 18, "crosses: others, default"),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Reuse of the prompt against evidence kept">\n<style>text{fill:#333}line{stroke:#8884}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>\n${parts.join("\n")}\n</svg>\n`;
}

function grid() {
  const lines = [];
  for (let share = 0; share <= 1.0001; share += 0.2) {
    lines.push(
      `<line x1="${round(x(share))}" x2="${round(x(share))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(share))}" y2="${round(y(share))}"/>`,
      text(x(share), HEIGHT - BOTTOM + 18, percent(share), "middle"),
      text(LEFT - 8, y(share) + 4, percent(share), "end"),
    );
  }
  lines.push(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "evidence kept", "middle"));
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  lines.push(
    `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">tokens that repeat the prompt before</text>`,
  );
  return lines.join("\n");
}

function text(left, top, words, anchor = "start") {
  return `<text x="${round(left)}" y="${round(top)}" text-anchor="${anchor}">${words}</text>`;
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}
