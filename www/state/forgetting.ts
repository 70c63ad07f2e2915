// Forgetting a statement of the user, and remembering it again.

import { FORGOTTEN_OPTION, forgottenByOption, type PageStatement } from "./memory.js";
import { withOption } from "./setup.js";
import { follow } from "./sources.js";
import { type Source, state } from "./state.js";

/** Forgets a statement, or remembers it again. */
export async function setForgotten(statement: PageStatement, isOn: boolean): Promise<void> {
  const { sentence } = statement;
  if (await setInSession(state.source.value, statement, isOn)) {
    return;
  }
  const others = forgottenByOption().filter((it) => it.sentence !== sentence);
  const forgotten = isOn ? [...others, { sentence }] : others;
  const value = forgotten.length === 0 ? undefined : forgotten;
  state.a.value = withOption(state.a.value, FORGOTTEN_OPTION, value);
  state.b.value &&= withOption(state.b.value, FORGOTTEN_OPTION, value);
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
