// Converts JavaScript values to data that JSON can represent, and back. Refuses values that would be lost on the way.

import { decodeBase64, encodeBase64 } from "./base64.js";
import type { JsonValue } from "./json.js";

/** The marker field of values that have no JSON form. A caller's object with such a field is escaped with it. */
const MARK = "$windrow";

/** Maximum nesting of lists and objects. Stores and parsers begin to fail beyond it. */
const DEEPEST = 500;

/** Thrown for a value that can't be stored. Names its path. */
export class UnkeptValue {
  /** The path of the value: `content[1].data`. */
  readonly path: string;
  readonly reason: string;
  readonly cause: unknown;

  constructor(path: string, reason: string, cause?: unknown) {
    this.path = path;
    this.reason = reason;
    this.cause = cause;
  }
}

/**
 * Returns fields in an object of the class of another object. The fields are spread and never assigned: assigning to a
 * field named `__proto__`, which JSON may contain, would replace the object's class.
 */
export const sameClass = <O extends object>(one: object, fields: O): O =>
  Object.setPrototypeOf(fields, Object.getPrototypeOf(one) as object | null) as O;

/**
 * Returns a copy of a value without everything that no JSON can hold: values that are nested too deep or contain
 * themselves, lists with holes, and BigInts.
 */
export function jsonCopyOf(value: unknown): unknown {
  const around = new Set<object>();
  const copies = new Map<object, unknown>();
  const copy = (given: unknown): unknown => {
    if (typeof given !== "object" || given === null) {
      return typeof given === "bigint" ? undefined : given;
    }
    if (copies.has(given) || around.has(given) || around.size === DEEPEST) {
      return copies.get(given);
    }
    const prototype: unknown = Object.getPrototypeOf(given);
    const isList = Array.isArray(given);
    if (!isList && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return structuredClone(given);
    }
    around.add(given);
    const fields = Object.entries(given).map(([name, field]) => [name, copy(field)] as const);
    around.delete(given);
    const hasHoles = isList && fields.length < given.length;
    const made = isList ? fields.map(([, field]) => field) : Object.fromEntries(fields);
    copies.set(given, hasHoles ? undefined : made);
    return copies.get(given);
  };
  return copy(value);
}

/**
 * Encodes a value as data, or returns undefined if none of it is data. Leaves out undefined fields. A `Date` becomes
 * its ISO text, bytes of any kind become base64, and an object with a `toJSON` becomes its result. Throws `UnkeptValue`
 * if something would be lost silently.
 */
export function encodePlain(value: unknown, path = ""): JsonValue | undefined {
  const around = new Set<object>();
  const encode = (given: unknown, place: string): JsonValue | undefined => {
    switch (typeof given) {
      case "undefined":
      case "string":
      case "boolean":
        return given;
      case "number":
        if (!Number.isFinite(given)) {
          throw new UnkeptValue(place, `${given} can't be represented in JSON`);
        }
        return given === 0 ? 0 : given; // JSON has no negative zero
      case "object":
        return given === null ? null : reading(place, () => encodeObject(given, place));
      default:
        throw new UnkeptValue(place, `a ${typeof given} cannot be kept`);
    }
  };
  const encodeObject = (given: object, place: string): JsonValue | undefined => {
    const bytes = bytesOf(given);
    if (bytes !== undefined) {
      return { [MARK]: "bytes", base64: encodeBase64(bytes) };
    }
    if (around.has(given)) {
      throw new UnkeptValue(place, "it contains itself");
    }
    if (around.size === DEEPEST) {
      throw new UnkeptValue(place, `it is nested more than ${DEEPEST} levels deep`);
    }
    around.add(given);
    const data = encodeWhole(given, place);
    around.delete(given);
    return data;
  };
  const encodeWhole = (given: object, place: string): JsonValue | undefined => {
    if (given instanceof Date && Number.isNaN(given.getTime())) {
      throw new UnkeptValue(place, "the date is invalid");
    }
    const { toJSON: toJson } = given as { readonly toJSON?: unknown };
    if (typeof toJson !== "function") {
      return encodeFields(given, place);
    }
    const said: unknown = toJson.call(given, "");
    return said === given ? encodeFields(given, place) : encode(said, place);
  };
  const encodeFields = (given: object, place: string): JsonValue => {
    if (Array.isArray(given)) {
      return Array.from({ length: given.length }, (_, index) => {
        const item = `${place}[${index}]`;
        const data = encode(get(given, index, item), item);
        if (data === undefined) {
          throw new UnkeptValue(item, "a list with an empty element cannot be kept");
        }
        return data;
      });
    }
    const prototype: unknown = Object.getPrototypeOf(given);
    if (!(prototype === null || Object.getPrototypeOf(prototype) === null)) {
      throw new UnkeptValue(place, `an object of the class ${classOf(given)} cannot be kept`);
    }
    // Built from entries, because assigning to `__proto__` wouldn't set a field.
    const fields = Object.fromEntries(
      Object.keys(given).flatMap((name): [string, JsonValue][] => {
        const field = placeOf(place, name);
        const data = encode(get(given, name, field), field);
        return data === undefined ? [] : [[name, data]];
      }),
    );
    return Object.hasOwn(fields, MARK) ? { [MARK]: "object", value: fields } : fields;
  };
  return encode(value, path);
}

