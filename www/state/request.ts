// The prompt in the form that is sent: the body of a provider's request or a text, and the role of each piece in it.

import { FORM, type Picture, type Piece } from "./picture.js";
import type { Shape } from "./setup.js";
import { type Failure, failureOf } from "./state.js";

/** Neighboring pieces that the provider takes as one turn. */
export interface Group {
  readonly role: string;
  readonly first: number;
  last: number;
}

/** The role that a piece has with a provider. */
function roleIn(shape: Shape, { role, why, name }: Piece): string {
  const isInstruction = role === "system" || role === "developer";
  switch (shape) {
    case "openai":
      return role;
    case "anthropic":
      return isInstruction ? "system" : role === "assistant" ? "assistant" : "user";
    case "gemini":
      return isInstruction ? "system" : role === "assistant" ? "model" : "user";
    case "text":
      return why === "made" || why === "request" ? name : "history";
  }
}

/** The pieces as the provider sees them. OpenAI takes each message separately. */
export function groupsOf({ pieceCount, pieceAt, shape }: Picture): Group[] {
  const groups: Group[] = [];
  for (let index = 0; index < pieceCount; index++) {
    const piece = pieceAt(index);
    if (piece.name === FORM) {
      continue;
    }
    const role = roleIn(shape, piece);
    const last = groups.at(-1);
    if (last !== undefined && last.role === role && shape !== "openai") {
      last.last = index;
    } else {
      groups.push({ role, first: index, last: index });
    }
  }
  return groups;
}

/** True if a prompt ends with a reply, because the conversation does and nothing is asked. A provider would refuse it. */
export function endsWithReply({ asked, messages }: Picture): boolean {
  return asked.own.request === undefined && messages.at(-1)?.role === "assistant";
}

const bodies = new WeakMap<Picture, { readonly text: string; readonly failure: Failure | undefined }>();

/** The text that is sent; a failure if the provider would refuse it. */
export function sentBy(picture: Picture): { readonly text: string; readonly failure: Failure | undefined } {
  const known = bodies.get(picture);
  if (known !== undefined) {
    return known;
  }
  let made: { readonly text: string; readonly failure: Failure | undefined };
  const { context, shape } = picture;
  try {
    const text = context.text ?? JSON.stringify(context.request(shape === "text" ? "openai" : shape), null, 2);
    made = { text, failure: undefined };
  } catch (thrown) {
    made = { text: JSON.stringify(context.messages, null, 2), failure: failureOf(thrown) };
  }
  bodies.set(picture, made);
  return made;
}
