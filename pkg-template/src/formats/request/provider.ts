// The interface of a provider: the form of its requests, and its rules for valid ones.

import type { LateInstructions, Server } from "../../base/generated.js";
import type { ParsedMessage } from "../../message/read.js";
import type { ContextManagement } from "../context-management.js";
import type { ModelScope } from "./models.js";

/** A part of a body that breaks a rule. */
export interface Problem {
  /** The rule's id. */
  readonly rule: string;
  /** The place in the body: `messages[2].content[0].text`. */
  readonly place: string;
  /** The fault, in words. */
  readonly message: string;
}

/** A place that breaks a rule, and the fault in words. */
export type Finding = readonly [place: string, message: string];

/** An object with fields. */
type ProviderObject = Readonly<Record<string, unknown>>;

/** A part of a request's message. */
export interface RequestPart {
  readonly place: string;
  /** `hosted-call` is a call to a tool that the provider runs, and `hosted-result` is its result. */
  readonly kind: "text" | "media" | "reasoning" | "call" | "result" | "hosted-call" | "hosted-result" | "other";
  readonly text?: unknown;
  /** The id of a call, of the call that a result answers, or of a file or audio stored with the provider. */
  readonly id?: unknown;
  /** The name of the tool. */
  readonly name?: unknown;
  /** The arguments of a call. */
  readonly input?: unknown;
  /** True if it is part of a tool's result. */
  readonly isInside?: boolean;
  /** The provider's own part. Undefined if the content is a text. */
  readonly source?: ProviderObject;
}

/** A message or an item of a request. */
export interface RequestMessage {
  readonly place: string;
  /** `system`, `user`, `assistant` or `results`. Any other role keeps its own name. */
  readonly role: string;
  readonly parts: readonly RequestPart[];
  /** The provider's own message. */
  readonly source: ProviderObject;
}

/** The model and the server that a request goes to, if known. */
export interface RequestTarget {
  readonly model?: string | null | undefined;
  /** The server of an OpenAI-compatible endpoint. Default: the one that the model implies. */
  readonly server?: Server | null | undefined;
  /**
   * Anthropic's treatment of thinking that is bound to another conversation:
   * `thinking.block_binding.prefix_mismatch_behavior`.
   */
  readonly onPrefixMismatch?: "drop_block" | "error" | null | undefined;
  /**
   * Settings of the provider's `context_management`, for Anthropic and OpenAI's Responses. They are passed on
   * unchanged.
   */
  readonly contextManagement?: ContextManagement | null | undefined;
  /**
   * The place of instructions that come after the conversation has begun, if the model doesn't take them there.
   * Default: `top`.
   */
  readonly lateInstructions?: LateInstructions | null | undefined;
  /**
   * True if the provider keeps requests (`store` of OpenAI's Responses). It then finds items by their ids. Default:
   * true.
   */
  readonly store?: boolean | null | undefined;
  /**
   * The time of the request, in milliseconds since 1970. After the `expires_at` of a reply in audio, OpenAI's chat gets
   * its transcript. Default: its id is sent.
   */
  readonly now?: number | null | undefined;
}

/** A request, parsed once for all rules. */
export interface ParsedRequest {
  readonly messages: readonly RequestMessage[];
  /** The places of fields that the provider doesn't know. */
  readonly unknownFields: readonly string[];
  readonly body: unknown;
  readonly target: RequestTarget;
}

/** A provider's rule as data: its demand and a check. */
export interface RequestRule {
  readonly id: string;
  /** The demand, in words. */
  readonly demands: string;
  /** The models that it applies to, in addition to requests that don't name a model. Default: all. */
  readonly models?: ModelScope;
  /** Returns the places of a request that break the rule. */
  check(request: ParsedRequest): Iterable<Finding>;
}

/** The rules of a provider. */
export interface ProviderRules {
  readonly rules: readonly RequestRule[];
  /**
   * The sources of each rule, by its id: the provider's page that states it, or threads about requests refused because
   * of it.
   */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Parses a body, which may be any value. */
  parse(body: unknown, target: RequestTarget): Pick<ParsedRequest, "messages" | "unknownFields">;
}

/** A provider of models, or a package that reaches several. */
export interface ProviderFormat<Body> extends ProviderRules {
  /** The name of its request, in errors and in the documentation. */
  readonly title: string;
  /**
   * Returns the parts of a request that hold the prompt. Throws `MalformedMessage`, with the place in the messages, for
   * content that the provider has no place for. `namesInTexts` says that users' texts begin with names; see
   * speakers.ts.
   */
  write(messages: readonly ParsedMessage[], namesInTexts: boolean, target: RequestTarget): Body;
}

/** Returns the places of a body that break a rule, in the order of the rules. */
export function problemsIn({ rules, parse }: ProviderRules, body: unknown, target: RequestTarget): readonly Problem[] {
  const request = { ...parse(body, target), body, target };
  const model = target.model?.toLowerCase();
  const holding = rules.filter(({ models }) => models === undefined || model === undefined || models.holds(model));
  return holding.flatMap((rule) =>
    Array.from(rule.check(request), ([place, message]) => ({ rule: rule.id, place, message })),
  );
}
