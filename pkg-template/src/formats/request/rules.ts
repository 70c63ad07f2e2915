// Rules that several providers share. Each checks a request that was parsed once into messages and parts, regardless of
// the provider's names for them.

import { listFrom } from "../../base/lists.js";
import { isRecord } from "../../base/plain-data.js";
import { hasHalfCharacter, isPlainObject } from "../../base/well-formed.js";
import { FILE_ID, type Limit } from "./calls.js";
import { INSTRUCTIONS_AT_TOP, type ModelScope } from "./models.js";
import type { Finding, ParsedRequest, RequestMessage, RequestPart, RequestRule, RequestTarget } from "./provider.js";
import { isBlank } from "./text.js";

/** Returns a list in a field of a body. Empty if the body has none. */
export function listIn(value: unknown, field: string): readonly unknown[] {
  const found = isRecord(value) ? value[field] : undefined;
  return listFrom(found);
}

/** Makes a rule. */
export function makeRule(
  id: string,
  demands: string,
  check: (request: ParsedRequest) => Iterable<Finding>,
): RequestRule {
  return { id, demands, check };
}

const isHosted = (kind: RequestPart["kind"] | undefined): boolean => kind === "hosted-call" || kind === "hosted-result";

/** Threads about requests refused for a lone surrogate (half a character), which no JSON parser accepts. */
export const HALF_CHARACTER: readonly string[] = [
  "https://github.com/anthropics/claude-code/issues/60394",
  "https://github.com/anthropics/claude-code/issues/2108",
];

const SYSTEM = "system";
const isSystem = ({ role }: RequestMessage): boolean => role === SYSTEM;

/** Requires a message that isn't an instruction. */
export function hasMessages(field: string): RequestRule {
  return makeRule(
    "has-messages",
    "There is at least one message in addition to the instructions.",
    function* ({ messages }) {
      if (messages.every(isSystem)) {
        yield [field, "there is no message"];
      }
    },
  );
}

export function knownRoles(roles: readonly string[], more = "; instructions are only in their own field"): RequestRule {
  const demands = `Each message has one of the roles ${roles.join(", ")}${more}.`;
  return makeRule("roles-are-known", demands, function* ({ messages }) {
    for (const { place, role } of messages) {
      if (!roles.includes(role)) {
        yield [place, `a message with the role ${role}`];
      }
    }
  });
}

/**
 * Requires that instructions are in the `field` for them, for the models of Claude that take none among the messages.
 */
export function instructionsAtTop(field: string): RequestRule {
  const demands = `Instructions are only in their own field, \`${field}\`.`;
  const atTop = makeRule("instructions-at-top", demands, function* ({ messages, target }) {
    // A request that doesn't name its model may go to any.
    for (const { place } of messages.filter(isSystem)) {
      yield [place, `instructions among the messages, and the model is ${target.model ?? "not named"}`];
    }
  });
  return { ...atTop, models: INSTRUCTIONS_AT_TOP };
}

export const instructionsFollowUser: RequestRule = makeRule(
  "instructions-follow-user",
  "Instructions among the messages directly follow a user message, or an assistant message that ends with a hosted tool, and come before an assistant message or at the end.",
  function* ({ messages }) {
    for (const [at, message] of messages.entries()) {
      const before = messages[at - 1];
      const follows = before?.role === "user" || before?.parts.at(-1)?.kind.startsWith("hosted") === true;
      if (isSystem(message) && (!follows || messages[at + 1]?.role === "user")) {
        yield [message.place, "the instructions are somewhere else"];
      }
    }
  },
);

/** `orCompaction` also allows a first message that begins with a compaction. */
export function startsWithUser(orCompaction = false): RequestRule {
  const other = ", or it begins with a compaction";
  return makeRule(
    "starts-with-user",
    `The first message is a user message without tool results${orCompaction ? other : ""}.`,
    function* ({ messages }) {
      const first = messages.find((row) => !isSystem(row));
      if (orCompaction && first?.parts[0]?.source?.type === "compaction") {
        return;
      }
      if (first !== undefined && (first.role !== "user" || first.parts.some(({ kind }) => kind === "result"))) {
        yield [
          first.place,
          `the first message has the role ${first.role}${first.role === "user" ? ", with a result" : ""}`,
        ];
      }
    },
  );
}

