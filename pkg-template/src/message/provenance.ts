// What proves to a provider that something is its own, wherever a message has it: in the part, in the AI SDK's options of a
// provider, in OpenAI's form of Gemini, or in OpenRouter's details.

import { untilHole } from "../base/lists.js";
import { type Row, recordOf } from "./format.js";
import type { Provenance } from "./message.js";

/** The names under which providers give what they have encrypted. */
const SEALED = ["redactedData", "reasoningEncryptedContent", "encryptedContent"] as const;
/** Whose something is, by the name under which the AI SDK's packages give it. */
const PROVIDERS: Readonly<Record<string, string>> = {
  bedrock: "anthropic",
  vertex: "google",
  googleVertex: "google",
  azure: "openai",
};

/** What providers have encrypted, in the AI SDK's options of a part: each with its provider, and what that calls it. */
export function sealedBy(
  options: unknown,
): readonly (Provenance & { readonly provider: string; readonly data: string })[] {
  return Object.entries(recordOf(options)).flatMap(([name, ofProvider]) =>
    SEALED.flatMap((field) => {
      const { [field]: data, itemId } = recordOf(ofProvider);
      const id = typeof itemId === "string" ? { id: itemId } : {};
      return typeof data === "string" && data !== "" ? [{ data, provider: PROVIDERS[name] ?? name, ...id }] : [];
    }),
  );
}

/** What is known of a part's making, and what its provider encrypted of it. */
export interface Sealed extends Provenance {
  readonly data?: string;
}

/** The fields in which a part may say of its making. */
const PROOFS = [
  ...["signature", "id", "data", "providerOptions", "providerMetadata", "callProviderMetadata", "extra_content"],
  "thoughtSignature",
] as const;
const NO_PROOF: Sealed = {};

/** What a part says of its making. A part that does not say whose it is, is of the provider `own`. */
export function provenanceOf(part: Row, own: string | undefined): Sealed {
  if (PROOFS.every((field) => part[field] == null)) {
    return NO_PROOF;
  }
  const options = recordOf(part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata);
  const anthropic = recordOf(options.anthropic ?? options.bedrock);
  const google = recordOf(options.google ?? options.vertex ?? options.googleVertex);
  const openai = recordOf(options.openai ?? options.azure);
  const compatible = recordOf(recordOf(part.extra_content).google);
  const held = typeof part.type === "string" && /reasoning|thinking/.test(part.type) ? part.data : undefined;
  return (
    sealed("anthropic", { signature: anthropic.signature, data: anthropic.redactedData }) ??
    sealed("google", { signature: google.thoughtSignature }) ??
    sealed("openai", { id: openai.itemId, data: openai.reasoningEncryptedContent }) ??
    sealed("google", { signature: part.thoughtSignature ?? compatible.thought_signature }) ??
    sealed(part.provider ?? own, { signature: part.signature, data: held, id: part.id }) ??
    {}
  );
}

function sealed(provider: unknown, fields: Row): Sealed | undefined {
  const given = Object.entries(fields).filter(([, value]) => typeof value === "string" && value !== "");
  if (given.length === 0) {
    return undefined;
  }
  return { ...(typeof provider === "string" ? { provider } : {}), ...Object.fromEntries(given) };
}

/** Whose reasoning is in OpenRouter's details, by the beginning of their format. */
const DETAIL_FORMATS = [
  [/^anthropic/, "anthropic"],
  [/^google/, "google"],
  [/^openai|^azure|^xai/, "openai"],
] as const;

type Thought =
  | (Sealed & { readonly type: "reasoning"; readonly text: string })
  | (Provenance & { readonly type: "redacted_thinking"; readonly data: string });

/** What the assistant thought, as OpenRouter gives it beside the content. */
export function thoughtDetails(details: unknown): readonly Thought[] {
  return untilHole(Array.isArray(details) ? details : []).flatMap((detail): Thought[] => {
    const { text, summary, data, signature, id, format } = recordOf(detail);
    const provider = DETAIL_FORMATS.find(([pattern]) => pattern.test(String(format)))?.[1];
    const thought = text ?? summary;
    const proof = sealed(provider, { signature, id }) ?? {};
    if (typeof thought === "string") {
      return [{ type: "reasoning", text: thought, ...proof }];
    }
    return typeof data === "string" ? [{ type: "redacted_thinking", data, ...proof, ...named(provider) }] : [];
  });
}

const named = (provider: string | undefined): Provenance => (provider === undefined ? {} : { provider });
