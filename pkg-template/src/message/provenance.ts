// Finds a provider's proof that something is its own, in any place: in the part, in the AI SDK's provider options, in
// OpenAI's form of Gemini, or in OpenRouter's details.

import { listFrom } from "../base/lists.js";
import { recordOf, type UnknownRecord } from "./format.js";
import type { Provenance } from "./message.js";

/** The names of fields with a provider's encrypted data. */
const SEALED = ["redactedData", "reasoningEncryptedContent", "encryptedContent"] as const;
/** Providers by the names that the AI SDK's packages use. */
const PROVIDERS: Readonly<Record<string, string>> = {
  bedrock: "anthropic",
  vertex: "google",
  googleVertex: "google",
  azure: "openai",
};

/** Returns encrypted data in the AI SDK's options of a part, with its provider and the provider's id for it. */
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

/** True if the AI SDK's options of a text mark it as Anthropic's compaction of everything before it. */
export function isCompacted(options: unknown): boolean {
  const { anthropic, bedrock } = recordOf(options);
  return recordOf(anthropic ?? bedrock).type === "compaction";
}

/** Marks a provider-specific part as a compaction if its kind says so: `openai.compaction`. */
export const noteOf = (kind: unknown): { readonly note?: "compaction" } =>
  String(kind).endsWith(".compaction") ? { note: "compaction" } : {};

/** A part's provenance, with its provider's encrypted data. */
export interface SealedProvenance extends Provenance {
  readonly data?: string;
}

const NO_PROOF: SealedProvenance = {};

/** Returns a part's provenance. A part that doesn't name its provider belongs to `maker`. */
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

/** Returns a proof without its empty fields. Undefined if all are empty. */
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

/** The provider of reasoning in OpenRouter's details, by the prefix of their format. */
const DETAIL_FORMATS = [
  [/^anthropic/, "anthropic"],
  [/^google/, "google"],
  [/^openai|^azure|^xai/, "openai"],
] as const;

type ReasoningShape =
  | (SealedProvenance & { readonly type: "reasoning"; readonly text: string })
  | (Provenance & { readonly type: "redacted_thinking"; readonly data: string });

/** Returns the assistant's thoughts from OpenRouter's details, which are outside the content. */
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