/**
 * `mayPause` allows an assistant message at the end that the provider paused between calls of the provider's tools, and will
 * continue.
 */
export function endsWithUser(models?: ModelScope, mayPause = false): RequestRule {
  const paused = ", or an assistant message that ends with a hosted tool or a compaction";
  const demands = `The last message is from the user or from tools${mayPause ? paused : ""}.`;
  const rule = makeRule("ends-with-user", demands, function* ({ messages }) {
    const last = messages.findLast((row) => !isSystem(row));
    const end = last?.parts.at(-1);
    const isPaused =
      mayPause && last?.role === "assistant" && (isHosted(end?.kind) || end?.source?.type === "compaction");
    if (last !== undefined && last.role !== "user" && last.role !== "results" && !isPaused) {
      yield [last.place, `the last message has the role ${last.role}`];
    }
  });
  return models === undefined ? rule : { ...rule, models };
}

export function rolesAlternate(): RequestRule {
  return makeRule("roles-alternate", "No two messages in a row have the same role.", function* ({ messages }) {
    let before: RequestMessage | undefined;
    for (const row of messages) {
      if (row.role === before?.role) {
        yield [row.place, `it has the role ${row.role}, like the message before it`];
      }
      before = row;
    }
  });
}

export function nothingIsEmpty(): RequestRule {
  return makeRule("nothing-is-empty", "No message is empty, and no text is blank.", function* ({ messages }) {
    for (const { place, parts } of messages) {
      if (parts.length === 0) {
        yield [place, "the message is empty"];
      }
      for (const { kind, text, place: at } of parts) {
        if (kind === "text" && (typeof text !== "string" || isBlank(text))) {
          yield [at, "the text is blank"];
        }
      }
    }
  });
}

/** A message with calls, or several if the provider has one item per call, and the results directly after. */
interface Exchange {
  readonly calls: readonly RequestPart[];
  readonly results: readonly RequestPart[];
}

/**
 * Returns the calls and results that belong together, by position. `isByItem` treats consecutive messages of the
 * assistant's as one.
 */
function exchangesIn(messages: readonly RequestMessage[], isByItem: boolean): readonly Exchange[] {
  const exchanges: { calls: RequestPart[]; results: RequestPart[] }[] = [];
  let before: RequestMessage | undefined;
  for (const row of messages) {
    const results = row.parts.filter(({ kind }) => kind === "result");
    const calls = row.parts.filter(({ kind }) => kind === "call");
    const goesOn =
      results.length > 0 && (before?.role === "assistant" || before?.parts.some((it) => it.kind === "result"));
    const isSame = goesOn || (isByItem && before?.role === "assistant" && row.role === "assistant");
    const exchange = isSame ? exchanges.at(-1) : undefined;
    if (exchange === undefined) {
      exchanges.push({ calls, results });
    } else {
      exchange.calls.push(...calls);
      exchange.results.push(...results);
    }
    before = row;
  }
  return exchanges;
}

/** Returns the key that pairs a call with its result: the id or, without one, the name. */
const keyOf = ({ id, name }: RequestPart): unknown => id ?? name;

/** Returns the parts of a list that have no partner in another. */
function unpaired(list: readonly RequestPart[], partners: readonly RequestPart[]): readonly RequestPart[] {
  const left = new Map<unknown, number>();
  for (const partner of partners) {
    left.set(keyOf(partner), (left.get(keyOf(partner)) ?? 0) + 1);
  }
  return list.filter((part) => {
    const count = left.get(keyOf(part)) ?? 0;
    left.set(keyOf(part), Math.max(count - 1, 0));
    return count === 0;
  });
}

