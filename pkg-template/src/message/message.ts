// Messages: the caller's form (`MessageInput`), and the canonical form that everything is read into (`ReadMessage`).

import type { Role } from "../base/generated.js";

/** A tool call, in windrow's form or in that of OpenAI's chat messages. */
export type ToolCallInput =
  | { readonly id: string; readonly name: string; readonly arguments?: unknown }
  | { readonly id: string; readonly function: { readonly name: string; readonly arguments?: unknown } }
  | { readonly id: string; readonly custom: { readonly name: string; readonly input?: unknown } };

/** Facts of an image, audio or a file that determine its cost. Missing facts are read from its bytes, if it has any. */
export interface MediaFacts {
  /** The detail of an image for the model: `low`, `high` or `auto`. */
  readonly detail?: string;
  /** The media type, for example `application/pdf`. */
  readonly mediaType?: string;
  /** The width of an image, in pixels. */
  readonly width?: number;
  /** The height of an image, in pixels. */
  readonly height?: number;
  /** The number of pages in a file. */
  readonly pages?: number;
  /** The length of audio, in seconds. */
  readonly seconds?: number;
  /** The size, in bytes. */
  readonly bytes?: number;
}

/** The source of an image or document in an Anthropic block. */
export interface MediaSource {
  readonly type: "base64" | "url" | "file" | "text" | "content" | (string & {});
  readonly media_type?: string;
  readonly data?: unknown;
  readonly url?: string;
  readonly file_id?: string;
  readonly content?: unknown;
}

/**
 * Proof that lets a provider accept its own output back, such as reasoning. It isn't counted, and other providers never
 * get it.
 */
export interface Provenance {
  /** The provider that it belongs to. */
  readonly provider?: "anthropic" | "google" | "openai" | (string & {});
  /** The provider's signature of the unchanged content. */
  readonly signature?: string;
  /** The provider's id for it: the id of an item of OpenAI's Responses. */
  readonly id?: string;
}

/**
 * A part of a message's content: in windrow's own form, in that of OpenAI's chat messages, as one of Anthropic's
 * blocks, or as a part of the AI SDK's `ModelMessage`.
 */
export type PartInput =
  | (Provenance & {
      readonly type: "text" | "input_text" | "output_text";
      readonly text: string;
      /**
       * The author, if it isn't the speaker: `file` marks the text of a file. It can be recalled, but it never counts
       * as a request.
       */
      readonly origin?: "file";
    })
  | { readonly type: "refusal"; readonly refusal: string }
  | (Provenance & {
      readonly type: "reasoning";
      readonly text: string;
      /** The same reasoning in its provider's encrypted form, in addition to its text. */
      readonly data?: string;
    })
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | (Provenance & {
      readonly type: "redacted_thinking";
      readonly data: string;
      /**
       * Set on a provider's note to itself, which isn't a thought of the model. A compaction replaces everything before
       * it. `tools` changes the tools from its place on, and `output` the settings of the output.
       */
      readonly note?: "compaction" | "tools" | "output" | "other";
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
      /** True if the provider ran the tool itself. */
      readonly providerExecuted?: boolean;
      /** True if the tool takes a text instead of JSON, as OpenAI's custom tools do. */
      readonly isCustom?: boolean;
    })
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName?: string;
      readonly output?: unknown;
      /** True if the tool failed. */
      readonly isError?: boolean;
      /** True if the provider ran the tool itself. */
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
  /** Anthropic's changes to the tools, in a system message. */
  | { readonly type: "tool_addition" | "tool_removal"; readonly tool: object }
  | { readonly type: "mcp_tool_listing"; readonly mcp_server_name: string; readonly tools: readonly object[] }
  | { readonly type: "fallback"; readonly from: object; readonly to: object }
  /** Anthropic's summary of the messages before it. */
  | {
      readonly type: "compaction";
      readonly content?: string | null;
      readonly encrypted_content?: string | null;
      readonly signature?: string | null;
    }
  /** A provider-specific part of the AI SDK, and a file that is part of reasoning. */
  | { readonly type: "custom"; readonly kind: string }
  | (MediaFacts & { readonly type: "reasoning-file"; readonly data: unknown })
  /** A request of the AI SDK for its user's approval, and the answer. No model sees it, and it is refused. */
  | { readonly type: "tool-approval-request" | "tool-approval-response"; readonly approvalId: string };

/**
 * A message: in windrow's own form, or a chat message of OpenAI's or Anthropic's. Additional fields are allowed and
 * left alone, unless one holds part of the message's content. Messages are never copied, changed or frozen: a context
 * keeps these very objects.
 */
