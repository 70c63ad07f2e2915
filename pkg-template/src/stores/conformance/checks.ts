// Checks for the cases. A failure names the expected value and the actual one.

/** A check of a case failed. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
}

export function unexpected(failure: unknown): Mismatch {
  const { code, message = String(failure) } = (failure ?? {}) as { code?: unknown; message?: string };
  return new Mismatch(`no failure was expected, found ${code ?? "an error"}: ${message}`, { cause: failure });
}

export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new Mismatch(message);
  }
}

/** Compares deeply. An undefined property counts as missing. */
export function same(found: unknown, expected: unknown, what: string): void {
  const place = difference(found, expected, "");
  if (place !== undefined) {
    const where = place === "" ? "" : `, which differs at ${place}`;
    throw new Mismatch(`${what}: expected ${show(expected)}, found ${show(found)}${where}`);
  }
}

/** Returns the place of the first difference between two values, or undefined if they are equal. */
function difference(found: unknown, expected: unknown, place: string): string | undefined {
  if (Object.is(found, expected)) {
    return undefined;
  }
  if (!isObject(found) || !isObject(expected) || Array.isArray(found) !== Array.isArray(expected)) {
    return place;
  }
  if (Array.isArray(found) && Array.isArray(expected) && found.length !== expected.length) {
    return `${place}.length`;
  }
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const [left, right] = [own(found, name), own(expected, name)];
    const deeper = difference(left, right, `${place}[${show(name)}]`);
    if (deeper !== undefined) {
      return deeper;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

export function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>;
}

/** Returns a value as text for error messages. Cuts long ones. */
export function show(value: unknown): string {
  const text = value === undefined ? "undefined" : (JSON.stringify(value) ?? String(value));
  return text.length > 300 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}

/** Checks that a call fails with a store's error, and with one of `codes` if any are passed. */
export async function fails(call: Promise<unknown>, codes: readonly string[] | undefined, what: string): Promise<void> {
  const failure = await call.then(
    () => undefined,
    (caught: unknown) => caught ?? "nothing",
  );
  if (failure === undefined) {
    throw new Mismatch(`${what}: expected to fail, and did not`);
  }
  const { kind, code, message, nextAction } = failure as Record<string, unknown>;
  const isStoreError = failure instanceof Error && kind === "store_error" && typeof nextAction === "string";
  if (!isStoreError || (codes !== undefined && !codes.includes(String(code)))) {
    const expected = codes === undefined ? "a ContextError of the kind store_error" : `the code ${codes.join(" or ")}`;
    throw new Mismatch(
      `${what}: expected ${expected}, found ${show({ kind, code, message: message ?? String(failure) })}`,
    );
  }
}

/** Runs a change that may fail, because a store may return frozen values. */
export function harmlessly(change: () => void): void {
  try {
    change();
  } catch {
    // The value is frozen, so nothing has changed.
  }
}
