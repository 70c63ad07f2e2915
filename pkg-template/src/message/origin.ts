// The origin of a canonical part: its place, and the caller's own part, which its provider gets back unchanged.

import { sameClass } from "../base/plain-data.js";
import type { PlainPart } from "./message.js";

/** The origin of a part. */
export interface Origin {
  /** The caller's part, call or item. Undefined for a text or a field of the message. */
  readonly given: unknown;
  /** The place in the message: `.content[2]`. */
  readonly place: string;
}

/** A canonical part and its origin. */
export interface PlacedPart extends Origin {
  readonly part: PlainPart;
}

/** True if a part is the result of a tool. */
export const isResult = ({ part }: PlacedPart): boolean =>
  part.type === "tool-result" || part.type === "tool-approval-response";

/** True if a part calls a tool, or asks if it may be called. */
export const isCall = ({ part }: PlacedPart): boolean =>
  part.type === "tool-call" || part.type === "tool-approval-request";

/** Splits a place in a message into the names of its path. */
export const pathOf = (place: string): readonly string[] => place.split(/[.[\]]+/).filter((name) => name !== "");

/** Returns a copy of an object, of the same class, with another value for one field. */
export const copyWith = <O extends object>(owner: O, name: string, value: unknown): O =>
  copyOf(owner, { [name]: value }) as O;

/** A place in a message, and the change of the value there. A change that isn't needed returns the value itself. */
export type PlacedChange = readonly [place: string, change: (value: unknown) => unknown];

/** The changes at a place, and at the places inside it. */
interface ChangeNode {
  readonly own: PlacedChange[1][];
  readonly inside: Map<string, ChangeNode>;
}

/**
 * Returns a copy of a value with changes at some places, or the value itself if nothing changes. Copies each list once,
 * however many of its elements change.
 */
export function changedAt(value: unknown, changes: readonly PlacedChange[]): unknown {
  const root: ChangeNode = { own: [], inside: new Map() };
  for (const [place, change] of changes) {
    let node = root;
    for (const name of pathOf(place)) {
      const next: ChangeNode = node.inside.get(name) ?? { own: [], inside: new Map() };
      node.inside.set(name, next);
      node = next;
    }
    node.own.push(change);
  }
  return changedBy(value, root);
}

function changedBy(value: unknown, { own, inside }: ChangeNode): unknown {
  const fields = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const held = [...inside].map(([name, node]) => [name, changedBy(fields[name], node)] as const);
  return own.reduce((changed, change) => change(changed), withFields(value, held));
}

/**
 * Returns a copy of an object, of the same class, with other values for some fields. The object itself if all are the
 * same.
 */
export function withFields<V>(value: V, fields: readonly (readonly [name: string, value: unknown])[]): V {
  const changed = fields.filter(([name, field]) => (value as Readonly<Record<string, unknown>>)[name] !== field);
  return changed.length === 0 ? value : (copyOf(value as object, Object.fromEntries(changed)) as V);
}

const copyOf = (owner: object, fields: object): object =>
  Array.isArray(owner) ? Object.assign([...owner], fields) : sameClass(owner, { ...owner, ...fields });

/**
 * The origins of parts that formats return, and of parts inside tools' results. They are stored separately, so
 * comparing parts ignores them.
 */
const origins = new WeakMap<object, Origin>();

/** Records the origin of a part, and returns the part. */
export function from<Part extends object>(part: Part, given: unknown, place: string): Part {
  origins.set(part, { given, place });
  return part;
}

/** Returns the recorded origin of a part. */
export function originOf(part: object): Origin | undefined {
  return origins.get(part);
}
