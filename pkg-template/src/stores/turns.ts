// Queues calls by key.

/**
 * A caller that writes to a session without awaiting each write still writes in order, and doesn't conflict with
 * itself.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(run);
    const ended = turn.catch(() => undefined);
    this.#last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === ended) {
        this.#last.delete(key);
      }
    }
  }
}
