// Dialects of messages with `role` and `content`. Many applications mix them in one message, so each part is read by
// its type and each field by its name, according to the dialect it comes from.

import type { TextKind, UnknownRecord } from "./format.js";
import type { PlainPart } from "./message.js";
import type { PlacedPart } from "./origin.js";

/** The form of one type of content part. */
export interface PartForm {
  /** The fields that `read` uses. */
  readonly fields: ReadonlySet<string>;
  /**
   * Returns one or more canonical parts. `maker` is the provider of a message's reasoning if the part doesn't name one.
   * Throws `MalformedMessage`.
   */
  read(part: UnknownRecord, place: string, maker: string | undefined): PlainPart | readonly PlainPart[];
  /** The kind of its text. Undefined if it has no text that could be replaced. */
  readonly text?: TextKind;
  /** Returns a copy with another text. */
  withText?(part: UnknownRecord, text: string): UnknownRecord;
  /**
   * Returns the caller's part in the form that its provider accepts back, or undefined if it only looks like the
   * provider's. Default: the part itself.
   */
  givenOf?(part: UnknownRecord): unknown;
  /** True for a tool call or its result. */
  readonly isOfTool?: boolean;
}

/** The content of a message outside its field `content`. */
export interface BesideContent {
  /** Reasoning, which comes before the content. */
  readonly thoughts?: readonly PlacedPart[] | undefined;
  /** Words, which come after the content. */
  readonly said?: readonly PlacedPart[] | undefined;
  readonly calls?: readonly PlacedPart[] | undefined;
  /** The id of the call that the message answers. */
  readonly answered?: string | undefined;
}

/** Fields that a server set on a message and that OpenAI doesn't know. */
export interface ServerFields {
  /** The fields of the message itself. */
  readonly fields: UnknownRecord;
  /** Everything that goes back to the server, including fields of calls and parts, in the form that is counted. */
  readonly text: string;
  /** True if the fields contain the assistant's thoughts. */
  readonly saysThoughts: boolean;
}

export interface Dialect {
  /** The fields of a message that `beside` reads. */
  readonly fields: readonly string[];
  /** The fields among them that hold tool calls, or name the call that the message answers. */
  readonly toolFields: readonly string[];
  /** The fields among them whose text is dropped when the content is replaced. */
  readonly textFields?: readonly string[];
  /** The fields among them with a list of media, which lines after the content can replace. */
  readonly mediaFields?: readonly string[];
  /** Its own names for roles, and windrow's. */
  readonly roles?: Readonly<Record<string, string>>;
  /** The forms of its parts, by type. */
  readonly parts: Readonly<Record<string, PartForm>>;
  /** Returns the form for a type that isn't in `parts`, for families of types. */
  partOf?(type: string): PartForm | undefined;
  /** Returns the content of a message outside its field `content`. Undefined if it has none of the fields. */
  beside?(message: UnknownRecord, maker: string | undefined): BesideContent | undefined;
  /** Returns the fields that a server set on an assistant message. `others` are the fields that other dialects read. */
  serverFields?(message: UnknownRecord, others: ReadonlySet<string>): ServerFields | undefined;
}

let dialects: readonly Dialect[] = [];
let parts: ReadonlyMap<string, PartForm> = new Map();

/** Sets the known dialects. */
export function provideDialects(known: readonly Dialect[]): void {
  dialects = known;
  others = undefined;
  parts = new Map(known.flatMap((dialect) => Object.entries(dialect.parts)));
}

/** Returns the fields of messages with media next to the content. */
export const mediaFields = (): readonly string[] => dialects.flatMap((dialect) => dialect.mediaFields ?? []);

/** Returns the form for a type of part. Undefined if no dialect has it. */
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

/** Returns the content of a message outside its field `content`, in the order of the dialects. */
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

/** Returns the fields that its server set on a message. */
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
