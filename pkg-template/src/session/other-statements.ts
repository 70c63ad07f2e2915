// Lasting statements as a section of the prompt: those of other sessions, or those for a sub-agent. The section has the
// role of the user, so they weigh no more than they did in the conversation.

import { DEFAULT_STATEMENT_SHARE, type Item, type Section } from "../base/generated.js";
import { isRecord } from "../base/plain-data.js";
import type { Redactor } from "../config/redactor.js";
import { statementKinds } from "../context/statements.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { SessionInfo, TranscriptStore } from "../stores/contract.js";
import { messageOf } from "./log.js";
import { FORGOTTEN_TYPES, forgottenIn, type SessionStatement, statementsOf } from "./statements.js";
import { MESSAGE_TYPES, Tail } from "./tail.js";

/** The id of the section. */
const SECTION = "statements";
const OTHERS_LABEL = "What I said in other conversations:\n";
const HANDOFF_LABEL = "What I said before:\n";
/** Maximum number of statements of other sessions. */
const MOST_OTHERS = 64;

/** The statements of other sessions. Each session is read again when it has changed. */
export class OtherStatements<M extends AnyMessage> {
  readonly #store: TranscriptStore;
  readonly #keys: readonly string[];
  readonly #known = new Map<string, { readonly state: string; readonly statements: readonly SessionStatement<M>[] }>();

  constructor(store: TranscriptStore, keys: readonly string[]) {
    this.#store = store;
    this.#keys = keys;
  }

  /** Returns the statements of the user with a name, in the order of the keys. */
  async of(nameOf: () => Promise<string | undefined>): Promise<readonly SessionStatement<M>[]> {
    if (this.#keys.length === 0) {
      return [];
    }
    const name = (await nameOf()) ?? "";
    const infos = await this.#store.sessions({ keys: this.#keys });
    const all: SessionStatement<M>[] = [];
    for (const info of this.#keys.flatMap((key) => infos.find((it) => it.key === key) ?? [])) {
      const { lastSeq, removals } = info.logs.transcript;
      const state = JSON.stringify([info.id, lastSeq, removals, name]);
      const known = this.#known.get(info.key);
      const statements = known?.state === state ? known.statements : await this.#read(info, name);
      this.#known.set(info.key, { state, statements });
      all.push(...statements);
    }
    return all;
  }

  async #read({ key }: SessionInfo, name: string): Promise<readonly SessionStatement<M>[]> {
    const tail = new Tail<M>(this.#store, key, messageOf, () => {});
    try {
      const lasting = (await tail.lasting(name)) ?? [];
      await tail.save().catch(() => undefined); // If it can't be saved, it is made again.
      const seqs = lasting.map(([seq]) => seq);
      const said = await this.#store.read(key, { seqs, types: MESSAGE_TYPES });
      const forgotten = await this.#store.read(key, { types: FORGOTTEN_TYPES });
      const messages = said.entries.map((entry) => [entry.seq, messageOf(entry).parsed] as const);
      const log = { sessionKey: key, lasting, messages, forgotten: forgottenIn(forgotten.entries) };
      return statementsOf<M>(log, Date.now()).remembered.filter(({ replacedBy }) => replacedBy === undefined);
    } finally {
      await tail.free();
    }
  }
}

/** Adds the statements of other sessions to a config, within the share of statements. */
export function addOtherStatements(
  options: Record<string, unknown>,
  statements: readonly SessionStatement<AnyMessage>[],
  redact: Redactor | undefined,
): void {
  const { budget, recall } = options;
  const share = (isRecord(recall) ? recall.maxStatementShare : undefined) ?? DEFAULT_STATEMENT_SHARE;
  const maxTokens = isRecord(budget) ? budget.maxTokens : undefined;
  const isLimited = typeof maxTokens === "number" && typeof share === "number" && share <= 1;
  if (share !== 0) {
    const limit = { items: MOST_OTHERS, ...(isLimited && { tokens: Math.floor(maxTokens * share) }) };
    addSection(options, { label: OTHERS_LABEL, limit }, itemsOf(statements, redact));
  }
}

/** Adds the statements for a sub-agent to its config, without a separate limit. */
export function addOwnStatements(
  options: Record<string, unknown>,
  statements: readonly SessionStatement<AnyMessage>[],
  redact: Redactor | undefined,
): void {
  addSection(options, { label: HANDOFF_LABEL }, itemsOf(statements, redact));
}

/** Returns an item for each sentence. Statements about health come first. */
function itemsOf(statements: readonly SessionStatement<AnyMessage>[], redact: Redactor | undefined): readonly Item[] {
  const byText = new Map(statements.map((statement) => [statement.sentence, statement]));
  const items = [...byText.values()].map(
    ({ sentence, kind, sessionKey, seq }): Item => ({
      id: `${sessionKey}#${seq}`,
      text: sentence,
      source: sessionKey,
      priority: statementKinds.indexOf(kind),
    }),
  );
  return redact?.value(items) ?? items;
}

/** Adds items to a config: to its section `statements`, or as a new one before the request. */
function addSection(
  options: Record<string, unknown>,
  form: Pick<Partial<Section>, "label" | "limit">,
  items: readonly Item[],
): void {
  const { sections = null } = options;
  if (items.length === 0 || !(sections === null || Array.isArray(sections))) {
    return; // a wrong list fails later, when it is read
  }
  const own: readonly unknown[] = sections ?? [
    { id: "history", kind: "history" },
    { id: "request", kind: "request" },
  ];
  const isIt = (section: unknown): boolean => isRecord(section) && section.id === SECTION;
  if (own.some(isIt)) {
    options.sections = own.map((section) => (isIt(section) ? { ...(section as object), items } : section));
    return;
  }
  const section = { id: SECTION, kind: "items", role: "user", item: "- {text}", ...form, items };
  const at = own.findIndex((it) => isRecord(it) && it.kind === "request");
  options.sections = own.toSpliced(at < 0 ? own.length : at, 0, section);
}
