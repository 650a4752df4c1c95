import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a key that secrets are encrypted with. */
export const ENCRYPTION_KEY_BYTES = 32;

/** A secret as it is stored. */
export interface Sealed {
  /** Which key opens it. */
  readonly keyId: string;
  /** Nonce, tag and ciphertext, in base64. */
  readonly sealed: string;
}

/** Encrypts what is stored, and makes sure that it is opened only where it belongs. */
export interface SecretBox {
  /** Encrypts with the newest key, for one place: `place` must be the same to open it. */
  seal(secret: string, place: string): Sealed;
  /** Throws where the key is not there, or the secret was altered or is of another place. */
  open(sealed: Sealed, place: string): string;
}

/**
 * Makes the box of a deployment's keys, the newest first: the others only open what was encrypted
 * with them. Undefined without keys.
 */
export function createSecretBox(keys: readonly Uint8Array[]): SecretBox | undefined {
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  const [newest] = byId;
  if (newest === undefined) return undefined;
  const [keyId, key] = newest;
  return {
    seal: (secret, place) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return {
        keyId,
        sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64"),
      };
    },
    open: (stored, place) => {
      const known = byId.get(stored.keyId);
      if (known === undefined) throw new Error(`There is no encryption key ${stored.keyId}`);
      const bytes = Buffer.from(stored.sealed, "base64");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, known, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
  };
}

/** Tells keys apart, and nothing else of them. */
function idOf(key: Uint8Array): string {
  if (key.byteLength !== ENCRYPTION_KEY_BYTES) {
    throw new Error(`An encryption key has ${ENCRYPTION_KEY_BYTES} bytes`);
  }
  return createHash("sha256").update("id of ").update(key).digest("hex").slice(0, 12);
}
