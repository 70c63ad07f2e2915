// A provider: how its request holds a prompt, and the rules by which it takes or refuses one.

import type { LateInstructions, Server } from "../../base/generated.js";
import type { ParsedMessage } from "../../message/read.js";
import type { ContextManagement } from "../context-management.js";
import type { ModelScope } from "./models.js";

/** A place of a body that breaks a rule. */
export interface Problem {
  /** The rule's id. */
  readonly rule: string;
  /** Where in the body: `messages[2].content[0].text`. */
  readonly place: string;
  /** What is wrong there, in words. */
  readonly message: string;
}

/** A place that breaks a rule, and what is wrong there. */
export type Finding = readonly [place: string, message: string];

/** An object with fields. */
type ProviderObject = Readonly<Record<string, unknown>>;

/** A part of a request's message. */
export interface RequestPart {
  readonly place: string;
  /** A hosted call is one whose tool the provider runs, and a hosted result is what that returned. */
  readonly kind: "text" | "media" | "reasoning" | "call" | "result" | "hosted-call" | "hosted-result" | "other";
  readonly text?: unknown;
  /** The id of a call, of the call that a result answers, or of a file or audio that the provider has. */
  readonly id?: unknown;
  /** The name of the tool. */
  readonly name?: unknown;
  /** The arguments of a call. */
  readonly input?: unknown;
  /** Whether it is a part of what a tool returned. */
  readonly isInside?: boolean;
  /** The provider's own part; none for a content that is a text. */
  readonly source?: ProviderObject;
}

/** A message of a request, or an item. */
export interface RequestMessage {
  readonly place: string;
  /** `system`, `user`, `assistant` or `results`; another text for a role that is none of these. */
  readonly role: string;
  readonly parts: readonly RequestPart[];
  /** The provider's own message. */
  readonly source: ProviderObject;
}

/** The model and the server that a request goes to, as far as they are known. */
export interface RequestTarget {
  readonly model?: string | null | undefined;
  /** The server of an OpenAI-compatible endpoint. Default: the one that is known by the model. */
  readonly server?: Server | null | undefined;
  /** Treatment of thinking that is bound to another conversation, by Anthropic: `thinking.block_binding.prefix_mismatch_behavior`. */
  readonly onPrefixMismatch?: "drop_block" | "error" | null | undefined;
  /** Settings of the provider's `context_management`, for Anthropic and OpenAI's Responses: they are passed on unchanged. */
  readonly contextManagement?: ContextManagement | null | undefined;
  /** Place of instructions that come after the conversation has begun, if the model doesn't take them there. Default: `top`. */
  readonly lateInstructions?: LateInstructions | null | undefined;
  /** If the provider keeps what it is sent (`store` of OpenAI's Responses): then it finds items by their ids. Default: yes. */
  readonly store?: boolean | null | undefined;
}

/** A request, parsed once for all rules. */
export interface ParsedRequest {
  readonly messages: readonly RequestMessage[];
  /** The places of fields that the provider doesn't know. */
  readonly unknownFields: readonly string[];
  readonly body: unknown;
  readonly target: RequestTarget;
}

/** A rule of a provider, as data: what it demands, and a check. */
export interface RequestRule {
  readonly id: string;
  /** What it demands, in words. */
  readonly demands: string;
  /** The models that it holds for, and a model that isn't named. Default: all. */
  readonly models?: ModelScope;
  /** Returns the places of a request that break it. */
  check(request: ParsedRequest): Iterable<Finding>;
}

/** The rules of a provider. */
export interface ProviderRules {
  readonly rules: readonly RequestRule[];
  /** By the id of a rule: the provider's page that says it, or threads in which a request was refused for it. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Parses a body, which may be any value. */
  parse(body: unknown, target: RequestTarget): Pick<ParsedRequest, "messages" | "unknownFields">;
}

/** A provider of models, or a package that stands before several. */
export interface ProviderFormat<Body> extends ProviderRules {
  /** What its request is called, in errors and in the documentation. */
  readonly title: string;
  /**
   * Returns the parts of a request that hold the prompt. Throws `MalformedMessage`, with the place in the messages, if these hold what the
   * provider has no place for. `namesInTexts` says that texts of users begin with names; see speakers.ts.
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
