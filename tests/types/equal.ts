// A type test is a line that tsc accepts, or one after `@ts-expect-error` that it refuses.

/** True if two types are identical, not just mutually assignable. */
export type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

/** Accepts only `true`. */
export function isTrue<T extends true>(): T | undefined {
  return undefined;
}
