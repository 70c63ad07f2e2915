// What goes wrong, as JSON that says what to do next.

import { ContextError } from "windrow";

/** A request that is refused. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly nextAction: string;

  constructor(status: number, code: string, message: string, nextAction: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.nextAction = nextAction;
  }
}

/** Which of windrow's failures are the caller's, and which pass. What is not named is the worker's own. */
const STATUSES: Readonly<Record<string, number>> = {
  INVALID_CONFIG: 400,
  INVALID_TRANSCRIPT: 400,
  INVALID_SESSION: 400,
  STORE_CONFLICT: 409,
  BUDGET_TOO_SMALL: 422,
  STORE_CLOSED: 503,
  STORE_NEWER: 503,
  STORE_UNAVAILABLE: 503,
  STORE_QUOTA: 507,
};

export function responseTo(failure: unknown): Response {
  if (failure instanceof Refusal) {
    const { status, code, message, nextAction } = failure;
    const headers: Record<string, string> = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
    return Response.json({ code, message, nextAction }, { status, headers });
  }
  if (failure instanceof ContextError) {
    const { code, message, path, nextAction } = failure;
    return Response.json({ code, message, path, nextAction }, { status: STATUSES[code] ?? 500 });
  }
  // What else failed is nobody's business but the log's.
  console.error(failure);
  const nextAction = "Try again later.";
  return Response.json({ code: "INTERNAL", message: "the worker failed", nextAction }, { status: 500 });
}
