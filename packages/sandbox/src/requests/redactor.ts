import { setImmediate } from "node:timers/promises";
import { formsOfSecrets, hideForms } from "@parley/guarded-fetch";

/** Hides the secrets of an execution in whatever leaves it. */
export interface Redactor {
  text(text: string): string;
  /** Large bodies are looked through in several turns of the event loop. */
  bytes(bytes: Buffer): Promise<Buffer>;
}

/** Looking through less takes less than a millisecond for each form of a secret. */
const LARGE_BYTES = 1_048_576;

/** Makes a redactor of these values; the shortest that are hidden have 8 characters. */
export function createRedactor(values: readonly string[]): Redactor {
  const forms = formsOfSecrets(values);
  const known = forms.map((form) => Buffer.from(form));
  return {
    text: (text) => hideForms(text, forms),
    bytes: async (bytes) => {
      const found: string[] = [];
      for (const form of known) {
        // One character for each byte, so that no byte of another kind changes.
        if (bytes.includes(form)) found.push(form.toString("latin1"));
        if (bytes.length > LARGE_BYTES) await setImmediate();
      }
      if (found.length === 0) return bytes;
      return Buffer.from(hideForms(bytes.toString("latin1"), found), "latin1");
    },
  };
}
