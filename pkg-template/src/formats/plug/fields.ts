// Objects of frameworks whose types are not known here.

export type PlainFields = Readonly<Record<string, unknown>>;

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): PlainFields =>
  typeof value === "object" && value !== null ? (value as PlainFields) : {};
