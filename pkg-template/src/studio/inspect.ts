// Shows an app's builds in the studio while the app is developed. In production it does nothing: bundlers that know the condition
// `production` take the file without it, and elsewhere `process.env.NODE_ENV` says so. A bundler that puts "production" in its place
// finds that nothing else in this file is used, and leaves it out.

import type { Format } from "../base/generated.js";
import type { BuiltContext } from "../context/context.js";
import type { AnyMessage } from "../formats/any-message.js";

/** Where the studio is. */
export interface InspectOptions {
  /** The address that `windrow studio` printed. Default: `WINDROW_STUDIO` of the environment, or of `globalThis`. */
  readonly studio?: string | undefined;
}

/**
 * Sends a build to the studio, where it becomes a line of "Every turn". It never waits and never fails: where there is no
 * studio it says so once, on the console.
 */
export function inspect<M extends AnyMessage, F extends Format>(
  context: BuiltContext<M, F>,
  options: InspectOptions = {},
): void {
  try {
    // An expression, as bundlers drop one even where they do not minify, and with it all that only it calls.
    process.env.NODE_ENV === "production" || send(context, options);
  } catch {
    send(context, options); // A browser without a bundler has no `process`. What sends throws nothing.
  }
}

function send<M extends AnyMessage, F extends Format>(
  context: BuiltContext<M, F>,
  options: InspectOptions | null,
): void {
  // A variable of its own: the package itself makes no request.
  const { fetch: post } = globalThis;
  try {
    const studio = options?.studio ?? addressGiven();
    if (studio === undefined) {
      warnOnce("no studio is named: run `npx windrow studio`, and give its address as WINDROW_STUDIO");
      return;
    }
    const { origin, searchParams } = new URL(studio);
    const body = JSON.stringify({ messages: context.source(), recording: context.recording });
    const headers = { authorization: `Bearer ${searchParams.get("token")}`, "content-type": "application/json" };
    post(`${origin}/builds`, { method: "POST", headers, body })
      .then(({ ok, status }) => {
        if (!ok) {
          warnOnce(`the studio refused a build (${status}): give the address that it printed, with its token`);
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