export interface MessageInput {
  /** The message's id for `explain`. */
  readonly id?: string | number | null;
  /** The speaker's role. */
  readonly role: Role | (string & {});
  /** The content: a text, or parts. */
  readonly content?: string | readonly (PartInput | string)[] | null;
  /** The speaker's name. */
  readonly name?: string | null;
  /**
   * The time: ISO 8601 (UTC without an offset), milliseconds since 1970, or a `Date`. A number that can only be seconds
   * is read as seconds. Without it, `created_at` and `timestamp` are read.
   */
  readonly createdAt?: string | number | Date | null;
  /** The session that it belongs to. */
  readonly sessionId?: string | null;
  /** The conversation that it belongs to: one sitting within a session. */
  readonly conversationId?: string | number | null;
  /** The conversation that its text summarizes. */
  readonly summaryOf?: string | number | null;
  /** The id of the message that it replies to. */
  readonly replyTo?: string | number | null;
  /** The origin of the message, for example `scheduled`. */
  readonly source?: string | null;
  /** Tags, for example `command`. */
  readonly tags?: readonly string[] | null;
  /** Actions taken in it, in words: a list of texts, or the JSON text of one. Other texts are ignored. */
  readonly actions?: readonly string[] | string | null;
  /**
   * The outcome of the turn, for example `completed` or `failed`. `deleted` means that its author removed it, and it is
   * never shown.
   */
  readonly status?: string | null;
  /** The agent that it is meant for, or all of that agent's names. The message is then a direct message. */
  readonly target?: string | readonly string[] | null;
  /** The priority among direct messages, from 0 to 1. */
  readonly priority?: number | null;
  /** The lifetime in seconds from the time of writing, 0 or more. */
  readonly ttlSeconds?: number | null;
  /** Tool calls of the assistant. */
  readonly toolCalls?: readonly ToolCallInput[] | null;
  /** Tool calls of the assistant, in the form of OpenAI's chat messages. */
  readonly tool_calls?: readonly ToolCallInput[] | null;
  /** The id of the call that this message answers. */
  readonly toolCallId?: string | null;
  /** The id of the call that this message answers, in the form of OpenAI's chat messages. */
  readonly tool_call_id?: string | null;
  /** The assistant's audio, in the form of OpenAI's chat messages. */
  readonly audio?: unknown;
  /** The assistant's refusal, in place of content. */
  readonly refusal?: string | null;
  /** The assistant's thoughts before the answer, in the field that several providers use. */
  readonly reasoning_content?: string | null;
  /** True if every context must keep it. */
  readonly pinned?: boolean | null;
  /**
   * True if a session stores it. Default: true, except for local commands and diagnostics, which are messages with the
   * tag `command` or `diagnostic`.
   */
  readonly persist?: boolean | null;
}

// ---- The canonical form ----

/** The fields of a message other than its role and content. */
export type MessageFields = {
  readonly [Field in Exclude<keyof MessageInput, "role" | "content">]?: MessageInput[Field] | undefined;
};

/** A message as a format returns it. Its parts may still have any form that `PartInput` allows. */
export interface PlainMessage extends MessageFields {
  readonly role: Role;
  readonly content: readonly PartInput[];
  /**
   * True if it needs the next message: reasoning that a provider only takes before the output it led to, or a parallel
   * call followed by others.
   */
  readonly joinsNext?: boolean;
  /** The tool that returned it, if it is a named result. */
  readonly toolName?: string | undefined;
  /** True if it is the result of a tool that failed. */
  readonly isError?: boolean | undefined;
}

/** An image, audio or a file, given as data, an address, a provider's id, or a source. */
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
  /** The author, if it isn't the speaker. */
  readonly origin?: "file";
}

/** The assistant's thoughts. */
export interface ReasoningPart extends Provenance {
  readonly type: "reasoning";
  readonly text: string;
  /** The same in its provider's encrypted form. */
  readonly data?: string;
}

/** The assistant's thoughts in a form that only its provider can read. */
export interface RedactedPart extends Provenance {
  readonly type: "redacted_thinking";
  readonly data: string;
  /**
   * Set on a provider's note to itself, which isn't a thought of the model. A compaction replaces everything before it.
   * `tools` changes the tools from its place on, and `output` the settings of the output.
   */
  readonly note?: "compaction" | "tools" | "output" | "other";
}

/** An image, audio or a file. */
export interface MediaPart extends MediaFields {
  readonly type: "image" | "audio" | "file";
}

/** A call to a tool. */
export interface CallPart extends Provenance {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments: an object, or the model's own text. */
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  /** True if the tool takes a text instead of JSON. The input is then that text. */
  readonly isCustom?: boolean;
}

/** The result of a tool. */
export interface ResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName?: string;
  /** A text, any JSON, or `{ type: "content", value }` with parts. */
  readonly output?: unknown;
  readonly isError?: boolean;
  readonly providerExecuted?: boolean;
}

/** A request for approval of a call. No model sees it. */
export interface ApprovalRequestPart {
  readonly type: "tool-approval-request";
  readonly approvalId: string;
  readonly toolCallId?: string;
}

/** The answer to an approval request. No model sees it, but models see the call's result. */
export interface ApprovalResponsePart {
  readonly type: "tool-approval-response";
  readonly approvalId: string;
  readonly reason?: string;
}

/** A part in the canonical form: one type per kind. */
export type PlainPart =
  | TextPart
  | ReasoningPart
  | RedactedPart
  | MediaPart
  | CallPart
  | ResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart;

/** A part that may be sent to a model. */
export type SentPart = Exclude<PlainPart, ApprovalRequestPart | ApprovalResponsePart>;

/** A message in the canonical form, whose parts have one form each. */
export interface ReadMessage extends PlainMessage {
  readonly content: readonly PlainPart[];
}
