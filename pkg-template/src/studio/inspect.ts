// Shows an app's builds in the studio during development. In production it does nothing: bundlers that know the
// condition `production` use the file that does nothing, and elsewhere `process.env.NODE_ENV` decides. A bundler that
// replaces this variable with "production" finds the rest of this file unused and drops it.

import type { Format } from "../base/generated.js";
import type { BuiltContext } from "../context/context.js";
import type { AnyMessage } from "../formats/any-message.js";

/** The address of the studio. */
export interface InspectOptions {
  /**
   * The address printed by `windrow studio`. Default: `WINDROW_STUDIO` of the environment or of `globalThis`. In a browser,
   * pass it. With Vite: `import.meta.env.VITE_WINDROW_STUDIO`.
   */
  readonly studio?: string | undefined;
}

/**
 * Sends a build to the studio, which adds it to "Every turn" as a line. It never waits and never fails. Without a
 * studio, it logs one line to the console.
 */
export function inspect<M extends AnyMessage, F extends Format>(
  context: BuiltContext<M, F>,
  options: InspectOptions = {},
): void {
  try {
    // An expression, because bundlers drop it even without minifying, along with everything that only it calls.
    process.env.NODE_ENV === "production" || send(context, options);
  } catch {
    send(context, options); // a browser without a bundler has no `process`
  }
}

function send<M extends AnyMessage, F extends Format>(
  context: BuiltContext<M, F>,
  options: InspectOptions | null,
): void {
  // A separate variable, because the package itself makes no requests.
  const { fetch: post } = globalThis;
  try {
    const studio = options?.studio ?? addressGiven();
    if (studio === undefined) {
      warnOnce(
        "no studio is named: run `npx windrow studio --port 4400`, and set WINDROW_STUDIO to its address, or pass it: inspect(context, { studio })",
      );
      return;
    }
    const { origin, searchParams } = new URL(studio);
    const body = JSON.stringify({ messages: context.source(), recording: context.recording });
    const headers = { authorization: `Bearer ${searchParams.get("token")}`, "content-type": "application/json" };
    post(`${origin}/builds`, { method: "POST", headers, body })
      .then(({ ok, status }) => {
        if (!ok) {
          warnOnce(`the studio refused a build (${status}): pass the address that it printed, with its token`);
        }
      })
      .catch(() => warnOnce(`no studio is running at ${origin}`));
  } catch (failure) {
    warnOnce(failure instanceof Error ? failure.message : "the build could not be sent");
  }
}

function addressGiven(): string | undefined {
  const known = (globalThis as { readonly WINDROW_STUDIO?: string }).WINDROW_STUDIO;
  try {
    return known ?? process.env.WINDROW_STUDIO;
  } catch {
    return known;
  }
}

const said = new Set<string>();

function warnOnce(words: string): void {
  if (!said.has(words)) {
    said.add(words);
    console.warn(`windrow/inspect: ${words}`);
  }
}
