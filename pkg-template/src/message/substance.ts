// Decides whether a field that windrow doesn't read holds part of a message's content. Such a field is never ignored,
// because every count would miss it.

/**
 * Names, in any spelling, of fields that OpenAI-compatible servers set: those that let the server resume the
 * assistant's thoughts, and those that name the sources of an answer. The last seven are of LiteLLM, Groq, Perplexity,
 * Z.ai and Qwen.
 */
export const SERVER_FACTS: readonly string[] = (
  "extracontent signature thoughtsignature annotations citations " +
  "providerspecificfields executedtools mcplisttools searchresults relatedquestions websearch searchinfo"
).split(" ");

/** Names, in any spelling, of fields that describe a message and hold none of its content. */
const ABOUT = new Set([
  ...SERVER_FACTS,
  ...(
    "object type index kind key model usage metadata meta provider status state version channel user username author sender " +
    "cachecontrol logprobs weight recipient endturn finishreason stopreason " +
    "stopsequence provideroptions providermetadata experimentalprovidermetadata callprovidermetadata title " +
    "responsemetadata usagemetadata tokens cost lang language locale source tags labels parent children revision feedback " +
    "rating hidden filename mediatype mimetype format detail phase timestamp created updated ts time date container servicetier " +
    "systemfingerprint persist iserror providerexecuted"
  ).split(" "),
]);
const ABOUT_PATTERN = /(?:[a-z_]Ids?|_ids?|^ids?|^uuid|[a-z]At|_at|[a-z](?:Ms|Time)|_(?:ms|time))$/;

/** Names of fields that hold a message's content in some form, however short. */
const SAYING = new Set(
  (
    "text content contents message messages body parts blocks value say said data payload prompt response answer question query " +
    "input output result results args arguments parameters params reasoning thinking toolinvocations toolcalls toolresults " +
    "functioncall functioncalls images attachments experimentalattachments transcript html markdown utterance speech url b64json base64"
  ).split(" "),
);

/** Names of media lists next to the content in some formats. */
const MEDIA_LISTS = new Set(["images", "attachments", "experimentalattachments", "files", "videos", "audios"]);

/** Types of parts in known formats. */
const PART =
  /^(?:text|(?:in|out)put_\w+|image\w*|audio|file|document|reasoning|thinking|redacted_thinking|refusal|dynamic-tool|tool[\w-]*|function_?[cC]all\w*|\w+_call|\w+_tool_(?:use|result))$/;

/** The limits of a search in a field, because a caller may keep data of any size with a message. */
const DEPTH_LIMIT = 6;
const PART_DEPTH_LIMIT = 3;
const VISIT_LIMIT = 10_000;

/** Returns a name without its spelling: `createdAt` and `created_at` become the same. */
export function plainName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** True if a field's name shows that it describes a message and has none of its content. */
export function isAbout(name: string): boolean {
  return ABOUT.has(plainName(name)) || ABOUT_PATTERN.test(name);
}

