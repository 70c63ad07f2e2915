// Base64 in tool results. A screenshot that a tool returned as text costs tens of thousands of tokens, and no
// model can see it. A line with its type and size replaces it.

import { isRecord } from "../base/plain-data.js";
import type { UnknownRecord } from "./format.js";
import { changedAt, type PlacedChange, type PlacedPart, withFields } from "./origin.js";

/** The shortest base64 that is cut. A model may need every letter of a shorter one, such as a key or a checksum. */
const LEAST_LETTERS = 1000;

/** A run of base64, on one line or on lines of a fixed width, including the head of a `data:` URL if there is one. */
const RUN =
  /(data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*;base64,)?[A-Za-z0-9+/_-]{40,}(?:\r?\n[A-Za-z0-9+/_-]{40,})*(?:\r?\n[A-Za-z0-9+/_-]+(?==))?={0,2}/g;

/** Fields of a result's part that the tool didn't return: its arguments, and data that only a provider can read. */
const NOT_RETURNED: ReadonlySet<string> = new Set([
  ...["input", "args", "arguments", "rawInput", "signature", "thoughtSignature"],
  ...["providerMetadata", "providerOptions", "providerData", "callProviderMetadata", "encrypted_content"],
]);
const MEDIA_TYPE = /^(?:input_)?(?:image|file|audio|video|document|media)/;

/** Copies of messages whose results contained base64. */
const copies = new WeakMap<object, object>();

/** Returns the message to send: the caller's own, or a marked copy without the base64 in its results. */
export function sentFor<M>(message: M): M {
  return typeof message === "object" && message !== null
    ? ((copies.get(message) as M | undefined) ?? message)
    : message;
}

/** Returns a marked copy of a parsed message without the base64 in its results. Undefined if they contain none. */
export function withoutBase64(given: UnknownRecord, parts: readonly PlacedPart[]): UnknownRecord | undefined {
  copies.delete(given);
  // Several results may come from one place, which is cut once.
  const places = new Map<string, boolean>();
  for (const { part, place } of parts) {
    if (part.type === "tool-result") {
      const { type } = isRecord(part.output) ? part.output : {};
      places.set(place, (places.get(place) ?? true) && type === "content");
    }
  }
  const copy = changedAt(
    given,
    Array.from(places, ([place, hasMedia]): PlacedChange => [place, (held) => cutIn(held, hasMedia)]),
  ) as UnknownRecord;
  if (copy === given) {
    return undefined;
  }
  const marked = { ...copy, shortened: true };
  copies.set(given, marked);
  return marked;
}

/** Cuts the base64 in a result's part. Returns the part itself if it contains none. */
const cutIn = (value: unknown, hasMedia: boolean): unknown =>
  isRecord(value)
    ? mapped(value, (field, key) => (NOT_RETURNED.has(key) ? field : cut(field, hasMedia)))
    : cut(value, hasMedia);

/** Returns a value without base64. With `hasMedia`, images and files of a result stay. */
function cut(value: unknown, hasMedia: boolean): unknown {
  if (typeof value === "string") {
    return value.length < LEAST_LETTERS ? value : value.replace(RUN, lineFor);
  }
  const isMedia = hasMedia && isRecord(value) && (MEDIA_TYPE.test(String(value.type)) || isRecord(value.inlineData));
  return (Array.isArray(value) || isRecord(value)) && !isMedia ? mapped(value, (field) => cut(field, hasMedia)) : value;
}

/** Returns a copy with changed fields, or the object itself if none changes. */
const mapped = (value: object, change: (field: unknown, name: string) => unknown): object =>
  withFields(
    value,
    Object.entries(value).map(([name, field]) => [name, change(field, name)] as const),
  );

function lineFor(run: string, url: string | undefined, mediaType: string | undefined): string {
  const letters = run.length - (url?.length ?? 0);
  // A long word in one case is a sequence or a number, not base64.
  const isBase64 = url !== undefined || (/[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run));
  return letters < LEAST_LETTERS || !isBase64
    ? run
    : `[${mediaType ?? "base64"}: ${Math.floor((letters * 3) / 4)} bytes, not shown]`;
}
