import { randomBytes } from "node:crypto";
import {
  type EncryptedSecret,
  requireSecretBox,
  type SecretServices,
} from "../workspaces/secret-box.ts";

const SECRET_BYTES = 32;

const placeOf = (sid: string): string => `webhook/${sid}`;

/** A new secret in the form of Standard Webhooks, and as it is stored. Throws `invalid_request_error` without a key for that. */
export function makeWebhookSecret(
  services: SecretServices,
  sid: string,
): { secret: string; stored: EncryptedSecret } {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  return { secret, stored: requireSecretBox(services, "secret").encrypt(secret, placeOf(sid)) };
}

/** Decrypts a secret of a webhook. Throws if none of the server's keys does. */
export function openWebhookSecret(
  { secretBox }: SecretServices,
  sid: string,
  stored: EncryptedSecret,
): string {
  if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
  return secretBox.decrypt(stored, placeOf(sid));
}
