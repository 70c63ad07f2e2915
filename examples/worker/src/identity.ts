// Identifies the caller by a token that the issuer signed for this worker and that hasn't expired. Nothing else counts.

import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Refusal } from "./refusal.js";

export interface TokenSettings {
  readonly TOKEN_ISSUER?: string;
  readonly TOKEN_AUDIENCE?: string;
  /** A secret that the issuer shares, of 32 characters or more. */
  readonly TOKEN_SECRET?: string;
  /** The address of the issuer's public keys, as an alternative to a secret. */
  readonly TOKEN_KEYS_URL?: string;
}

const LONGEST_TOKEN = 8192;
const LONGEST_SUBJECT = 256;
/** Errors that mean the issuer's keys are unavailable, which isn't the token's fault. */
const KEYS_AT_FAULT = ["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"];

/** Returns the subject of a request's token. */
export async function subjectOf(request: Request, settings: TokenSettings): Promise<string> {
  const trusted = trustedBy(settings);
  const token = /^Bearer ([\w.-]+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
  if (token === undefined || token.length > LONGEST_TOKEN) {
    throw unauthorized();
  }
  try {
    // The algorithms are fixed, so a token can't choose one: neither "none", nor a public key used as a secret.
    const { issuer, audience, algorithms } = trusted;
    const checks = { issuer, audience, algorithms, requiredClaims: ["sub", "exp"] };
    const { payload } =
      typeof trusted.key === "function"
        ? await jwtVerify(token, trusted.key, checks)
        : await jwtVerify(token, trusted.key, checks);
    const { sub } = payload;
    if (typeof sub !== "string" || sub === "" || sub.length > LONGEST_SUBJECT) {
      throw unauthorized();
    }
    return sub;
  } catch (failure) {
    if (failure instanceof errors.JOSEError && !KEYS_AT_FAULT.includes(failure.code)) {
      throw unauthorized();
    }
    throw failure;
  }
}

interface Trusted {
  readonly issuer: string;
  readonly audience: string;
  readonly key: Uint8Array | JWTVerifyGetKey;
  readonly algorithms: string[];
}

/** Key sets by address. Each fetches its keys on first use and keeps them for a while. */
const keySets = new Map<string, JWTVerifyGetKey>();

function trustedBy(settings: TokenSettings): Trusted {
  const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_SECRET: secret, TOKEN_KEYS_URL: url } = settings;
  // A missing setting would leave requests unchecked, so nobody gets in.
  if (issuer && audience && url) {
    const key = keySets.get(url) ?? createRemoteJWKSet(new URL(url));
    keySets.set(url, key);
    return { issuer, audience, key, algorithms: ["RS256", "PS256", "ES256", "EdDSA"] };
  }
  if (issuer && audience && secret && secret.length >= 32) {
    return { issuer, audience, key: new TextEncoder().encode(secret), algorithms: ["HS256"] };
  }
  throw new Refusal(
    503,
    "NOT_CONFIGURED",
    "the worker does not know whose tokens to trust",
    "Set TOKEN_ISSUER, TOKEN_AUDIENCE, and TOKEN_KEYS_URL or a TOKEN_SECRET of at least 32 characters.",
  );
}

function unauthorized(): Refusal {
  return new Refusal(
    401,
    "UNAUTHORIZED",
    "the request has no valid token",
    'Sign in, and send "Authorization: Bearer <token>".',
  );
}
