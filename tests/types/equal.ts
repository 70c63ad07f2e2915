// A type test is a line that tsc accepts, or one after `@ts-expect-error` that it refuses.

/** True for two types that are the same, and not merely assignable to each other. */
export type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

/** Refuses all but `true`. */
export function isTrue<T extends true>(): T | undefined {
  return undefined;
}
