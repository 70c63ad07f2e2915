// What proves to a provider that something is its own, wherever a message has it: in the part, in the AI SDK's options of a
// provider, in OpenAI's form of Gemini, or in OpenRouter's details.

import { listFrom } from "../base/lists.js";
import { recordOf, type UnknownRecord } from "./format.js";
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

/** True if the AI SDK's options of a text say that it is Anthropic's compaction of everything before it. */
export function isCompacted(options: unknown): boolean {
  const { anthropic, bedrock } = recordOf(options);
  return recordOf(anthropic ?? bedrock).type === "compaction";
}

/** Says of a part of a provider's own if it is a compaction, by its kind: `openai.compaction`. */
export const noteOf = (kind: unknown): { readonly note?: "compaction" } =>
  String(kind).endsWith(".compaction") ? { note: "compaction" } : {};

/** What is known of a part's making, and what its provider encrypted of it. */
export interface SealedProvenance extends Provenance {
  readonly data?: string;
}

const NO_PROOF: SealedProvenance = {};

/** What a part says of its making. A part that does not say whose it is, is of the provider `maker`. */
export function provenanceOf(part: UnknownRecord, maker: string | undefined, isOfCall = false): SealedProvenance {
  const { id, signature, thoughtSignature, data, extra_content: extra } = part;
  const given = part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata ?? extra;
  if ((given ?? signature ?? thoughtSignature ?? data ?? (isOfCall ? null : id)) == null) {
    return NO_PROOF;
  }
  const own = sealed(
    part.provider ?? maker,
    signature,
    isReasoning(part) ? data : undefined,
    isOfCall ? undefined : id,
  );
  if (given == null && thoughtSignature == null) {
    return own ?? NO_PROOF;
  }
  const options = recordOf(part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata);
  const anthropic = recordOf(options.anthropic ?? options.bedrock);
  const google = recordOf(options.google ?? options.vertex ?? options.googleVertex);
  const openai = recordOf(options.openai ?? options.azure);
  const compatible = recordOf(recordOf(extra).google);
  return (
    sealed("anthropic", anthropic.signature, anthropic.redactedData) ??
    sealed("google", google.thoughtSignature) ??
    sealed("openai", undefined, openai.reasoningEncryptedContent, openai.itemId) ??
    sealed("google", thoughtSignature ?? compatible.thought_signature) ??
    own ??
    NO_PROOF
  );
}

const isReasoning = ({ type }: UnknownRecord): boolean => typeof type === "string" && /reasoning|thinking/.test(type);

/** Returns a proof with those of its fields that say something; undefined if none does. */
function sealed(provider: unknown, signature: unknown, data?: unknown, id?: unknown): SealedProvenance | undefined {
  const proof: { -readonly [Field in keyof SealedProvenance]: SealedProvenance[Field] } = {};
  let isProven = false;
  if (typeof provider === "string") {
    proof.provider = provider;
  }
  if (typeof signature === "string" && signature !== "") {
    proof.signature = signature;
    isProven = true;
  }
  if (typeof data === "string" && data !== "") {
    proof.data = data;
    isProven = true;
  }
  if (typeof id === "string" && id !== "") {
    proof.id = id;
    isProven = true;
  }
  return isProven ? proof : undefined;
}

/** Whose reasoning is in OpenRouter's details, by the beginning of their format. */
const DETAIL_FORMATS = [
  [/^anthropic/, "anthropic"],
  [/^google/, "google"],
  [/^openai|^azure|^xai/, "openai"],
] as const;

type ReasoningShape =
  | (SealedProvenance & { readonly type: "reasoning"; readonly text: string })
  | (Provenance & { readonly type: "redacted_thinking"; readonly data: string });

/** What the assistant thought, as OpenRouter gives it beside the content. */
export function thoughtDetails(details: unknown): readonly ReasoningShape[] {
  return listFrom(details).flatMap((detail): ReasoningShape[] => {
    const { text, summary, data, signature, id, format } = recordOf(detail);
    const provider = DETAIL_FORMATS.find(([pattern]) => pattern.test(String(format)))?.[1];
    const thought = text ?? summary;
    const proof = sealed(provider, signature, undefined, id) ?? {};
    if (typeof thought === "string") {
      return [{ type: "reasoning", text: thought, ...proof }];
    }
    return typeof data === "string" ? [{ type: "redacted_thinking", data, ...proof, ...named(provider) }] : [];
  });
}

const named = (provider: string | undefined): Provenance => (provider === undefined ? {} : { provider });
