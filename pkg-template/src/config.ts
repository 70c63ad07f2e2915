// The config as a caller writes it, and as the engine reads it.

import { ContextError, type ErrorKind } from "./errors.js";
import type { ContextOptions, Format } from "./generated.js";
import { describe, type MessageInput } from "./messages.js";

/** How a context is built. Everything is optional; a misspelt option is an error that names it. */
export interface ContextConfig extends Omit<ContextOptions, "now"> {
  /** The current input: a text of the user, or a message. It comes last, and is always kept. An empty text is none. */
  readonly request?: string | MessageInput | null | undefined;
  /** The clock: milliseconds since 1970, ISO 8601, or a `Date`. Default: the host's clock. */
  readonly now?: number | string | Date | null | undefined;
}

/** The form that a config asks for, as far as its type says. */
export type FormatOf<C> = OrMessages<FieldOf<FieldOf<C, "render">, "format">>;

type OrMessages<T> = T extends Format ? T : "messages";

/** The type of a field, of each member of a union; `undefined` where it has none. */
type FieldOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never;

/** A config in two parts: the request, and options as plain data. */
export interface ReadConfig {
  readonly request: MessageInput | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Reads a config. Fails with `INVALID_CONFIG` where it is not plain data. */
export function readConfig(config: unknown, kind: ErrorKind): ReadConfig {
  if (config == null) {
    return { request: undefined, options: {} };
  }
  const { request, ...rest } = guarded(kind, "", () => {
    if (typeof config !== "object" || Array.isArray(config)) {
      throw invalid(kind, "", `expected an object with options, got ${describe(config)}`);
    }
    return { ...config } as Record<string, unknown>;
  });
  return {
    request: request == null || request === "" ? undefined : readRequest(request, kind),
    options: plain(rest, "", 0, kind) as Record<string, unknown>,
  };
}

function readRequest(request: unknown, kind: ErrorKind): MessageInput {
  if (typeof request === "string") {
    return { role: "user", content: request };
  }
  return guarded(kind, "request", () => {
    if (typeof request !== "object" || request === null || Array.isArray(request)) {
      throw invalid(kind, "request", `expected a text or a message, got ${describe(request)}`);
    }
    const message = request as MessageInput;
    return message.role === undefined ? { ...message, role: "user" } : message;
  });
}

/** No config nests deeper; what does is cyclic. */
const MAX_DEPTH = 8;

/** Plain data: no function, no accessor, no cycle, no `undefined`. */
function plain(value: unknown, path: string, depth: number, kind: ErrorKind): unknown {
  return guarded(kind, path, () => copyOf(value, path, depth, kind));
}

function copyOf(value: unknown, path: string, depth: number, kind: ErrorKind): unknown {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (value instanceof Date) {
    return value.getTime();
  }
  if (typeof value !== "object" || depth > MAX_DEPTH) {
    const problem = typeof value === "object" ? "is nested too deep, or contains itself" : `is ${typeof value}`;
    throw invalid(kind, path, `${problem}; options are plain data`);
  }
  if (Array.isArray(value)) {
    return value.map((element, index) => plain(element, `${path}[${index}]`, depth + 1, kind));
  }
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw invalid(kind, path, "is an object of a class; options are plain data");
  }
  // A null prototype, so that a key like `__proto__` is an option like any other: an unknown one.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, element] of Object.entries(value)) {
    if (element !== undefined) {
      copy[key] = plain(element, path === "" ? key : `${path}.${key}`, depth + 1, kind);
    }
  }
  return copy;
}

/** Reads what may throw when it is read: a getter, a proxy. */
function guarded<T>(kind: ErrorKind, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ContextError ? cause : invalid(kind, path, "could not be read", cause);
  }
}

function invalid(kind: ErrorKind, path: string, problem: string, cause?: unknown): ContextError {
  return new ContextError({
    kind,
    code: "INVALID_CONFIG",
    message: path === "" ? problem : `${path}: ${problem}`,
    path: path === "" ? undefined : path,
    nextAction: "Pass an object of options as plain data; the reference page lists them.",
    cause,
  });
}
