// Which roles begin an exchange, and which instruct: the engine has the same rule for the transcript (`Role` in the core).

/** Whether a message of this role instructs the model rather than take part in the conversation. */
export function isInstructionRole(role: unknown): boolean {
  return role === "system" || role === "developer";
}

/** Whether an exchange begins with a message of this role: a message of the user, and all that answers it up to the next one. */
export function beginsExchange(role: unknown): boolean {
  return role === "user";
}
