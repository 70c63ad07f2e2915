// Messages: what callers pass (`MessageInput`), and the canonical form that everything is read into (`ReadMessage`).

import type { Role } from "../base/generated.js";

/** A tool call, in windrow's form or as OpenAI's chat messages have it. */
export type ToolCallInput =
  | { readonly id: string; readonly name: string; readonly arguments?: unknown }
  | { readonly id: string; readonly function: { readonly name: string; readonly arguments?: unknown } }
  | { readonly id: string; readonly custom: { readonly name: string; readonly input?: unknown } };

/** Facts of an image, audio or a file that its cost depends on. Facts that are not given are read from its bytes, where these are. */
export interface MediaFacts {
  /** How finely an image is looked at: `low`, `high` or `auto`. */
  readonly detail?: string;
  /** What it is, for example `application/pdf`. */
  readonly mediaType?: string;
  /** How wide an image is, in pixels. */
  readonly width?: number;
  /** How high an image is, in pixels. */
  readonly height?: number;
  /** How many pages a file has. */
  readonly pages?: number;
  /** How long audio is, in seconds. */
  readonly seconds?: number;
  /** How large it is, in bytes. */
  readonly bytes?: number;
}

/** What an Anthropic block has its image or document from. */
export interface MediaSource {
  readonly type: "base64" | "url" | "file" | "text" | "content" | (string & {});
  readonly media_type?: string;
  readonly data?: unknown;
  readonly url?: string;
  readonly file_id?: string;
  readonly content?: unknown;
}

/**
 * What lets a provider take back what it made itself, such as reasoning. It is not counted, and another provider never gets it.
 */
export interface Provenance {
  /** Whose it is. */
  readonly provider?: "anthropic" | "google" | "openai" | (string & {});
  /** What proves to the provider that it is unchanged. */
  readonly signature?: string;
  /** What the provider calls it: the id of an item of OpenAI's Responses. */
  readonly id?: string;
}

/**
 * A part of a message's content. Beside windrow's own forms, those of OpenAI's chat messages, the blocks of Anthropic's, and the
 * parts of the AI SDK's `ModelMessage` are read.
 */
export type PartInput =
  | (Provenance & {
      readonly type: "text" | "input_text" | "output_text";
      readonly text: string;
      /** Who wrote it, if it isn't the speaker: it is the text of a file. It can be recalled, and it asks for nothing. */
      readonly origin?: "file";
    })
  | { readonly type: "refusal"; readonly refusal: string }
  | (Provenance & {
      readonly type: "reasoning";
      readonly text: string;
      /** The same reasoning as its provider encrypted it, beside its text. */
      readonly data?: string;
    })
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | (Provenance & {
      readonly type: "redacted_thinking";
      readonly data: string;
      /** Set on a provider's note to itself: the model didn't think it. A compaction replaces everything before it. */
      readonly note?: "compaction" | "other";
    })
  | (MediaFacts & {
      readonly type: "image" | "audio" | "file" | "document" | "input_audio";
      readonly data?: unknown;
      readonly url?: unknown;
      readonly image?: unknown;
      readonly source?: MediaSource;
      readonly input_audio?: unknown;
      readonly file?: unknown;
      readonly filename?: string;
    })
  | (MediaFacts & {
      readonly type: "image_url";
      readonly image_url: { readonly url: string; readonly detail?: string };
    })
  | (Provenance & {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input?: unknown;
      /** Whether the provider ran the tool itself. */
      readonly providerExecuted?: boolean;
    })
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName?: string;
      readonly output?: unknown;
      /** Whether the tool failed. */
      readonly isError?: boolean;
      /** Whether the provider ran the tool itself. */
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: "tool_use" | "server_tool_use" | "mcp_tool_use";
      readonly id: string;
      readonly name: string;
      readonly input?: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: string | readonly (PartInput | { readonly type: string })[] | null;
      readonly is_error?: boolean;
    }
  | { readonly type: `${string}_tool_result`; readonly tool_use_id: string; readonly content?: unknown }
  | {
      readonly type: "search_result";
      readonly title: string;
      readonly source: string;
      readonly content: readonly { readonly type: "text"; readonly text: string }[];
    }
  | { readonly type: "container_upload"; readonly file_id: string }
  /** What Anthropic made of the messages before it. */
  | {
      readonly type: "compaction";
      readonly content?: string | null;
      readonly encrypted_content?: string | null;
      readonly signature?: string | null;
    }
  /** What a provider of the AI SDK has of its own, and a file that is part of reasoning. */
  | { readonly type: "custom"; readonly kind: string }
  | (MediaFacts & { readonly type: "reasoning-file"; readonly data: unknown })
  /** What the AI SDK asks its user, and is answered. No model is shown it: it is refused. */
  | { readonly type: "tool-approval-request" | "tool-approval-response"; readonly approvalId: string };

/**
 * A message: windrow's own form, or a chat message of OpenAI's or Anthropic's. Further fields are allowed and left alone, as long
 * as none of them holds what the message says. Messages are never copied, changed or frozen: what a context keeps of them are
 * these objects.
 */
