// Shape checks of a case. Anything that the runner doesn't understand fails the case.

/** Thrown if a case asks for something that the runner doesn't know. */
export class NotUnderstood extends Error {}

/** Fails unless a value is an object with no other keys than these. */
export function checkKeys(value, place, known) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NotUnderstood(`${place}: expected an object, got ${describe(value)}`);
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new NotUnderstood(`${place}.${key}: not understood; known here: ${known.join(", ")}`);
    }
  }
  return value;
}

/** Fails unless a value is a list. An absent one is empty. */
export function checkList(value, place) {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new NotUnderstood(`${place}: expected a list, got ${describe(value)}`);
  }
  return value;
}

/** Fails unless a value is one of these. */
export function checkChoice(value, place, known) {
  if (!known.includes(value)) {
    throw new NotUnderstood(`${place}: ${describe(value)} is not understood; known here: ${known.join(", ")}`);
  }
  return value;
}

/** A count: an integer of 0 or more. */
export function checkCount(value, place) {
  if (!Number.isInteger(value) || value < 0) {
    throw new NotUnderstood(`${place}: expected an integer of 0 or more, got ${describe(value)}`);
  }
  return value;
}

function describe(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
