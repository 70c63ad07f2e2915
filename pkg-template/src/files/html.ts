// Extracts the text from HTML answers. It isn't a full HTML parser.

/** Block elements. */
const BLOCKS = /* @__PURE__ */ new Set(
  /* @__PURE__ */ "address article aside blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul".split(
    " ",
  ),
);
/** Elements whose contents are skipped. */
const UNREAD = new Set(["script", "style", "head", "template"]);
const ENTITIES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    hellip: "…",
    mdash: "—",
    ndash: "–",
  }),
);

/** Returns the text of HTML. Linear: reads each character once. */
export function textOfHtml(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) {
      break;
    }
    text += html.slice(at, open);
    const [tag, slash, name = ""] = /^<(?:(\/?)([a-z][a-z0-9]*)|[!?])/i.exec(html.slice(open, open + 20)) ?? [];
    if (tag === undefined) {
      text += "<"; // a "less than" sign, not a tag
      at = open + 1;
      continue;
    }
    const close = html.indexOf(">", open);
    if (close < 0) {
      at = open;
      break;
    }
    at = close + 1;
    const element = name.toLowerCase();
    if (UNREAD.has(element) && slash === "") {
      const end = html.indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    } else if (BLOCKS.has(element)) {
      text += element === "li" && slash === "" ? "\n- " : "\n";
    } else if ((element === "td" || element === "th") && slash === "") {
      text += " | ";
    }
  }
  return decoded(text + html.slice(at))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) {
      return ENTITIES.get(name.toLowerCase()) ?? whole;
    }
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