/** True if a text is a name, a code or an address, and not somebody's words. */
function isLabel(text: string): boolean {
  return text.length <= 64 && /^[\w.:/@+#-]*$/.test(text);
}

/**
 * Returns the field with the content of a message, part or call that otherwise has none. Undefined if no field has any.
 * `known` are the fields that are read. `isStrict` counts every field except known descriptive ones.
 */
export function sayingField(input: object, known: ReadonlySet<string>, isStrict: boolean): string | undefined {
  const walk = new Walk();
  return Object.keys(input).find(
    (name) => !known.has(name) && isTrue(() => walk.says(name, fieldOf(input, name), isStrict, 0)),
  );
}

/**
 * Returns the field with parts, calls, results or media beyond those read from a message, part or call. Undefined if
 * there isn't one. Content that is also in `said` isn't missing.
 */
export function lostField(input: object, known: ReadonlySet<string>, said: () => string): string | undefined {
  const walk = new Walk();
  for (const name of Object.keys(input)) {
    if (!known.has(name) && !isAbout(name)) {
      const value = fieldOf(input, name);
      if (typeof value === "object" && value !== null && isTrue(() => walk.holdsPart(name, value, said, 0))) {
        return name;
      }
    }
  }
  return undefined;
}

/** Runs a test. False if the value can't be examined, such as a revoked proxy. */
function isTrue(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}

/** A search through fields, with a limit. */
class Walk {
  #left = VISIT_LIMIT;

  /** True if a value has content. `isSaying` means that its field holds content, however short. */
  says(name: string, value: unknown, isSaying: boolean, depth: number): boolean {
    if (isAbout(name) || depth > DEPTH_LIMIT || !this.#goesOn()) {
      return false;
    }
    const isSaid = isSaying || SAYING.has(plainName(name));
    if (typeof value === "string") {
      return value.trim() !== "" && (isSaid || !isLabel(value));
    }
    if (typeof value !== "object" || value === null) {
      return isSaid && (typeof value === "number" || typeof value === "boolean");
    }
    return isBytes(value)
      ? value.byteLength > 0
      : entriesOf(value).some(([key, entry]) => this.says(key ?? name, entry, isSaid, depth + 1));
  }

  /** True if a value contains a part or a call with more content than was read. */
  holdsPart(name: string, value: object, said: () => string, depth: number): boolean {
    if (depth > PART_DEPTH_LIMIT || !this.#goesOn() || isBytes(value)) {
      return false;
    }
    if (!Array.isArray(value)) {
      if (isCall(value)) {
        return this.#isCallMissing(value, said());
      }
      const type = fieldOf(value, "type");
      if ((typeof type === "string" && PART.test(type)) || isMedia(name, value)) {
        return this.#saysMore(value, said, 0);
      }
    }
    return entriesOf(value).some(([key, entry]) => {
      if (key === undefined && typeof entry === "string") {
        return MEDIA_LISTS.has(plainName(name)) && entry !== "";
      }
      const isLookedInto = typeof entry === "object" && entry !== null && (key === undefined || !isAbout(key));
      return isLookedInto && this.holdsPart(key ?? name, entry, said, depth + 1);
    });
  }

  /** True if a call, or its result, wasn't read elsewhere. */
  #isCallMissing(call: object, said: string): boolean {
    const id = ["toolCallId", "tool_call_id", "callId", "call_id", "id"].map((name) => fieldOf(call, name));
    const isRead = id.some((it) => typeof it === "string" && it !== "" && said.includes(it));
    return !isRead || ["result", "output"].some((name) => fieldOf(call, name) != null);
  }

  #saysMore(value: unknown, said: () => string, depth: number): boolean {
    if (depth > DEPTH_LIMIT || !this.#goesOn()) {
      return false;
    }
    if (typeof value === "string") {
      return value.trim() !== "" && !said().includes(value.trim());
    }
    if (typeof value !== "object" || value === null) {
      return false;
    }
    if (isBytes(value)) {
      return value.byteLength > 0;
    }
    if (isCall(value)) {
      return this.#isCallMissing(value, said());
    }
    return entriesOf(value).some(
      ([key, entry]) => (key === undefined || !isAbout(key)) && this.#saysMore(entry, said, depth + 1),
    );
  }

  #goesOn(): boolean {
    this.#left -= 1;
    return this.#left > 0;
  }
}

function isCall(fields: object): boolean {
  const isNamed = ["toolName", "tool_name", "functionCall", "function_call", "functionResponse"].some(
    (it) => it in fields,
  );
  return isNamed || ("name" in fields && ["args", "arguments", "input", "parameters"].some((it) => it in fields));
}

function isMedia(name: string, fields: object): boolean {
  return MEDIA_LISTS.has(plainName(name)) && ["url", "data", "content", "base64"].some((it) => fieldOf(fields, it));
}

function isBytes(value: object): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** Returns an object's fields with their names, or the first elements of a list, which have no names. */
function entriesOf(value: object): readonly (readonly [key: string | undefined, entry: unknown])[] {
  return Array.isArray(value)
    ? value.slice(0, VISIT_LIMIT).map((entry: unknown) => [undefined, entry] as const)
    : Object.keys(value).map((key) => [key, fieldOf(value, key)] as const);
}

/** True if a media field isn't empty: it has data, an address or an id. */
export function hasMedia(value: unknown, depth = 0): boolean {
  if (typeof value === "string") {
    return value.trim() !== "";
  }
  if (typeof value !== "object" || value === null || depth > DEPTH_LIMIT) {
    return false;
  }
  if (isBytes(value)) {
    return value.byteLength > 0;
  }
  const keys = Object.keys(value);
  if (
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) !== Object.prototype &&
    Object.getPrototypeOf(value) !== null
  ) {
    return true; // a `URL` or a `Blob`, whose content isn't in fields
  }
  const isFact = (key: string): boolean => ABOUT.has(plainName(key));
  return keys.some((key) => !isFact(key) && hasMedia(fieldOf(value, key), depth + 1));
}

/** Returns a field. Undefined if it can't be read, because unread fields may hold anything. */
function fieldOf(input: object, name: string): unknown {
  try {
    return (input as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
