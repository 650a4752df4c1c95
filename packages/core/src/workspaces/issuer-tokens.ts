import { isStorable, ParleyError } from "@parley/schema";
import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";

/** How long the issuer may take to answer. */
const TIMEOUT_MS = 3000;
/** After keys were read, an unknown one makes them be read again no sooner. */
const COOLDOWN_MS = 30_000;
const MAX_METADATA_BYTES = 256 * 1024;
const CLOCK_TOLERANCE_SECONDS = 5;

/** An OpenID Connect issuer whose tokens are accepted. */
export interface Issuer {
  /** Its URL, as its tokens and its metadata name it. */
  readonly url: string;
  readonly audience: string;
  /** Asymmetric signature algorithms that its tokens may have. */
  readonly algorithms: readonly string[];
  /** Whether its URLs may be http on a loopback address. */
  readonly allowsLoopback: boolean;
}

/** The claims of a token that an issuer has signed. */
export type VerifiedClaims = JWTPayload & { readonly sub: string; readonly exp: number };

/**
 * Creates the check of an issuer's tokens: signature, algorithm, issuer, audience, expiry. It throws
 * `invalid_api_key_error`, and `service_unavailable` if the issuer does not give its keys in time.
 */
export function createTokenVerifier(
  issuer: Issuer,
  now: () => number,
): (token: string) => Promise<VerifiedClaims> {
  const getKey = createKeyReader(issuer);
  return async (token) => {
    try {
      // Before any request to the issuer.
      if (decodeJwt(token).iss !== issuer.url) throw new Error("it has another issuer");
      const { payload } = await jwtVerify(token, getKey, {
        issuer: issuer.url,
        audience: issuer.audience,
        algorithms: [...issuer.algorithms],
        requiredClaims: ["sub", "exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      });
      const { sub } = payload;
      if (typeof sub !== "string" || sub === "" || sub.length > 255 || !isStorable(sub)) {
        throw new Error("`sub` must be 1 to 255 characters, without NUL and lone surrogates");
      }
      // `exp` is required, and jose has checked its type.
      return payload as VerifiedClaims;
    } catch (error) {
      if (error instanceof ParleyError) throw error;
      // The library's messages name claims and never values.
      const why = error instanceof Error ? error.message : "it cannot be read";
      throw new ParleyError("invalid_api_key_error", `The issuer's token is not valid: ${why}`);
    }
  };
}

/** Reads the issuer's keys when they are needed, and caches them. */
function createKeyReader(issuer: Issuer): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined;
  const find = async (): Promise<JWTVerifyGetKey> => {
    const url = await readKeysUrl(issuer);
    return createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
    });
  };
  return async (header, token) => {
    try {
      found ??= find().catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      const readKey = await found;
      return await readKey(header, token);
    } catch (error) {
      const isOfToken =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys;
      if (isOfToken) throw error;
      throw new ParleyError(
        "service_unavailable",
        "The OpenID Connect issuer did not return its keys: try again",
        { cause: error, retryAfterSeconds: 5 },
      );
    }
  };
}

/** The URL of the issuer's keys, from its metadata (OpenID Connect Discovery 1.0). */
async function readKeysUrl(issuer: Issuer): Promise<URL> {
  const base = issuer.url.replace(/\/$/, "");
  const response = await fetch(`${base}/.well-known/openid-configuration`, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200) throw new Error(`The metadata has the status ${response.status}`);
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > MAX_METADATA_BYTES) throw new Error("The metadata is too long");
  const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
  if (metadata?.issuer !== issuer.url) throw new Error("The metadata has another issuer");
  const url = new URL(String(metadata.jwks_uri));
  if (!isSafeUrl(url, issuer)) throw new Error("The URL of the keys must be https");
  return url;
}

/** Whether a URL of an issuer is https, or http on a loopback address if that is allowed. */
export function isSafeUrl(url: URL, { allowsLoopback }: Pick<Issuer, "allowsLoopback">): boolean {
  if (url.protocol === "https:") return true;
  const isLoopback = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  return allowsLoopback && url.protocol === "http:" && isLoopback;
}
