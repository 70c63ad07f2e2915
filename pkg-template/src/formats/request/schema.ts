// The fields that a provider knows, as data. The same table is used to write a body and to check it.

import { isRecord } from "../../base/plain-data.js";

/** The fields of an object, each with the schema of its value if that is checked too. */
export interface FieldSchema {
  readonly [field: string]: true | FieldSchema;
}

/** Returns a schema of fields with any values, from their names in one text. */
export function fields(names: string, inner: FieldSchema = {}): FieldSchema {
  return { ...Object.fromEntries(names.split(" ").map((name) => [name, true as const])), ...inner };
}

/** Yields the places of fields that a schema doesn't know. Undefined fields don't count. */
export function* unknownFields(value: unknown, schema: FieldSchema, place: string): Iterable<string> {
  if (!isRecord(value)) {
    return;
  }
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (known === undefined) {
      if (field !== undefined) {
        yield `${place}.${name}`;
      }
    } else if (known !== true) {
      yield* unknownFields(field, known, `${place}.${name}`);
    }
  }
}

/** Returns an object with only the fields that a schema knows. The object itself if it has no others. */
export function knownFieldsIn<T extends object>(value: T, schema: FieldSchema): T {
  const entries = Object.entries(value);
  const kept = entries.flatMap(([name, field]): [string, unknown][] => {
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (known === undefined) {
      return field === undefined ? [[name, field]] : [];
    }
    return [[name, known !== true && isRecord(field) ? knownFieldsIn(field, known) : field]];
  });
  const isSame = kept.length === entries.length && kept.every(([, field], at) => field === entries[at]?.[1]);
  return isSame ? value : (Object.fromEntries(kept.filter(([, field]) => field !== undefined)) as T);
}
