// Attributes of a context for the span of a model call, named by OpenTelemetry's semantic conventions for generative
// AI. https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11-28, status: development). A plain
// object without a dependency.

import type { AnyMessage, BuiltContext } from "windrow";
import { checkOptions, type OptionRules } from "../base/options.js";
import { publicFunction } from "../base/public-call.js";

/** Attributes of a span, as `span.setAttributes` takes them. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Facts of the call that a context doesn't know. */
export interface SpanOptions {
  /** The provider's name in the conventions. Default: that of `render.provider`, if the conventions have one. */
  readonly providerName?: string | undefined;
}

/** A context, of any format. */
type AnyContext = Pick<
  BuiltContext<AnyMessage>,
  "recording" | "snapshot" | "tokens" | "trace" | "trimmed" | "byteCount" | "prefix"
>;

const KIND = "context_build_error";
const OPTIONS: OptionRules<keyof SpanOptions> = {
  providerName: ["a text", (value) => typeof value === "string" && value !== ""],
};

/** The names of providers in the conventions, by `render.provider`. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
  gemini: "gcp.gemini",
};

/** True if any message is shortened or left out to save room. */
function isCompacted({ trimmed, trace }: AnyContext): boolean {
  return trimmed || trace.unreadCount > 0 || trace.ranges.some(({ reason }) => COMPACTING.has(reason));
}

/** Reasons that mean that a shorter text replaces a message. */
const COMPACTING: ReadonlySet<string> = new Set(["compacted", "summarized"]);

function attributesOf(context: AnyContext, options: SpanOptions = {}): SpanAttributes {
  checkOptions(KIND, options, OPTIONS);
  const { recording, snapshot, tokens, trace, byteCount, prefix } = context;
  const { config } = recording;
  const providerName = options.providerName ?? PROVIDERS[config.render?.provider ?? ""];
  const counts = { kept: 0, shortened: 0, leftOut: trace.unreadCount };
  for (const { first, last, fate } of trace.ranges) {
    const count = last - first + 1;
    if (fate === "left out") {
      counts.leftOut += count;
    } else {
      counts.kept += count;
      counts.shortened += fate === "kept" ? 0 : count;
    }
  }
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerName,
    "gen_ai.request.model": config.model,
    "gen_ai.conversation.id": config.sessionId,
    "gen_ai.agent.id": config.agentId,
    // The conventions leave out the attribute if nothing was compacted.
    "gen_ai.conversation.compacted": isCompacted(context) || undefined,
    "gen_ai.usage.input_tokens": tokens.total,
    "windrow.tokens.limit": tokens.limit,
    "windrow.tokens.exact": tokens.exact,
    "windrow.bytes": byteCount,
    "windrow.messages.kept": counts.kept,
    "windrow.messages.shortened": counts.shortened,
    "windrow.messages.left_out": counts.leftOut,
    "windrow.prefix.tokens": prefix?.tokens,
    "windrow.context.hash": snapshot.contextHash,
  };
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value != null)) as SpanAttributes;
}

/**
 * Returns the attributes of a context for the span of the call that sends it. They contain no text of the conversation.
 * `gen_ai.usage.input_tokens` is windrow's count: set it again from the provider's usage after the call.
 */
export const spanAttributes: typeof attributesOf = /* @__PURE__ */ publicFunction(KIND, "spanAttributes", attributesOf);
