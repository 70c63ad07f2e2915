// Messages of Amazon Bedrock's Converse API: a role, and blocks that are identified by their only field. Results of
// tools are a user message with nothing but results. A cache point belongs to the block before it.
//
// Recognized by: blocks without a type, such as `toolUse`.

import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  kindOfMediaType,
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, MalformedMessage, required, text as textAt } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { callPart, mediaPart, toolChange } from "../../message/parts.js";
import { hasMedia } from "../../message/substance.js";
import { encodedBytes, MEDIA_TYPES, type MediaKind } from "./media.js";

/** The fields of a block that windrow reads, as a structural type. A part with a type belongs to another format. */
interface BedrockBlockShape {
  readonly type?: undefined;
  readonly text?: unknown;
  readonly image?: unknown;
  readonly document?: unknown;
  readonly video?: unknown;
  readonly audio?: unknown;
  readonly toolUse?: unknown;
  readonly toolResult?: unknown;
  readonly reasoningContent?: unknown;
  readonly citationsContent?: unknown;
  readonly searchResult?: unknown;
  readonly guardContent?: unknown;
  readonly cachePoint?: unknown;
  readonly toolAddition?: unknown;
  readonly toolRemoval?: unknown;
  readonly $unknown?: unknown;
}

/** The fields of a Converse message that windrow reads, as a structural type. */
export interface BedrockMessageShape {
  readonly role: string | undefined;
  readonly content: readonly BedrockBlockShape[] | undefined;
  /** Excluded: a message with parts has another format. */
  readonly parts?: undefined;
}

/** Reads the content of a block's field. `place` is the place of the field. */
type BlockReader = (held: unknown, place: string) => PartInput | readonly PartInput[];

const READERS: Readonly<Record<string, BlockReader>> = {
  text: (held, place) => ({ type: "text", text: required(held, place) }),
  image: readMedia("image"),
  document: readMedia("document"),
  video: readMedia("video"),
  audio: readMedia("audio"),
  toolUse(held, place) {
    const call = recordOf(held);
    const { toolUseId: id, name, input } = call;
    const part = callPart({}, { id, name, input, fields: ["toolUseId", "name"] }, place);
    return isHosted(call) ? { ...part, providerExecuted: true } : part;
  },
  toolResult(held, place) {
    const result = recordOf(held);
    return {
      type: "tool-result",
      toolCallId: required(result.toolUseId, `${place}.toolUseId`),
      output: outputOf(list(result.content, `${place}.content`), `${place}.content`),
      ...(result.status === "error" ? { isError: true } : {}),
      ...(isHosted(result) ? { providerExecuted: true } : {}),
    };
  },
  reasoningContent(held, place) {
    const { reasoningText, redactedContent } = recordOf(held);
    if (redactedContent != null) {
      const data = encodedBytes(redactedContent, `${place}.redactedContent`);
      return { type: "redacted_thinking", data, provider: MAKER };
    }
    const { text, signature } = recordOf(reasoningText);
    const proof = typeof signature === "string" && signature !== "" ? { signature, provider: MAKER } : {};
    return { type: "reasoning", text: required(text, `${place}.reasoningText.text`), ...proof };
  },
  citationsContent(held, place) {
    const texts = list(recordOf(held).content, `${place}.content`);
    return textOfAll(texts, `${place}.content`);
  },
  searchResult(held, place) {
    const { title, source, content } = recordOf(held);
    const texts = textsIn(list(content, `${place}.content`), `${place}.content`);
    const said = [textAt(title, `${place}.title`), textAt(source, `${place}.source`), ...texts];
    return documentOf(said.filter((it) => it != null).join("\n"), place);
  },
  guardContent(held, place) {
    const { text, image } = recordOf(held);
    return image == null
      ? { type: "text", text: required(recordOf(text).text, `${place}.text.text`) }
      : (READERS.image as BlockReader)(image, `${place}.image`);
  },
  cachePoint: () => [],
  toolAddition: readToolChange,
  toolRemoval: readToolChange,
  json: (held) => ({ type: "text", text: JSON.stringify(held) }),
};

function readToolChange(held: unknown): PartInput {
  return toolChange(recordOf(held).tool, HOST);
}

/** The provider named in tool changes that have Converse's form. */
const HOST = "bedrock";

/** The signatures of Claude's thinking are the same on every host. */
const MAKER = "anthropic";

/** True for a call to a tool that the provider runs, or for its result. */
const isHosted = ({ type }: UnknownRecord): boolean => typeof type === "string" && type !== "";

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);

