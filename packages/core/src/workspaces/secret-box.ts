import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { invalidRequest } from "@parley/schema";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a key that secrets are encrypted with. */
export const ENCRYPTION_KEY_BYTES = 32;

/** A secret as it is stored. */
export interface EncryptedSecret {
  /** The key that decrypts it. */
  readonly keyId: string;
  /** Nonce, tag and ciphertext, in base64. */
  readonly ciphertext: string;
}

/** Encrypts secrets for storage; each is bound to the place where it is stored. */
export interface SecretBox {
  /** Encrypts with the newest key; `place` must be the same to decrypt. */
  encrypt(secret: string, place: string): EncryptedSecret;
  /** Throws if the key is unknown, or the secret was altered or belongs to another place. */
  decrypt(stored: EncryptedSecret, place: string): string;
}

/** What stores secrets. */
export interface SecretServices {
  /** Encrypts credentials; undefined if the deployment has no encryption key. */
  readonly secretBox?: SecretBox | undefined;
}

/** Throws `invalid_request_error` for the member that is a secret, if the server keeps none. */
export function requireSecretBox({ secretBox }: SecretServices, member: string): SecretBox {
  if (secretBox !== undefined) return secretBox;
  const message =
    "the server cannot store secrets: set PARLEY_ENCRYPTION_KEY to 32 bytes in base64, as of `openssl rand -base64 32`";
  throw invalidRequest("body", [{ path: member, message }]);
}

/**
 * Creates the box of a deployment's keys, the newest first: older keys only decrypt. Undefined without
 * keys.
 */
export function createSecretBox(keys: readonly Uint8Array[]): SecretBox | undefined {
  const byId = new Map(keys.map((key) => [encryptionKeyId(key), key]));
  const [newest] = byId;
  if (newest === undefined) return undefined;
  const [keyId, key] = newest;
  return {
    encrypt: (secret, place) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return {
        keyId,
        ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64"),
      };
    },
    decrypt: (stored, place) => {
      const known = byId.get(stored.keyId);
      if (known === undefined) throw new Error(`There is no encryption key ${stored.keyId}`);
      const bytes = Buffer.from(stored.ciphertext, "base64");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, known, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
  };
}

/** Identifies a key without revealing it. */
export function encryptionKeyId(key: Uint8Array): string {
  if (key.byteLength !== ENCRYPTION_KEY_BYTES) {
    throw new Error(`An encryption key has ${ENCRYPTION_KEY_BYTES} bytes`);
  }
  return createHash("sha256").update("id of ").update(key).digest("hex").slice(0, 12);
}
