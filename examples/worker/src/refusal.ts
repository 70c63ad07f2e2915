// Turns failures into JSON that includes the next step.

import { ContextError } from "windrow";

/** A refused request. */
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

/** The failures of windrow that are the caller's fault, and temporary ones. All others are the worker's own. */
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
  // Details of any other failure only go to the log.
  console.error(failure);
  const nextAction = "Try again later.";
  return Response.json({ code: "INTERNAL", message: "the worker failed", nextAction }, { status: 500 });
}
