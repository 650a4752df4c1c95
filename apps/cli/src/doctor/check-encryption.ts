import { fail, type Finding, ok } from "./finding.ts";
import { orNothing } from "./check-database.ts";
import type { Surroundings } from "./surroundings.ts";

const WHAT = "encryption";
const SETTING = "PARLEY_ENCRYPTION_KEY";

/** The keys of stored secrets: whether those that are stored can be decrypted. */
export async function checkEncryption(around: Surroundings): Promise<readonly Finding[]> {
  const keys = around.settings.PARLEY_ENCRYPTION_KEY ?? [];
  const database = await orNothing(around.database);
  if (database === undefined) {
    const state = keys.length === 0 ? "not set, so workspaces cannot store secrets" : "set";
    return [ok(WHAT, `${SETTING} is ${state}; which secrets are stored is not known`)];
  }
  const { encryptionKeyId } = await import("@parley/core");
  const known = new Set(keys.map(encryptionKeyId));
  return [judgeSecrets(database.secretsByKey, known)];
}

/** Whether every stored secret has its key. */
export function judgeSecrets(
  stored: ReadonlyMap<string, number>,
  known: ReadonlySet<string>,
): Finding {
  const sum = (counts: Iterable<number>): number =>
    [...counts].reduce((total, count) => total + count, 0);
  const lost = sum([...stored].filter(([id]) => !known.has(id)).map(([, count]) => count));
  const total = sum(stored.values());
  if (lost > 0) {
    const cure = `add the key that encrypted them to ${SETTING}, after a comma, or store the secrets again`;
    const why = known.size === 0 ? `${SETTING} is not set` : `${SETTING} lacks their key`;
    return fail(WHAT, `${lost} of ${total} stored secrets cannot be decrypted: ${why}`, cure);
  }
  if (known.size === 0) {
    return ok(WHAT, `${SETTING} is not set, so workspaces cannot store secrets; none is stored`);
  }
  return ok(WHAT, `${SETTING} is set; it decrypts all ${total} secrets that were found`);
}