export function resultsFollowCalls(isByItem = false): RequestRule {
  const demands = "Each result directly follows the message with its call, and each call has at most one result.";
  return makeRule("results-follow-calls", demands, function* ({ messages }) {
    for (const { calls, results } of exchangesIn(messages, isByItem)) {
      for (const { place, id } of unpaired(results, calls)) {
        yield [place, `no call directly before it has the id ${String(id)}`];
      }
    }
  });
}

export function callsHaveResults(isByItem = false): RequestRule {
  const demands = "Each call is directly followed by its result, and results of parallel calls are together.";
  return makeRule("calls-have-results", demands, function* ({ messages }) {
    for (const { calls, results } of exchangesIn(messages, isByItem)) {
      for (const { place, id } of unpaired(calls, results)) {
        yield [place, `no result directly after it has the id ${String(id)}`];
      }
    }
  });
}

export function hostedResultsFollowCalls(): RequestRule {
  const demands = "The result of a hosted tool follows its call, in an assistant message too.";
  return makeRule("hosted-results-follow-calls", demands, function* ({ messages }) {
    const called = new Set<unknown>();
    for (const { kind, id, place } of messages.flatMap(({ parts }) => parts)) {
      if (kind === "hosted-call") {
        called.add(id);
      } else if (kind === "hosted-result" && !called.has(id)) {
        yield [place, `no hosted call before it has the id ${String(id)}`];
      }
    }
  });
}

/** A call may be open while its step runs, because the provider answers it later. */
export function hostedCallsHaveResults(): RequestRule {
  const demands = "If the user has said more since, each call to a hosted tool has its result after it.";
  return makeRule("hosted-calls-have-results", demands, function* ({ messages }) {
    const said = messages.findLastIndex((row) => row.role === "user" && row.parts.some(isSaid));
    const given = new Set(partsOf(messages, "hosted-result").map(({ id }) => id));
    for (const { id, place } of partsOf(messages.slice(0, Math.max(said, 0)), "hosted-call")) {
      if (!given.has(id)) {
        yield [place, `no result after it has the id ${String(id)}`];
      }
    }
  });
}

const isSaid = ({ kind, isInside }: RequestPart): boolean => kind !== "result" && isInside !== true;

const partsOf = (messages: readonly RequestMessage[], kind: RequestPart["kind"]): readonly RequestPart[] =>
  messages.flatMap(({ parts }) => parts.filter((it) => it.kind === kind));

export function idsAreUnique(): RequestRule {
  return makeRule("call-ids-are-unique", "No two calls have the same id.", function* ({ messages }) {
    const seen = new Set<unknown>();
    for (const { kind, id, place } of messages.flatMap(({ parts }) => parts)) {
      if (kind === "call" && id !== undefined) {
        if (seen.has(id)) {
          yield [place, `a call before it has the id ${String(id)} too`];
        }
        seen.add(id);
      }
    }
  });
}

export function idsFit({ pattern }: Limit): RequestRule {
  const demands = `The ids of calls and results match ${pattern}.`;
  return makeRule("call-ids-fit", demands, function* ({ messages }) {
    for (const { kind, id, place } of messages.flatMap(({ parts }) => parts)) {
      const isAsked = kind === "call" || kind === "result" || isHosted(kind);
      if (isAsked && !(typeof id === "string" && pattern.test(id))) {
        yield [place, `the id ${String(id)} does not match`];
      }
    }
  });
}

/**
 * The ids of files and audio stored with the provider. An id that doesn't fit is never changed, because the new one
 * would name another file.
 */
export const fileIdsFit: RequestRule = makeRule(
  "file-ids-fit",
  `The ids of files and audio match ${FILE_ID.pattern}.`,
  function* ({ messages }) {
    for (const { kind, id, place } of messages.flatMap(({ parts }) => parts)) {
      if (kind === "media" && id !== undefined && !(typeof id === "string" && FILE_ID.pattern.test(id))) {
        yield [place, `the id ${String(id)} does not match`];
      }
    }
  },
);

