// The pieces of a prompt as they cross: which message each is, or which part of one, and what it costs.

/** What the engine gives back. */
export interface FinishedBuild {
  /**
   * What the prompt consists of, in order: a message by its position, the request as -1, what was made from -2 down. Messages
   * that are quoted follow what was made for them, and are in its text: by their position from -2 ** 31 on.
   */
  readonly rows: Int32Array;
  /** The place of each among the rows of its message, from 1 on; 0 if it is all of the message. */
  readonly shares: Uint32Array;
  readonly costs: Float64Array;
  /** What is sent of each, as a checksum of 53 bits. */
  readonly checksums: Float64Array;
  /** The rest as JSON. */
  readonly json: string;
}

/** A piece by its number and its place among the rows of its message. */
export type PieceKey = readonly [row: number, share: number];

// The numbers that pieces cross as: `finished` of src/wasm/build.rs writes them. A message of the transcript is its position.
export const REQUEST_ROW = -1;
export const FIRST_MADE_ROW = -2;
const FIRST_QUOTED_ROW = -(2 ** 31);
export const isQuoted = (row: number): boolean => row < FIRST_QUOTED_ROW / 2;

/** The position of a piece's message, quoted or not. A piece that is no message stays negative. */
export const messageRow = (row: number): number => (isQuoted(row) ? row - FIRST_QUOTED_ROW : row);

/** The positions of a prompt's messages, quoted ones included, in the order of the prompt. */
export function messageRows(rows: Int32Array): number[] {
  const positions: number[] = [];
  for (const row of rows) {
    if (messageRow(row) >= 0) {
      positions.push(messageRow(row));
    }
  }
  return positions;
}

/** A piece of a prompt: rows of one message that follow each other, or a text that isn't a message of the transcript. */
export interface Run {
  readonly row: number;
  /** The places of its rows among those of the message; 0 alone if it is all of the message. */
  readonly shares: readonly number[];
  readonly tokens: number;
  readonly checksum: number;
}

const WHOLE: readonly number[] = [0];

/** Returns the pieces of a prompt. */
export function runsOf({ rows, shares, costs, checksums }: FinishedBuild): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < rows.length; at++) {
    const [row, share] = [rows[at] as number, shares[at] as number];
    const [tokens, checksum] = [costs[at] as number, checksums[at] as number];
    const last = share > 1 ? runs.at(-1) : undefined;
    if (last?.row === row && (last.shares.at(-1) as number) < share) {
      (last.shares as number[]).push(share);
      runs[runs.length - 1] = {
        ...last,
        tokens: last.tokens + tokens,
        checksum: mixed(last.checksum, checksum),
      };
    } else {
      runs.push({ row, shares: share === 0 ? WHOLE : [share], tokens, checksum });
    }
  }
  return runs;
}

/** Returns one checksum of 53 bits of two. */
const mixed = (one: number, other: number): number =>
  Number(BigInt.asUintN(53, BigInt(one) * 0x9e3779b97f4a7n + BigInt(other)));

/** Returns the places of the rows of each message in a prompt, by its position. */
export function sharesByMessage(runs: readonly Run[]): ReadonlyMap<number, readonly number[]> {
  const kept = new Map<number, number[]>();
  for (const { row, shares } of runs) {
    const position = messageRow(row);
    const known = kept.get(position);
    if (known !== undefined) {
      known.push(...shares);
    } else if (position >= 0) {
      kept.set(position, [...shares]);
    }
  }
  return kept;
}

/** Returns a number for a piece. */
export const keyOf = (row: number, share: number): number => row * 2 ** 20 + share;