/**
 * Decodes data into the original value; bytes become a `Uint8Array`. Data without a marker comes back unchanged, and so
 * does data that only looks marked, because files may come from anywhere.
 */
export function decodePlain(data: unknown): unknown {
  if (typeof data !== "object" || data === null) {
    return data;
  }
  if (Array.isArray(data)) {
    const items = data.map(decodePlain);
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  const marked = decodeMarked(data as Readonly<Record<string, unknown>>);
  return marked ?? decodeFields(data);
}

function decodeMarked(data: Readonly<Record<string, unknown>>): unknown {
  if (!Object.hasOwn(data, MARK) || Object.keys(data).length !== 2) {
    return undefined;
  }
  const { [MARK]: mark, base64, value } = data;
  if (mark === "object" && isRecord(value) && Object.hasOwn(value, MARK)) {
    return decodeFields(value);
  }
  if (mark !== "bytes" || typeof base64 !== "string") {
    return undefined;
  }
  try {
    return decodeBase64(base64);
  } catch {
    return undefined;
  }
}

function decodeFields(data: object): object {
  const fields = Object.entries(data);
  const decoded = fields.map(([name, value]): [string, unknown] => [name, decodePlain(value)]);
  return fields.every(([, value], index) => value === decoded[index]?.[1]) ? data : Object.fromEntries(decoded);
}

/** Returns an object's data with further fields. */
export function withFields(
  data: Readonly<Record<string, JsonValue>>,
  fields: Readonly<Record<string, JsonValue>>,
): JsonValue {
  const { value } = data;
  return Object.hasOwn(data, MARK) && isRecord(value)
    ? { ...data, value: { ...(value as object), ...fields } }
    : { ...data, ...fields };
}

/** True if a value is an object with fields, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const isBuffer =
    value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer);
  return isBuffer ? new Uint8Array(value) : undefined;
}

/** Reads a field of the caller's object. It may be a getter, and that may throw. */
function get(value: object, name: string | number, place: string): unknown {
  return reading(place, () => (value as Readonly<Record<string | number, unknown>>)[name]);
}

/** Runs a function that reads the caller's value, and names the place if it throws. */
function reading<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (failure) {
    throw failure instanceof UnkeptValue ? failure : new UnkeptValue(place, "it could not be read", failure);
  }
}

function classOf(value: object): string {
  try {
    const { name } = (value as { readonly constructor: { readonly name: unknown } }).constructor;
    return typeof name === "string" && name !== "" ? name : "of its own";
  } catch {
    return "of its own";
  }
}

/** Returns the path of a field: `a.b`, or `a["b c"]` if the name isn't an identifier. */
function placeOf(place: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) {
    return `${place}[${JSON.stringify(name.length <= 40 ? name : `${name.slice(0, 40)}…`)}]`;
  }
  return place === "" ? name : `${place}.${name}`;
}
