// Lists a user's lasting statements in messages: facts about themselves, and how they want to be answered.

import type { CoreTranscript } from "#core";
import type { ErrorKind } from "../base/errors.js";
import { checkOptions, type OptionRule, type OptionRules } from "../base/options.js";
import { publicPromise } from "../base/public-call.js";
import { call } from "../engine/engine.js";
import { needSelection } from "../engine/selection.js";
import type { AnyMessage } from "../formats/any-message.js";
import { shapes } from "../message/recognise.js";
import { sourceOf, type Transcript } from "./transcript.js";

const KIND = "transcript_error";

/** The kinds of statements, in the order of the engine's numbers. */
export const statementKinds = ["fact", "instruction", "health"] as const;

/** The kind of a lasting statement: a fact about the user, how they want to be answered, or a matter of health. */
export type StatementKind = (typeof statementKinds)[number];

/** A sentence that says something lasting about a user. */
export interface Statement<M> {
  readonly sentence: string;
  readonly kind: StatementKind;
  /** The message that says it. */
  readonly message: M;
  /** The id of that message, if it has one. */
  readonly messageId: string | undefined;
}

/** A statement in a list of messages. */
export interface ListedStatement<M> extends Statement<M> {
  /** The place of its message in the list. */
  readonly index: number;
  /** The position of the message with a newer statement on the same subject, which replaces this one. */
  readonly replacedBy?: number;
}

/** Options of `listStatements`. */
export interface StatementOptions {
  /** The name of the user. Default: the user who spoke last. */
  readonly name?: string | undefined;
}

export const USER_NAME: OptionRule = ["the name of a user", (value) => typeof value === "string"];
const STATEMENT_OPTIONS: OptionRules<keyof StatementOptions> = { name: USER_NAME };

/**
 * Lists the lasting statements of a user in messages, oldest first: those that builds may keep for the reason
 * `statement` or `standing`. `filter.forgotten` leaves some of them out. Fails with `INVALID_CONFIG` and
 * `INVALID_TRANSCRIPT`.
 */
export function listStatements<M extends AnyMessage>(
  messages: readonly M[] | Transcript<M>,
  options: StatementOptions = {},
): Promise<readonly ListedStatement<M>[]> {
  return publicPromise(KIND, "listStatements", async () => {
    checkOptions(KIND, options, STATEMENT_OPTIONS);
    await shapes.load();
    await needSelection();
    const { core, messages: list, ids } = sourceOf<M>(messages, KIND);
    return (lastingIn(core, options.name, KIND) ?? []).flatMap(([index, replacedBy]) =>
      sentencesIn(core, index, KIND).map((said) => ({
        ...said,
        message: list[index] as M,
        messageId: ids[index],
        index,
        ...(replacedBy === null ? {} : { replacedBy }),
      })),
    );
  });
}

/**
 * Returns the numbers of the messages with lasting statements, each with that of the message that replaces it;
 * undefined if not everything has been read.
 */
export function lastingIn(
  core: CoreTranscript,
  name: string | undefined,
  kind: ErrorKind,
): readonly (readonly [number: number, replacedBy: number | null])[] | undefined {
  const json = call(kind, () => core.lasting(name));
  return json === undefined ? undefined : JSON.parse(json);
}

/** Returns the lasting statements in a message. */
export function sentencesIn(
  core: CoreTranscript,
  message: number,
  kind: ErrorKind,
): readonly Pick<Statement<unknown>, "sentence" | "kind">[] {
  const found: [code: number, sentence: string][] = JSON.parse(call(kind, () => core.lastingSentences(message)));
  return found.map(([code, sentence]) => ({ sentence, kind: statementKinds[code] as StatementKind }));
}
