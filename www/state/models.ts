// Real models: the browser's own, and in the studio an endpoint of the visitor's.

import { signal } from "@preact/signals";
import { chromeModel, openAiCompatible } from "windrow/models";
import type { Hooked, TriageSetup } from "../engine/hooks.js";
import { studioToken } from "./token.js";

/**
 * The endpoint that the studio was started with: the page's policy lets it reach no other. It is asked only if the
 * visitor agrees.
 */
export interface Endpoint {
  /** Empty if the studio was started without one. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly isAgreed: boolean;
}

export const endpoint = signal<Endpoint>({ baseUrl: "", model: "", apiKey: "", isAgreed: false });

/** True if the browser has its own model. */
export const hasChromeModel = "LanguageModel" in globalThis;

/** True if the studio serves the page: the static page can't ask an endpoint. */
export const isStudio = studioToken !== null;

/** The hook of a real model; undefined for a script. */
export function modelOf({ by }: TriageSetup): Hooked | undefined {
  if (by === "chrome") {
    return { path: "triage.complete", run: chromeModel().complete, code: "" };
  }
  if (by !== "endpoint") {
    return undefined;
  }
  const { baseUrl, model, apiKey, isAgreed } = endpoint.value;
  if (!isAgreed || baseUrl === "" || model === "") {
    return {
      path: "triage.complete",
      run: () => {
        throw new Error("no endpoint is agreed on");
      },
      code: "",
    };
  }
  return {
    path: "triage.complete",
    run: openAiCompatible({ baseUrl, model, ...(apiKey === "" ? {} : { apiKey }) }).complete,
    code: "",
  };
}
