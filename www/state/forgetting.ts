// Forgetting a statement of the user, and remembering it again.

import type { PageStatement } from "./memory.js";
import { follow } from "./sources.js";
import { type Source, state } from "./state.js";

/** Forgets a statement, or remembers it again. */
export async function setForgotten(statement: PageStatement, isOn: boolean): Promise<void> {
  const { sentence } = statement;
  if (await setInSession(state.source.value, statement, isOn)) {
    return;
  }
  const others = state.forgotten.value.filter((it) => it.sentence !== sentence);
  state.forgotten.value = isOn ? [...others, { sentence }] : others;
}

/** Returns true if the conversation is saved, and its session has the statement. */
async function setInSession(
  source: Source | undefined,
  { sentence, index }: PageStatement,
  isOn: boolean,
): Promise<boolean> {
  const { session, numbers } = source ?? {};
  if (session === undefined) {
    return false;
  }
  const listed = await session.statements({ forgotten: !isOn });
  const own = listed.find((it) => it.sentence === sentence && it.seq === numbers?.[index]);
  if (own === undefined) {
    return false;
  }
  await (isOn ? session.forget(own) : session.remember(own));
  await follow(session);
  return true;
}