export interface MessageInput {
  /** Names the message in `explain`. */
  readonly id?: string | number | null;
  /** Who speaks. */
  readonly role: Role | (string & {});
  /** The content: a text, or parts. */
  readonly content?: string | readonly (PartInput | string)[] | null;
  /** Who speaks, by name. */
  readonly name?: string | null;
  /**
   * When: ISO 8601 (UTC if it has no offset), milliseconds since 1970, or a `Date`. A number that can only be seconds is read as seconds.
   * Without it, `created_at` and `timestamp` are read.
   */
  readonly createdAt?: string | number | Date | null;
  /** The session that it belongs to. */
  readonly sessionId?: string | null;
  /** The conversation that it belongs to: one sitting within a session. */
  readonly conversationId?: string | number | null;
  /** The conversation that its text is the summary of. */
  readonly summaryOf?: string | number | null;
  /** The id of the message that it replies to. */
  readonly replyTo?: string | number | null;
  /** Where it comes from, for example `scheduled`. */
  readonly source?: string | null;
  /** Tags, for example `command`. */
  readonly tags?: readonly string[] | null;
  /** What was done in it, in words: a list of texts, or the JSON text of one. Other texts say nothing. */
  readonly actions?: readonly string[] | string | null;
  /** How the turn ended, for example `completed` or `failed`; `deleted` where its author removed it, and it is never shown. */
  readonly status?: string | null;
  /** The agent that it is meant for, or all the names that it goes by: it is a direct message then. */
  readonly target?: string | readonly string[] | null;
  /** Its priority among direct messages, from 0 to 1. */
  readonly priority?: number | null;
  /** How many seconds it is valid after it was written, 0 or more. */
  readonly ttlSeconds?: number | null;
  /** Tools that the assistant calls. */
  readonly toolCalls?: readonly ToolCallInput[] | null;
  /** Tools that the assistant calls, as OpenAI's chat messages have it. */
  readonly tool_calls?: readonly ToolCallInput[] | null;
  /** The call that this is the result of. */
  readonly toolCallId?: string | null;
  /** The call that this is the result of, as OpenAI's chat messages have it. */
  readonly tool_call_id?: string | null;
  /** What the assistant said aloud, as OpenAI's chat messages refer to it. */
  readonly audio?: unknown;
  /** What the assistant says in place of content. */
  readonly refusal?: string | null;
  /** What the assistant thought before it answered, as several providers give it beside the content. */
  readonly reasoning_content?: string | null;
  /** Whether every context must keep it. */
  readonly pinned?: boolean | null;
  /**
   * Whether a session keeps it. Default: yes, but for local commands and diagnostics, which are messages with the tag
   * `command` or `diagnostic`.
   */
  readonly persist?: boolean | null;
}

// ---- The canonical form ----

/** What a message says beside its role and content. */
export type MessageFields = {
  readonly [Field in Exclude<keyof MessageInput, "role" | "content">]?: MessageInput[Field] | undefined;
};

/** A message as a format reads it: its parts may still have any form that `PartInput` allows. */
export interface PlainMessage extends MessageFields {
  readonly role: Role;
  readonly content: readonly PartInput[];
  /**
   * Whether it is nothing without the message behind it: reasoning that a provider takes only before what it led to, or a call with
   * others behind it that were made at once.
   */
  readonly joinsNext?: boolean;
  /** The tool whose result it is, where it has one. */
  readonly toolName?: string | undefined;
  /** Whether it is the result of a tool that failed. */
  readonly isError?: boolean | undefined;
}

/** An image, audio or a file: one of its data, its address, its id with a provider, or its source. */
export interface MediaFields extends MediaFacts {
  readonly data?: unknown;
  readonly url?: string;
  readonly id?: string;
  readonly source?: MediaSource;
  readonly filename?: string;
  readonly transcript?: string;
}

/** A text. */
export interface TextPart extends Provenance {
  readonly type: "text";
  readonly text: string;
  /** Who wrote it, if it isn't the speaker. */
  readonly origin?: "file";
}

/** What the assistant thought. */
export interface ReasoningPart extends Provenance {
  readonly type: "reasoning";
  readonly text: string;
  /** The same as its provider encrypted it. */
  readonly data?: string;
}

/** What the assistant thought, of which only its provider can read more. */
export interface RedactedPart extends Provenance {
  readonly type: "redacted_thinking";
  readonly data: string;
  /** Set on a provider's note to itself: the model didn't think it. A compaction replaces everything before it. */
  readonly note?: "compaction" | "other";
}

/** An image, audio or a file. */
export interface MediaPart extends MediaFields {
  readonly type: "image" | "audio" | "file";
}

/** A call of a tool. */
export interface CallPart extends Provenance {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments: an object, or a text as the model wrote it. */
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
}

/** What a tool gave. */
export interface ResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName?: string;
  /** A text, any JSON, or `{ type: "content", value }` with parts. */
  readonly output?: unknown;
  readonly isError?: boolean;
  readonly providerExecuted?: boolean;
}

/** The question whether a call may be made. No model sees it. */
export interface ApprovalRequestPart {
  readonly type: "tool-approval-request";
  readonly approvalId: string;
  readonly toolCallId?: string;
}

/** The answer to an approval request. No model sees it; what the call returned, it does. */
export interface ApprovalResponsePart {
  readonly type: "tool-approval-response";
  readonly approvalId: string;
  readonly reason?: string;
}

/** A part in the canonical form, one of each kind. */
export type PlainPart =
  | TextPart
  | ReasoningPart
  | RedactedPart
  | MediaPart
  | CallPart
  | ResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart;

/** A part that a model may be sent. */
export type SentPart = Exclude<PlainPart, ApprovalRequestPart | ApprovalResponsePart>;

/** A message in the canonical form: its parts have one form each. */
export interface ReadMessage extends PlainMessage {
  readonly content: readonly PlainPart[];
}
