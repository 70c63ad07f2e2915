// The fields that a provider knows, as data. By one table the body is made, and checked.

import { isRecord } from "../../base/plain-data.js";

/** The fields of an object: what each may hold, where that is looked into. */
export interface FieldSchema {
  readonly [field: string]: true | FieldSchema;
}

/** A schema with fields that hold anything, by their names in one text. */
export function fields(names: string, inner: FieldSchema = {}): FieldSchema {
  return { ...Object.fromEntries(names.split(" ").map((name) => [name, true as const])), ...inner };
}

/** The places of fields that a schema does not know. An undefined field is none. */
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

/** An object with the fields that a schema knows: itself, where it has no others. */
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