export function toolNamesFit({ pattern }: Limit, kinds: readonly string[] = ["call"]): RequestRule {
  return makeRule("tool-names-fit", `Tool names match ${pattern}.`, function* ({ messages }) {
    for (const { kind, name, place } of messages.flatMap(({ parts }) => parts)) {
      if (kinds.includes(kind) && !(typeof name === "string" && pattern.test(name))) {
        yield [place, `the name ${String(name)} does not match`];
      }
    }
  });
}

export function argumentsAreObjects(): RequestRule {
  return makeRule("arguments-are-objects", "The arguments of a call are an object.", function* ({ messages }) {
    for (const { kind, input, place } of messages.flatMap(({ parts }) => parts)) {
      if (kind === "call" && !isRecord(input)) {
        yield [place, "the arguments aren't an object"];
      }
    }
  });
}

export function argumentsAreJson(isJson: (text: string) => boolean): RequestRule {
  return makeRule(
    "arguments-are-json",
    "The arguments of a call are the JSON text of an object.",
    function* ({ messages }) {
      for (const { kind, input, place } of messages.flatMap(({ parts }) => parts)) {
        if (kind === "call" && input !== undefined && !(typeof input === "string" && isJson(input))) {
          yield [place, "the arguments are not the JSON text of an object"];
        }
      }
    },
  );
}

/** Yields each value in a body with its place, in the order of the body. Visits each object once. */
function* valuesIn(body: unknown): Iterable<readonly [value: unknown, place: string]> {
  const seen = new Set<unknown>();
  const open: [value: unknown, place: string][] = [[body, ""]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, place] = next;
    yield next;
    if (isPlainObject(value) && !seen.has(value)) {
      seen.add(value);
      for (const [name, field] of Object.entries(value).reverse()) {
        open.push([field, Array.isArray(value) ? `${place}[${name}]` : place === "" ? name : `${place}.${name}`]);
      }
    }
  }
}

export const textIsWellFormed: RequestRule = makeRule(
  "text-is-well-formed",
  "No text contains a lone surrogate, which is half of a UTF-16 pair.",
  function* ({ body }) {
    for (const [value, place] of valuesIn(body)) {
      if (typeof value === "string" && hasHalfCharacter(value)) {
        yield [place, "the text contains a lone surrogate"];
      }
    }
  },
);

/** An image or a file in a body, and its size in bytes when sent. */
interface MediaInBody {
  readonly place: string;
  readonly isImage: boolean;
  readonly bytes: number;
  /** The media type of data, if it is stated. */
  readonly mediaType: string | undefined;
}

const MEDIA_TYPE = /^(?:input_)?(?:image|file|audio)(?:_url)?$|^document$/;

/** Yields images, files and audio in a body, found by the providers' names for them. The size is that of the base64. */
function* mediaIn(body: unknown): Iterable<MediaInBody> {
  for (const [value, place] of valuesIn(body)) {
    if (isRecord(value)) {
      const { type, inlineData, fileData } = value;
      const held = [inlineData, fileData].find(isRecord);
      const kind = held === undefined ? type : held.mimeType;
      if (held !== undefined || (typeof type === "string" && MEDIA_TYPE.test(type))) {
        yield { place, isImage: String(kind).includes("image"), bytes: bytesIn(value), mediaType: typeOf(value) };
      }
    }
  }
}

/** Returns the media type of a part's data: that of a source, or of a `data:` URL. */
function typeOf({ inlineData, source, image_url: image }: Readonly<Record<string, unknown>>): string | undefined {
  const url = isRecord(image) ? image.url : image;
  const type = isRecord(inlineData)
    ? inlineData.mimeType
    : isRecord(source)
      ? source.media_type
      : typeof url === "string"
        ? /^data:([^;,]+)/.exec(url)?.[1]
        : undefined;
  return typeof type === "string" ? type.toLowerCase() : undefined;
}

