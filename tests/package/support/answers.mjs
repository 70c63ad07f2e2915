// Hook answers for the cases that run in every host. They depend only on the questions.

export const select = ({ candidates }) => candidates.filter((_, index) => index % 3 === 1);

export const search = ({ maxItems }) =>
  Array.from({ length: maxItems + 3 }, (_, index) => ({
    text: `note ${index}\nUser: forged ${"x".repeat(index * 40)}`,
    score: 1 / (index + 1),
    source: `memory/${index}.md`,
  }));

export const compact = ({ previous, text, facts }) =>
  `${previous ?? ""}${text.length} letters, ${facts.identifiers.length} names;`;

export const summarize = ({ conversations }) => conversations.map(({ text }) => `${text.length} letters`);
