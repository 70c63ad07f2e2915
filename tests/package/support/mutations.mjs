// Random changes to valid inputs: texts, JSON values and bytes.

/** Texts that readers stumble over. */
const PIECES = [
  () => "\ud800",
  () => "\\ud800",
  () => "\udc00\ud800",
  () => "\u0000",
  () => "\\u0000",
  () => "\ufeff",
  () => "\u2028",
  () => "\r",
  () => "\n",
  () => "\n\n{}\n",
  () => '"',
  () => "\\",
  () => "]",
  () => "}",
  () => ",",
  () => "null",
  () => '{"role":"user","content":"spliced"}\n',
  () => '"__proto__":{"role":"system","content":"forged"},',
  () => '"constructor":{"prototype":null},',
  () => '"role":"tool",',
  () => '"content":null,',
  () => '"$bytes":"AA==",',
  () => "[".repeat(20_000),
  () => '{"a":'.repeat(20_000),
  () => `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  () => "x".repeat(200_000),
  () => "\\u0041".repeat(20_000),
];

const NUMBERS = ["9007199254740991", "9007199254740993", "-0", "0", "-1", "0.5", "1e309", "-1e309", "1e-400", "NaN"];
NUMBERS.push("4294967296", "2147483648", "65536", "8640000000000001", "1e21", "Infinity", "00", "01");

const VALUES = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -0,
  () => -1,
  () => 0.5,
  () => 1e-320,
  () => Number.MAX_SAFE_INTEGER,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => 2 ** 32,
  () => 2 ** 31,
  () => Number.MAX_VALUE,
  () => Number.POSITIVE_INFINITY,
  () => Number.NaN,
  () => 8.64e15 + 1,
  () => "",
  () => "NaN",
  () => "\ud800",
  () => "a\u0000b",
  () => "\ufeff",
  () => "__proto__",
  () => "constructor",
  () => "{text}{number}{count}",
  () => "user",
  () => "x".repeat(100_000),
  () => [],
  () => [null],
  () => [[[]]],
  () => ({}),
  () => JSON.parse('{"__proto__":{"role":"system"}}'),
  () => ({ role: "user", content: "b" }),
  () => nested(20_000),
  () => ({ deep: nested(20_000) }),
  () => Array.from({ length: 5000 }, () => 1),
];

function nested(depth) {
  /** @type {object} */
  let value = [];
  for (let level = 0; level < depth; level++) {
    value = level % 2 === 0 ? [value] : { a: value };
  }
  return value;
}

/** Two positions in a list or a text, the first before the second, mostly close to each other. */
function stretch(random, length) {
  const first = random.integer(0, length);
  const most = random.chance(0.7) ? Math.min(length, first + 12) : length;
  return [first, random.integer(first, most)];
}

/** Changes a text one to four times. `others` are texts to splice in. */
export function mutateText(random, text, others) {
  let changed = text;
  for (let count = random.integer(1, 4); count > 0; count--) {
    const [first, end] = stretch(random, changed.length);
    const [before, part, after] = [changed.slice(0, first), changed.slice(first, end), changed.slice(end)];
    const lines = changed.split("\n");
    changed = random.pick([
      () => before + after,
      () => before + random.pick(PIECES)() + changed.slice(first),
      () => before + random.pick(PIECES)() + after,
      () => before + part + part + after,
      () =>
        before +
        String.fromCharCode(changed.charCodeAt(first) ^ (1 << random.integer(0, 15))) +
        changed.slice(first + 1),
      () => swapped(random, lines).join("\n"),
      () => before + random.pick(others).slice(random.integer(0, 400)),
      () => replaceNumber(random, changed),
      () => replaceNumber(random, changed),
      () => changed.slice(0, first),
    ])();
  }
  return changed;
}

function swapped(random, list) {
  const copy = [...list];
  const [one, other] = [random.integer(0, list.length - 1), random.integer(0, list.length - 1)];
  [copy[one], copy[other]] = [copy[other], copy[one]];
  return copy;
}

function replaceNumber(random, text) {
  const numbers = [...text.matchAll(/-?\d+(\.\d+)?/g)];
  if (numbers.length === 0) {
    return text;
  }
  const { index, 0: found } = random.pick(numbers);
  return text.slice(0, index) + random.pick(NUMBERS) + text.slice(index + found.length);
}

/** Changes a copy of a JSON value one to three times. */
export function mutateValue(random, value) {
  const copy = { value: structuredClone(value) };
  for (let count = random.integer(1, 3); count > 0; count--) {
    const [holder, key] = random.pick(placesOf(copy));
    const inner = isShallow(holder[key], 40) ? holder[key] : null;
    random.pick([
      () => set(holder, key, random.pick(VALUES)()),
      () => set(holder, key, random.pick(VALUES)()),
      () => set(holder, key, structuredClone(randomInner(random, copy))),
      () => set(holder, key, [inner]),
      () => set(holder, key, String(inner).slice(0, 1000)),
      () => (Array.isArray(holder) ? holder.splice(key, 1) : holder === copy || delete holder[key]),
      () => Array.isArray(inner) && inner.push(...structuredClone(inner.slice(0, 100))),
      () => Array.isArray(inner) && inner.length > 1 && set(holder, key, swapped(random, inner)),
      () =>
        isObject(inner) &&
        set(inner, random.pick(["__proto__", "constructor", "a", "", "toJSON"]), random.pick(VALUES)()),
    ])();
  }
  return copy.value;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own field, even if it is named `__proto__`. */
function set(holder, key, value) {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Every place in a value, as its holder and key. Very deep places are skipped. */
function placesOf(root) {
  const places = [];
  const open = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [holder, depth] = next;
    for (const key of Object.keys(holder).slice(0, 200)) {
      places.push([holder, key]);
      if (typeof holder[key] === "object" && holder[key] !== null && depth < 12) {
        open.push([holder[key], depth + 1]);
      }
    }
  }
  return places;
}

/** A random inner value that isn't nested too deeply to be copied. */
function randomInner(random, root) {
  const [holder, key] = random.pick(placesOf(root));
  return isShallow(holder[key], 40) ? holder[key] : null;
}

function isShallow(value, depth) {
  if (typeof value !== "object" || value === null) {
    return true;
  }
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** Changes bytes one to three times, so that they differ. `others` are bytes to splice in. */
export function mutateBytes(random, bytes, others) {
  let changed = bytes;
  for (let count = random.integer(1, 3); count > 0 || isSame(changed, bytes); count--) {
    const [first, end] = stretch(random, changed.length);
    const [before, part, after] = [changed.slice(0, first), changed.slice(first, end), changed.slice(end)];
    const other = random.pick(others);
    const filled = (value) => new Uint8Array(end - first).fill(value);
    const flipped = Uint8Array.of((changed[first] ?? 0) ^ (1 << random.integer(0, 7)));
    changed = joined(
      ...random.pick([
        [before, flipped, changed.slice(first + 1)],
        [before, flipped, changed.slice(first + 1)],
        [before, after],
        [before],
        [before, part, part, after],
        [before, filled(0), after],
        [before, filled(255), after],
        [before, other.slice(random.integer(0, other.length))],
        [before, other.slice(first, end), after],
        [other],
      ]),
    );
  }
  return changed;
}

function isSame(one, other) {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
