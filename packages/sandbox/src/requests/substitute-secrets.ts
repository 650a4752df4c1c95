import type { UsedSecret } from "../contract.ts";

/** A header names a secret that the function does not have. */
export class RefusedSecret extends Error {}

const PLACE = /\{\{secrets\.([^{}]*)\}\}/g;

/**
 * Puts secrets in the places `{{secrets.NAME}}` of headers. Throws `RefusedSecret` for a name that the function
 * does not list, or that the workspace has no secret of. `secretHeaders` names those that have one.
 */
export function substituteSecrets(
  headers: readonly (readonly [string, string])[],
  secrets: readonly UsedSecret[],
): { headers: [string, string][]; secretHeaders: string[] } {
  const values = new Map(secrets.map(({ name, value }) => [name, value]));
  const replace = (_place: string, name: string): string => {
    const value = values.get(name);
    if (value !== undefined) return value;
    throw new RefusedSecret(`The function has no secret ${name}`);
  };
  const secretHeaders = headers
    .filter(([, value]) => value.search(PLACE) !== -1)
    .map(([name]) => name);
  return {
    headers: headers.map(([name, value]) => [name, value.replace(PLACE, replace)]),
    secretHeaders,
  };
}
