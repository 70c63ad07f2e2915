// The pieces of a prompt as numbers from the engine: the message of each piece, or its rows of a message, and its cost.

/** The engine's result. */
export interface FinishedBuild {
  /**
   * The pieces of the prompt in order: a message by its position, the request as -1, texts that the build made from -2
   * down. Quoted messages follow the text made from them, by their position from -2 ** 31 on.
   */
  readonly rows: Int32Array;
  /** The place of each among the rows of its message, from 1 on. 0 if it is the whole message. */
  readonly shares: Uint32Array;
  readonly costs: Float64Array;
  /** Checksums of 53 bits of the text sent for each. */
  readonly checksums: Float64Array;
  /** The rest, as JSON. */
  readonly json: string;
}

/** A piece by its number and its place among the rows of its message. */
export type PieceKey = readonly [row: number, share: number];

// The numbers for pieces, as `finished` in src/wasm/build.rs writes them. The number of a transcript's message is its
// position.
export const REQUEST_ROW = -1;
export const FIRST_MADE_ROW = -2;
const FIRST_QUOTED_ROW = -(2 ** 31);
export const isQuoted = (row: number): boolean => row < FIRST_QUOTED_ROW / 2;

/** Returns the position of a piece's message, quoted or not. Stays negative for a piece that isn't a message. */
export const messageRow = (row: number): number => (isQuoted(row) ? row - FIRST_QUOTED_ROW : row);

/** Returns the positions of a prompt's messages, including quoted ones, in the order of the prompt. */
export function messageRows(rows: Int32Array): number[] {
  const positions: number[] = [];
  for (const row of rows) {
    if (messageRow(row) >= 0) {
      positions.push(messageRow(row));
    }
  }
  return positions;
}

/** A piece of a prompt: consecutive rows of one message, or a text that isn't a message of the transcript. */
export interface Run {
  readonly row: number;
  /** The places of its rows among those of the message. Only 0 if it is the whole message. */
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

/** Combines two checksums into one of 53 bits. */
const mixed = (one: number, other: number): number =>
  Number(BigInt.asUintN(53, BigInt(one) * 0x9e3779b97f4a7n + BigInt(other)));

/**
 * Returns the places of each message's rows in a prompt, by its position. Rows that are apart count as one message at
 * the place of the last of them, because a result comes after its call.
 */
export function sharesByMessage(runs: readonly Run[]): ReadonlyMap<number, readonly number[]> {
  const kept = new Map<number, number[]>();
  for (const { row, shares } of runs) {
    const position = messageRow(row);
    const known = kept.get(position);
    if (known !== undefined) {
      known.push(...shares);
      kept.delete(position);
      kept.set(position, known);
    } else if (position >= 0) {
      kept.set(position, [...shares]);
    }
  }
  return kept;
}

/** Returns a unique number for a piece. */
export const keyOf = (row: number, share: number): number => row * 2 ** 20 + share;