/** Returns the length of the longest text in a part: its base64, or a `data:` URL that contains it. */
function bytesIn(part: unknown): number {
  let longest = 0;
  for (const [value] of valuesIn(part)) {
    longest = Math.max(
      longest,
      typeof value === "string" ? value.length : value instanceof Uint8Array ? value.length : 0,
    );
  }
  return longest;
}

/** Maximum number of images in a request. */
export interface ImageLimit {
  /** Returns the most images for a body and a model. */
  readonly images: (body: unknown, model: unknown) => number;
  /** The limit in words. */
  readonly imagesInWords: string;
}

/** A provider's limits for media in a request. */
export interface MediaLimits extends ImageLimit {
  /** Maximum size of one image, and of all media, in megabytes of 2^20 bytes. */
  readonly megabytesEach?: number;
  readonly megabytesInAll: number;
}

const MEGABYTE = 2 ** 20;

/** Requires that a request has no more images than the provider accepts. */
export function imagesAreFew({ images, imagesInWords }: ImageLimit): RequestRule {
  return makeRule("images-are-few", `A request has at most ${imagesInWords}.`, function* ({ body, target }) {
    const most = images(body, target.model);
    const found = [...mediaIn(body)].filter(({ isImage }) => isImage);
    const first = found[most];
    if (first !== undefined) {
      yield [first.place, `the request has ${found.length} images; the provider accepts ${most}`];
    }
  });
}

/** The types of images that a provider accepts as data. */
export interface ImageTypes {
  readonly types: RegExp;
  readonly typesInWords: string;
  /** True for a request to another server with the same API, which may accept more. */
  isOther?(target: RequestTarget): boolean;
}

/** Requires that images sent as data have types that the provider accepts. Addresses don't state a type. */
export function imagesFit({ types, typesInWords, isOther }: ImageTypes): RequestRule {
  return makeRule("images-fit", `An image that is sent as data is ${typesInWords}.`, function* ({ body, target }) {
    for (const { place, isImage, mediaType } of isOther?.(target) === true ? [] : mediaIn(body)) {
      if (isImage && mediaType !== undefined && !types.test(mediaType)) {
        yield [place, `the image has the type ${mediaType}`];
      }
    }
  });
}

/** The types of images that Anthropic and OpenAI accept. */
export const WEB_IMAGES: ImageTypes = {
  types: /^image\/(?:jpe?g|png|gif|webp)$/,
  typesInWords: "a JPEG, PNG, GIF or WebP image",
};

/** Requires that no image, and not all media together, has more bytes than the provider accepts. */
export function mediaIsSmall({ megabytesEach = Number.POSITIVE_INFINITY, megabytesInAll }: MediaLimits): RequestRule {
  const each = Number.isFinite(megabytesEach) ? `An image takes at most ${megabytesEach} MB of base64, and all` : "All";
  return makeRule(
    "media-is-small",
    `${each} media of a request take at most ${megabytesInAll} MB.`,
    function* ({ body }) {
      let total = 0;
      for (const { place, isImage, bytes } of mediaIn(body)) {
        const isOver = total > megabytesInAll * MEGABYTE;
        total += bytes;
        if (isImage && bytes > megabytesEach * MEGABYTE) {
          yield [place, `the image takes ${inMegabytes(bytes)} MB; the provider accepts ${megabytesEach}`];
        }
        if (!isOver && total > megabytesInAll * MEGABYTE) {
          yield [
            place,
            `with it the request has ${inMegabytes(total)} MB of media; the provider accepts ${megabytesInAll}`,
          ];
        }
      }
    },
  );
}

/** OpenAI's limit for both of its APIs. Its other limit, 512 MB, is longer than any JSON text in JavaScript. */
export const OPENAI_IMAGES: ImageLimit = { images: () => 1500, imagesInWords: "1,500 images" };

const inMegabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

/** Requires that the provider knows every field. */
export const fieldsAreKnown: RequestRule = makeRule(
  "fields-are-known",
  "No object has a field that the provider doesn't know.",
  function* ({ unknownFields }) {
    for (const place of unknownFields) {
      yield [place, "the provider doesn't know this field"];
    }
  },
);
