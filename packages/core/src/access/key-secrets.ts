import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { API_KEY_PATTERN, randomBase62, toBase62 } from "@parley/schema";

const RANDOM_CHARACTERS = 34;
const CHECKSUM_CHARACTERS = 6;
/** Of keys, of the tokens of users, and of what stands for them in a browser. */
const PREFIX_CHARACTERS = 3;
const GENERATED = new RegExp(
  `^(?:sk|ut|ss|sc)-[A-Za-z0-9]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`,
);

/** The stored form of a key or token: its SHA-256, in hexadecimal. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Generates a key: 34 random characters and a checksum. */
export function generateApiKey(): string {
  return generateSecret("sk-");
}

/** Generates the token of a user, in the same form. */
export function generateUserToken(): string {
  return generateSecret("ut-");
}

/** Generates the token of a session, in the same form. */
export function generateSessionToken(): string {
  return generateSecret("ss-");
}

/** Generates a code that opens a session, in the same form. */
export function generateSignInCode(): string {
  return generateSecret("sc-");
}

function generateSecret(prefix: string): string {
  const random = randomBase62(RANDOM_CHARACTERS);
  return `${prefix}${random}${checksum(random)}`;
}

function checksum(random: string): string {
  return toBase62(crc32(random), CHECKSUM_CHARACTERS);
}

/** Whether a key or token has the form of a generated one, but a wrong checksum. */
export function isMistyped(secret: string): boolean {
  if (!GENERATED.test(secret)) return false;
  const random = secret.slice(PREFIX_CHARACTERS, -CHECKSUM_CHARACTERS);
  return !secret.endsWith(checksum(random));
}

/** Throws for a key with characters that no client can send. */
export function requireKeyForm(secret: string, name: string): void {
  if (!API_KEY_PATTERN.test(secret)) {
    throw new Error(`The key of ${name} must match ${API_KEY_PATTERN.source}`);
  }
}
