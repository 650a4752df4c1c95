import { hideSecrets } from "@parley/guarded-fetch";

/** Hides the secrets of an execution in whatever leaves it. */
export interface Redactor {
  text(text: string): string;
  /** In the JSON of a value, where quotes and line ends are escaped. */
  json(json: string): string;
  bytes(bytes: Buffer): Buffer;
}

/** Makes a redactor of these values; the shortest that are hidden have 8 characters. */
export function createRedactor(values: readonly string[]): Redactor {
  const escaped = values.map((value) => JSON.stringify(value).slice(1, -1));
  const known = values.map((value) => Buffer.from(value));
  return {
    text: (text) => hideSecrets(text, values),
    json: (json) => hideSecrets(json, escaped),
    bytes: (bytes) => {
      if (!known.some((value) => value.length > 0 && bytes.includes(value))) return bytes;
      // One character for each byte, so that no byte of another kind changes.
      const hidden = hideSecrets(
        bytes.toString("latin1"),
        known.map((value) => value.toString("latin1")),
      );
      return Buffer.from(hidden, "latin1");
    },
  };
}
