// What a provider is: how its request holds a prompt, and the rules by which it takes or refuses one.

import type { Provider as ProviderName } from "../base/generated.js";
import type { PlainMessage } from "../read/shapes/shape.js";

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

/** A rule of a provider, as data: what it demands, and a check. `sources.ts` says where it is known from. */
export interface Rule {
  readonly id: string;
  /** What it demands, in words. */
  readonly demands: string;
  /** The places of a body that break it. The body may be any value. */
  check(body: unknown): Iterable<Finding>;
}

/** A provider of models, or a package that stands before several. */
export interface Provider<Body> {
  /** What `context.request` calls it. */
  readonly name: ProviderName;
  /** What its request is called, in errors and in the documentation. */
  readonly title: string;
  readonly rules: readonly Rule[];
  /**
   * The parts of a request that hold the prompt. Throws `Malformed`, with the place in the messages, where these hold what the
   * provider has no place for.
   */
  body(messages: readonly PlainMessage[]): Body;
}

/** The places of a body that break a rule, in the order of the rules. */
export function problemsIn(rules: readonly Rule[], body: unknown): readonly Problem[] {
  return rules.flatMap((rule) =>
    Array.from(rule.check(body), ([place, message]) => ({ rule: rule.id, place, message })),
  );
}
