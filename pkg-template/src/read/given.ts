// Where a part in windrow's own form comes from, or a message: the caller's own, which its own provider gets back as it was, and its
// place, for errors. It stands beside the part, not in it: nothing that counts or compares parts sees it.

/** Where a part comes from, or a message. */
export interface Origin {
  /** The caller's part, call, item or message; undefined where it was a text, or a field of the message. */
  readonly given: unknown;
  /** Its place in the message: `.content[2]`. */
  readonly place: string;
}

const origins = new WeakMap<object, Origin>();

/** Notes where a part comes from, and gives the part. */
export function from<Part extends object>(part: Part, given: unknown, place: string): Part {
  origins.set(part, { given, place });
  return part;
}

/** Where a part comes from; undefined where that is not known. */
export function originOf(part: object): Origin | undefined {
  return origins.get(part);
}
