// Models that are no scripts: the browser's own, and in the studio an endpoint of the visitor's.

import { signal } from "@preact/signals";
import { chromeModel, openAiCompatible } from "windrow/models";
import type { Hooked, TriageSetup } from "../engine/hooks.js";

/** An endpoint of the visitor's: it is in memory alone, and asked only where the visitor has agreed. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly isAgreed: boolean;
}

export const endpoint = signal<Endpoint>({ baseUrl: "", model: "", apiKey: "", isAgreed: false });

/** Whether the browser has a model of its own. */
export const hasChromeModel = "LanguageModel" in globalThis;

/** Whether the studio serves the page: the static page can ask no endpoint. */
export const isStudio = document.querySelector('meta[name="windrow-studio"]') !== null;

/** The hook of a model that is no script; undefined for scripts. */
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
