// Values that no caller passes on purpose: hostile ones, and random ones that are almost valid.

/** The name of the method that makes an object thenable. */
const THEN = ["th", "en"].join("");

export const throwing = () =>
  new Proxy(
    {},
    {
      get() {
        throw new Error("this proxy throws");
      },
    },
  );
export const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const cyclic = () => {
  const value = { role: "user", content: "a" };
  value.self = value;
  value.list = [value];
  return value;
};
export const nested = (depth) => {
  let value = [];
  for (let level = 0; level < depth; level++) {
    value = [value];
  }
  return value;
};
const withGetter = (name, base = {}) =>
  Object.defineProperty({ ...base }, name, {
    enumerable: true,
    get() {
      throw new RangeError("this getter throws");
    },
  });
const lengthOnly = (length) => {
  const list = [];
  list.length = length;
  return list;
};

/** All hostile values so far. A test that calls the functions of a result skips these. */
const handedOver = new WeakSet();
export const isHostile = (value) => handedOver.has(value);

/** Registers a value and the functions in its fields as arguments. */
export function handOver(value) {
  if ((typeof value === "object" && value !== null) || typeof value === "function") {
    handedOver.add(value);
    try {
      const fields = Object.values(Object.getOwnPropertyDescriptors(value)).map((field) => field.value);
      fields.filter((field) => typeof field === "function").map((field) => handedOver.add(field));
    } catch {
      // It throws when inspected, so no result has its fields.
    }
  }
  return value;
}

/**
 * A function that rejects. `JSON.stringify` drops a promise that `toJSON` returns, and nobody awaits it. So these promises
 * count as handled, and an unhandled rejection is always windrow's.
 */
const rejecting = () => {
  const rejected = Promise.reject(new Error("this function rejects"));
  rejected.catch(() => {});
  return rejected;
};

/** A method that throws. */
const refusing = (words) => () => {
  throw new Error(words);
};

const hostile = [
  () => undefined,
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => Number.MAX_SAFE_INTEGER,
  () => 10n,
  () => Symbol("hostile"),
  () => "",
  () => "text",
  () => "\ud800",
  () => "__proto__",
  () => () => {},
  () => rejecting,
  () => [],
  () => lengthOnly(1),
  () => lengthOnly(1e9),
  () => lengthOnly(2 ** 32 - 1),
  () => [undefined],
  () => [null, 1, "a"],
  () => ({}),
  () => Object.create(null),
  () => Object.freeze({ role: "user" }),
  () => ({ length: 1e9 }),
  () => ({ [THEN]: refusing("this thenable throws") }),
  () => ({ toString: refusing("no text") }),
  () => ({ toJSON: refusing("no JSON") }),
  () => ({ [Symbol.toPrimitive]: refusing("no primitive") }),
  () => withGetter("role"),
  () => withGetter("content", { role: "user" }),
  () => withGetter("length"),
  () => withGetter("budget"),
  () => throwing(),
  () => [throwing()],
  () =>
    new Proxy([], {
      get: () => {
        throw new Error("this list throws");
      },
    }),
  () => revoked({}),
  () => revoked([]),
  () => revoked(() => {}),
  cyclic,
  () => nested(60_000),
  () => ({ deep: nested(3000) }),
  () => new Date(Number.NaN),
  () => new Date(0),
  () => new Map([["a", 1]]),
  () => new Set([1]),
  () => new WeakMap(),
  () => new Uint8Array(3),
  () => new ArrayBuffer(8),
  () => new Error("an error"),
  () => Promise.resolve(1),
  () => /a+/,
  () => class Own {},
  () => globalThis,
];

/** A hostile value. */
export function anything(random) {
  return handOver(random.pick(hostile)());
}

/** Texts with a meaning to some reader. */
const TEXTS = [
  ..."user assistant tool system developer model function message text tool-call tool-result function_call reasoning human ai".split(
    " ",
  ),
  ..."openai anthropic gemini ai-sdk estimate o200k_base L1 execute m1 c1 __proto__ constructor 2026-01-05T09:00:00Z".split(
    " ",
  ),
  "",
  "Where do we meet?",
  "\ud800",
  '{"a":1}',
];

/** Fields that windrow or a framework reads. */
const FIELDS = [
  ..."role type content text parts messages prompt params model input history modelData instructions tools toolCalls id name".split(
    " ",
  ),
  ..."toolCallId arguments data kwargs info state result output createdAt timeMs seq key entries limit after store session".split(
    " ",
  ),
  ..."sessionId budget maxTokens request recall triage render format config signal action parameters tokenBudget fetch".split(
    " ",
  ),
  ..."baseUrl handler encode decode version encoding bytes expectedSeq operationId length then toJSON".split(" "),
];

/**
 * JSON with hostile values in it: some objects throw when they are read, some are revoked proxies, some are circular.
 */
export function almost(random, depth = 0) {
  const kind = random.integer(0, depth > 4 ? 2 : 6);
  if (kind === 0) {
    return anything(random);
  }
  if (kind === 1) {
    return random.pick(TEXTS);
  }
  if (kind === 2) {
    return random.pick([0, 1, -1, 5, 1.5, 2 ** 53, null, undefined, true, false, 10n, Symbol("s")]);
  }
  if (kind === 3) {
    return Array.from({ length: random.integer(0, 3) }, () => almost(random, depth + 1));
  }
  const value = random.chance(0.1) ? Object.create(null) : {};
  for (let count = random.integer(0, 6); count > 0; count--) {
    const name = random.pick(FIELDS);
    const field = random.chance(0.05) ? value : almost(random, depth + 1);
    const isThrowing = random.chance(0.05);
    Object.defineProperty(value, name, {
      enumerable: true,
      configurable: true,
      get() {
        if (isThrowing) {
          throw new RangeError(`the getter of ${name} throws`);
        }
        return field;
      },
    });
  }
  return kind === 4 ? value : plain(value);
}

/** The same with values instead of getters, if they can be read. */
function plain(value) {
  try {
    return { ...value };
  } catch {
    return value;
  }
}
