// The text that a fresh process and a fresh page count first.

export const COLD_TEXT =
  "Who brings the projector to the meeting on Tuesday, and did we ever answer the venue's question about lunch?";