export const bedrockShape: MessageFormat = {
  name: "bedrock",
  title: "Bedrock Converse message",
  maker: MAKER,
  fields: new Set(["id", "role", "content", "createdAt"]),

  fits: ({ content, parts }) =>
    parts === undefined && listFrom(content).some(isBlock) && !listFrom(content).some(hasType),

  read({ id, role, content, createdAt }) {
    if (!ROLES.has(role)) {
      throw new MalformedMessage(
        ".role",
        role == null ? "the message has no role" : `unknown role ${describe(role)} of a Converse message`,
        "Use the roles user and assistant.",
      );
    }
    const blocks = list(content, ".content");
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: timeIn(createdAt),
      content: blocks.flatMap((block, at) => {
        const place = `.content[${at}]`;
        const point = recordOf(blocks[at + 1]).cachePoint;
        const given = point == null ? block : { ...recordOf(block), cachePoint: point };
        return readBlock(block, place).map((part) => from(part, given, place));
      }),
    };
  },

  withText: (row, text) => ({
    ...row,
    content: partsWithText(blocksIn(row.content), text, {
      kindOf: kindOfBlock,
      rewritten: blockWithText,
      made: (own) => ({ text: own }),
    }),
  }),

  withoutToolCalls: (row, isUnwanted = () => true) =>
    withoutSome(row, "content", (block) => (block.toolUse ?? block.toolResult) != null && isUnwanted(block)),

  withLines(value, next) {
    if ((value.image ?? value.document ?? value.video ?? value.audio) == null) {
      return undefined;
    }
    const line = next();
    return line == null ? value : { text: line };
  },
};

const blocksIn = (content: unknown): readonly UnknownRecord[] => listFrom(content).map(recordOf);

const hasType = (block: unknown): boolean => typeof block === "string" || recordOf(block).type !== undefined;

/** True for a Converse block: it has no type, and the name of its field is its kind. */
function isBlock(block: unknown): boolean {
  const row = recordOf(block);
  return Object.keys(READERS).some((field) => row[field] != null);
}

function readBlock(block: unknown, place: string): readonly PartInput[] {
  const row = recordOf(block);
  const [field, ...others] = Object.keys(row).filter((name) => row[name] != null);
  const read = field !== undefined && Object.hasOwn(READERS, field) ? READERS[field] : undefined;
  if (field === undefined || read === undefined || others.length > 0) {
    const unknown = read === undefined ? field : others[0];
    throw new MalformedMessage(
      unknown === undefined ? place : `${place}.${unknown}`,
      unknown === undefined ? "an empty block" : `unknown field ${describe(unknown)} of a block`,
      "Use the blocks of Converse's messages, each with one field, or leave the block out.",
    );
  }
  return [read(row[field], `${place}.${field}`)].flat();
}

function textsIn(blocks: readonly unknown[], place: string): readonly string[] {
  return listFrom(blocks).map((block, at) => required(recordOf(block).text, `${place}[${at}].text`));
}

const textOfAll = (blocks: readonly unknown[], place: string): PartInput => ({
  type: "text",
  text: textsIn(blocks, place).join(""),
});

const documentOf = (data: string, place: string, about: object = {}): PartInput =>
  mediaPart({ ...about, type: "document", source: { type: "text", media_type: "text/plain", data } }, "file", place);

/** Returns a reader of images, documents, videos or audio: bytes, a location in S3, or the text of a document. */
function readMedia(kind: MediaKind): BlockReader {
  return (held, place) => {
    const { format, source, name } = recordOf(held);
    const { bytes, s3Location, text, content } = recordOf(source);
    const mediaType = typeof format === "string" ? (MEDIA_TYPES[kind][format] ?? `${kind}/${format}`) : undefined;
    const about = { filename: name, mediaType };
    if (text != null || content != null) {
      const said = text ?? textsIn(list(content, `${place}.source.content`), `${place}.source.content`).join("\n");
      return documentOf(required(said, `${place}.source.text`), place, about);
    }
    const uri = recordOf(s3Location).uri;
    if (!hasMedia(bytes) && !hasMedia(uri)) {
      throw new MalformedMessage(place, `the ${kind} has no bytes and no address`, "Add its data, or leave it out.");
    }
    const type = kindOfMediaType(kind === "video" ? "video" : (mediaType ?? kind));
    return mediaPart({ ...about, type, ...(hasMedia(bytes) ? { data: bytes } : { url: uri }) }, type, place);
  };
}

/** Returns a tool's result: a text, an object, or blocks. */
function outputOf(blocks: readonly unknown[], place: string): unknown {
  const [only, ...others] = listFrom(blocks).map(recordOf);
  if (only === undefined) {
    return "";
  }
  if (others.length === 0 && typeof only.text === "string") {
    return only.text;
  }
  if (others.length === 0 && only.json !== undefined) {
    return only.json;
  }
  const value = listFrom(blocks).flatMap((block, at) => {
    const here = `${place}[${at}]`;
    return readBlock(block, here).map((part) => from(part, block, here));
  });
  return { type: "content", value };
}

function kindOfBlock({ text, citationsContent, guardContent, toolResult }: UnknownRecord): TextKind {
  if (toolResult != null) {
    return "result";
  }
  const guarded = recordOf(guardContent).text;
  return typeof text === "string" || citationsContent != null || guarded != null ? "text" : undefined;
}

/** Returns a block with another text. A result keeps its images and documents. */
function blockWithText(block: UnknownRecord, text: string): UnknownRecord {
  const { toolResult } = block;
  if (toolResult == null) {
    return { text };
  }
  const result = recordOf(toolResult);
  const media = blocksIn(result.content).filter((inner) => (inner.text ?? inner.json) == null);
  return { ...block, toolResult: { ...result, content: [...(text === "" ? [] : [{ text }]), ...media] } };
}
