// Reads objects of frameworks whose types aren't known here.

export type PlainFields = Readonly<Record<string, unknown>>;

/** Returns a value that is an object, and an empty object for any other value. */
export const fieldsOf = (value: unknown): PlainFields =>
  typeof value === "object" && value !== null ? (value as PlainFields) : {};
