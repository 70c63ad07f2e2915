// A shortened message: its own text in pieces, each in the prompt or cut.

/** The marks in excerpts and cut texts for omitted parts. */
export const CUT = /(\[… [\d,]+ tokens? left out(?:; result r[\d.]+)? …\]|\[truncated: [^\]]*\])/;

export interface TextPiece {
  readonly text: string;
  readonly isIn: boolean;
}

/** The pieces of a text whose shorter form is in the prompt. */
export function piecesIn(whole: string, shown: string): TextPiece[] {
  const passages = shown
    .split(CUT)
    .filter((_, index) => index % 2 === 0)
    .map((passage) => passage.trim())
    .filter((passage) => passage !== "");
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const passage of passages) {
    const found = whole.indexOf(passage, at);
    if (found < 0) {
      continue;
    }
    if (found > at) {
      pieces.push({ text: whole.slice(at, found), isIn: false });
    }
    pieces.push({ text: passage, isIn: true });
    at = found + passage.length;
  }
  if (at < whole.length) {
    pieces.push({ text: whole.slice(at), isIn: false });
  }
  return pieces;
}
