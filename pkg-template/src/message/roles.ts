// Roles that begin an exchange, and roles that instruct. The engine has the same rule for the transcript (`Role` in the
// core).

/** True if messages with this role instruct the model and don't take part in the conversation. */
export function isInstructionRole(role: unknown): boolean {
  return role === "system" || role === "developer";
}

/**
 * True if an exchange begins with a message of this role: a user message with everything that answers it, up to the
 * next one.
 */
export function beginsExchange(role: unknown): boolean {
  return role === "user";
}
