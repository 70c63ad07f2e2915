// The place that a canonical part was read from, and the caller's own part: its provider gets that back as it was. An origin stands
// next to the part, not in it, so nothing that counts or compares parts sees it.

/** Where a part was read. */
export interface Origin {
  /** The caller's part, call or item; undefined for a text, or a field of the message. */
  readonly given: unknown;
  /** Its place in the message: `.content[2]`. */
  readonly place: string;
  /** The field of it that holds the arguments of a call, or the output of a tool, if that is known: `.input`. */
  readonly field?: string | undefined;
}

const origins = new WeakMap<object, Origin>();

/** Notes the origin of a part, and returns the part. */
export function from<Part extends object>(part: Part, given: unknown, place: string, field?: string): Part {
  origins.set(part, { given, place, field });
  return part;
}

/** Returns the origin of a part; undefined for a content that is a text. */
export function originOf(part: object): Origin | undefined {
  return origins.get(part);
}
