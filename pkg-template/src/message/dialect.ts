// Dialects of messages that have a role and a content. Many applications mix them in one message, so a part is read by its type and a
// field by its name, each by the dialect that it comes from.

import type { TextKind, UnknownRecord } from "./format.js";
import type { PlainPart } from "./message.js";
import type { PlacedPart } from "./origin.js";

/** One type of content part. */
export interface PartForm {
  /** The fields that `read` reads. */
  readonly fields: ReadonlySet<string>;
  /**
   * Returns the canonical part, or several. `maker` is the provider whose reasoning a message holds if it doesn't say. Throws
   * `MalformedMessage`.
   */
  read(part: UnknownRecord, place: string, maker: string | undefined): PlainPart | readonly PlainPart[];
  /** The kind of text in it; undefined if it has none that could be replaced. */
  readonly text?: TextKind;
  /** Returns a copy with another text. */
  withText?(part: UnknownRecord, text: string): UnknownRecord;
  /**
   * Returns the caller's part, as its provider gets it back: undefined for one that only looks like the provider's. Default: the part
   * itself.
   */
  givenOf?(part: UnknownRecord): unknown;
  /** Whether it is a tool call, or the result of one. */
  readonly isOfTool?: boolean;
}

/** What a message says outside its content. */
export interface BesideContent {
  /** Reasoning: it comes before the content. */
  readonly thoughts?: readonly PlacedPart[] | undefined;
  /** What was said: it comes after the content. */
  readonly said?: readonly PlacedPart[] | undefined;
  readonly calls?: readonly PlacedPart[] | undefined;
  /** The id of the call that the message answers. */
  readonly answered?: string | undefined;
}

/** Fields that a server set on a message, and that OpenAI doesn't know. */
export interface ServerFields {
  /** The fields of the message itself. */
  readonly fields: UnknownRecord;
  /** All that goes back to the server, in its calls and parts too, as it is counted. */
  readonly text: string;
  /** True if the fields say what the assistant thought. */
  readonly saysThoughts: boolean;
}

export interface Dialect {
  /** The fields of a message that `beside` reads. */
  readonly fields: readonly string[];
  /** The fields among them that hold tool calls, or name the call that the message answers. */
  readonly toolFields: readonly string[];
  /** The fields among them whose text goes when the content is given another. */
  readonly textFields?: readonly string[];
  /** Its parts by their type. */
  readonly parts: Readonly<Record<string, PartForm>>;
  /** Finds the form of a type that isn't in `parts`: of a family of types. */
  partOf?(type: string): PartForm | undefined;
  /** Returns what a message says outside its content; undefined if it has none of the fields. */
  beside?(message: UnknownRecord, maker: string | undefined): BesideContent | undefined;
  /** Returns what a server set on a message of the assistant's. `others` are the fields that other dialects read. */
  serverFields?(message: UnknownRecord, others: ReadonlySet<string>): ServerFields | undefined;
}

let dialects: readonly Dialect[] = [];
let parts: ReadonlyMap<string, PartForm> = new Map();

/** Sets the dialects that are read. */
export function provideDialects(known: readonly Dialect[]): void {
  dialects = known;
  others = undefined;
  parts = new Map(known.flatMap((dialect) => Object.entries(dialect.parts)));
}

/** Returns the form of a type of part; undefined if no dialect has it. */
export function formOf(type: unknown): PartForm | undefined {
  if (typeof type !== "string") {
    return undefined;
  }
  const known = parts.get(type);
  if (known !== undefined) {
    return known;
  }
  for (const dialect of dialects) {
    const form = dialect.partOf?.(type);
    if (form !== undefined) {
      return form;
    }
  }
  return undefined;
}

/** Returns what a message says outside its content, in the order of the dialects. */
export function besideContent(message: UnknownRecord, maker: string | undefined): readonly BesideContent[] {
  let all: BesideContent[] | undefined;
  for (const dialect of dialects) {
    const beside = dialect.beside?.(message, maker);
    if (beside !== undefined) {
      all ??= [];
      all.push(beside);
    }
  }
  return all ?? NOTHING_BESIDE;
}

/** Returns what the server that made a message set on it. */
export function serverFieldsOf(message: UnknownRecord): ServerFields | undefined {
  for (const dialect of dialects) {
    const found = dialect.serverFields?.(message, fieldsOfOthers(dialect));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

let others: ReadonlyMap<Dialect, ReadonlySet<string>> | undefined;

function fieldsOfOthers(own: Dialect): ReadonlySet<string> {
  others ??= new Map(
    dialects.map((dialect) => [
      dialect,
      new Set(dialects.flatMap(({ fields }) => fields).filter((field) => !dialect.fields.includes(field))),
    ]),
  );
  return others.get(own) as ReadonlySet<string>;
}

const NOTHING_BESIDE: readonly BesideContent[] = [];
