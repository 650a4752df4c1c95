import { SecretName } from "@parley/schema";

const REFERENCE = /\{\{secrets\.([^{}]*)\}\}/g;

/** The names of the secrets that a text names, as in `Bearer {{secrets.ORDERS_TOKEN}}`. */
export const secretsIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);

/** Whether a text names a secret, and none by a name that secrets cannot have. */
export function namesSecrets(text: string): boolean {
  const names = secretsIn(text);
  return names.length > 0 && names.every((name) => SecretName.safeParse(name).success);
}

/** A text with the values of the secrets that it names. */
export const fillSecrets = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(REFERENCE, (_reference, name: string) => values.get(name) ?? "");

/** The reference to a secret that is named by words, as those of a tool and its header. */
export function referenceTo(...words: readonly string[]): string {
  const name = words
    .join("_")
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return `{{secrets.${(/^[A-Z]/.test(name) ? name : `SECRET_${name}`).slice(0, 64)}}}`;
}
