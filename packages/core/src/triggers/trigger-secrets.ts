import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { StoredTriggerSecret } from "@parley/db";
import { invalidRequest, type TriggerSource } from "@parley/schema";
import { requireSecretBox, type SecretServices } from "../workspaces/secret-box.ts";
import { findSecretFault } from "./signatures.ts";
import type { TriggerRow } from "./trigger-rows.ts";

const SECRET_BYTES = 32;

const placeOf = (sid: string): string => `trigger/${sid}`;
const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/**
 * The secret of a trigger, and as it is stored: of one in a URL its hash alone, of one that signs its ciphertext. Throws
 * `invalid_request_error` for a given secret that cannot be one, and without a key to encrypt it with.
 */
export function makeTriggerSecret(
  services: SecretServices,
  { sid, source, given }: { sid: string; source: TriggerSource; given: string | undefined },
): { secret: string; stored: StoredTriggerSecret } {
  const random = randomBytes(SECRET_BYTES);
  if (source.type === "url") {
    if (given !== undefined) {
      const message = "must be left out: a secret in a URL is always new";
      throw invalidRequest("body", [{ path: "secret", message }]);
    }
    const secret = random.toString("base64url");
    return { secret, stored: { hash: hashOf(secret).toString("hex") } };
  }
  const fault = given === undefined ? undefined : findSecretFault(source, given);
  if (fault !== undefined) throw invalidRequest("body", [{ path: "secret", message: fault }]);
  const isStandard = source.type === "standard_webhooks";
  const made = isStandard ? `whsec_${random.toString("base64")}` : random.toString("base64url");
  const secret = given ?? made;
  const encrypted = requireSecretBox(services, "secret").encrypt(secret, placeOf(sid));
  return { secret, stored: { encrypted } };
}

type Secrets = Pick<TriggerRow, "sid" | "secret" | "previousSecret" | "previousSecretUntil">;

/** The secrets of a trigger that are accepted at a time. */
function acceptedSecrets(row: Secrets, now: number): StoredTriggerSecret[] {
  const { secret, previousSecret, previousSecretUntil } = row;
  const isOverlapping = previousSecret !== null && now < (previousSecretUntil ?? 0);
  return isOverlapping ? [secret, previousSecret] : [secret];
}

/** Whether a text is the secret in the URL of a trigger; the time that it takes does not depend on the text. */
export function isSecretOf(row: Secrets, given: string, now: number): boolean {
  const hash = hashOf(given);
  const matches = acceptedSecrets(row, now).filter(
    (stored) => "hash" in stored && timingSafeEqual(Buffer.from(stored.hash, "hex"), hash),
  );
  return matches.length > 0;
}

/** The secrets that may have signed an event of a trigger. Throws if none of the server's keys decrypts them. */
export function openTriggerSecrets(
  { secretBox }: SecretServices,
  row: Secrets,
  now: number,
): string[] {
  return acceptedSecrets(row, now).flatMap((stored) => {
    if (!("encrypted" in stored)) return [];
    if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
    return [secretBox.decrypt(stored.encrypted, placeOf(row.sid))];
  });
}
