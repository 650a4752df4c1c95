import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedTriggerSource } from "@parley/schema";

/** How far a signed time may be from now. */
const TOLERANCE_MS = 5 * 60_000;
const STANDARD_PREFIX = "whsec_";
/** Signatures of one header that are compared. */
const MAX_SIGNATURES = 20;

/** A request as it came: its headers by their lowercase names, and the bytes of its body. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type Digest = (secret: string) => Buffer;

/** What a form says of a request: the bytes that its secret must give, the signatures that it has, and its time. */
interface Claim {
  readonly digest: Digest;
  readonly signatures: readonly Buffer[];
  /** Seconds since the epoch, if they are signed. */
  readonly at?: string;
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const base64 = (text: string): Buffer => Buffer.from(text, "base64");

const hmacOf =
  (algorithm: string, ...parts: readonly (string | Uint8Array)[]): Digest =>
  (secret) => {
    const hmac = createHmac(algorithm, secret);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };

const afterPrefix = (text: string, prefix: string): string[] =>
  text.startsWith(prefix) ? [text.slice(prefix.length)] : [];

function claimOf(source: SignedTriggerSource, { headers, body }: ReceivedRequest): Claim {
  const header = (name: string): string => headers[name.toLowerCase()] ?? "";
  switch (source.type) {
    case "standard_webhooks": {
      const at = header("webhook-timestamp");
      const signed = header("webhook-signature").split(" ");
      return {
        at,
        digest: (secret) => {
          const key = base64(secret.slice(STANDARD_PREFIX.length));
          const hmac = createHmac("sha256", key).update(`${header("webhook-id")}.${at}.`);
          return hmac.update(body).digest();
        },
        signatures: signed.flatMap((one) => afterPrefix(one, "v1,")).map(base64),
      };
    }
    case "github":
      return {
        digest: hmacOf("sha256", body),
        signatures: afterPrefix(header("x-hub-signature-256"), "sha256=").map(hex),
      };
    case "stripe": {
      const parts = header("stripe-signature").split(",");
      const [at = ""] = parts.flatMap((part) => afterPrefix(part.trim(), "t="));
      return {
        at,
        digest: hmacOf("sha256", `${at}.`, body),
        signatures: parts.flatMap((part) => afterPrefix(part.trim(), "v1=")).map(hex),
      };
    }
    case "slack": {
      const at = header("x-slack-request-timestamp");
      return {
        at,
        digest: hmacOf("sha256", `v0:${at}:`, body),
        signatures: afterPrefix(header("x-slack-signature"), "v0=").map(hex),
      };
    }
    default: {
      const written = afterPrefix(header(source.header), source.prefix);
      const read = source.encoding === "hex" ? hex : base64;
      return { digest: hmacOf(source.algorithm, body), signatures: written.map(read) };
    }
  }
}

/**
 * Why a request does not prove that it is of a source with one of these secrets; undefined if it does. Signatures are
 * compared in constant time, and a time that is signed must be within five minutes of `now`.
 */
export function findSignatureFault(
  source: SignedTriggerSource,
  request: ReceivedRequest,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): string | undefined {
  const { at, digest, signatures } = claimOf(source, request);
  if (signatures.length === 0) return "the event has no signature of this source";
  if (at !== undefined) {
    if (!/^\d{1,12}$/.test(at)) return "the event has no time that is signed";
    if (Math.abs(now - Number(at) * 1000) > TOLERANCE_MS)
      return "the signed time is more than five minutes from now";
  }
  const sent = signatures.slice(0, MAX_SIGNATURES);
  const isSigned = secrets.some((secret) => {
    const expected = digest(secret);
    return sent.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  return isSigned ? undefined : "the signature does not match";
}

/** Why a text cannot be the secret of a source; undefined if it can. */
export function findSecretFault(source: SignedTriggerSource, secret: string): string | undefined {
  if (source.type !== "standard_webhooks") return undefined;
  const isStandard = /^whsec_[A-Za-z0-9+/]+=*$/.test(secret);
  if (isStandard && base64(secret.slice(STANDARD_PREFIX.length)).length >= 16) return undefined;
  return "must be whsec_ and at least 16 bytes in base64";
}
