import { type Finding, fail, ok } from "./finding.ts";
import { orNothing, type Surroundings } from "./surroundings.ts";

const WHAT = "encryption";
const SETTING = "PARLEY_ENCRYPTION_KEY";

/** The keys of stored secrets: whether those that are stored can be decrypted. */
export async function checkEncryption(around: Surroundings): Promise<readonly Finding[]> {
  const { readEncryptionKeys } = await import("../keys/encryption-keys.ts");
  const { keys, file } = await readEncryptionKeys(around.settings);
  const isSet = around.settings.PARLEY_ENCRYPTION_KEY !== undefined;
  const sources = [...(isSet ? [SETTING] : []), ...(file === undefined ? [] : [file])];
  const database = await orNothing(around.database);
  if (database === undefined) {
    const state = describeState(sources, around.isEmbedded);
    return [ok(WHAT, `${state}; it is not known whether secrets are stored`)];
  }
  const { encryptionKeyId } = await import("@parley/core");
  return [judgeSecrets(database.secretsByKey, new Set(keys.map(encryptionKeyId)), sources)];
}

function describeState(sources: readonly string[], isEmbedded: boolean): string {
  if (sources.length > 0) return `there is a key in ${sources.join(" and ")}`;
  return isEmbedded
    ? "there is no key yet; the first start creates one"
    : `${SETTING} is not set, so workspaces cannot store secrets`;
}

/** Whether every stored secret has its key; `sources` says where the known ones are from. */
export function judgeSecrets(
  stored: ReadonlyMap<string, number>,
  known: ReadonlySet<string>,
  sources: readonly string[],
): Finding {
  const sum = (counts: Iterable<number>): number =>
    [...counts].reduce((total, count) => total + count, 0);
  const lost = sum([...stored].filter(([id]) => !known.has(id)).map(([, count]) => count));
  const total = sum(stored.values());
  const where = sources.join(" and ");
  if (lost > 0) {
    const cure = `add the key that encrypted them to ${SETTING}, after a comma, or store the secrets again`;
    const why = known.size === 0 ? `${SETTING} is not set` : `${where} lacks their key`;
    return fail(WHAT, `${lost} of ${total} stored secrets cannot be decrypted: ${why}`, cure);
  }
  if (known.size === 0) {
    return ok(WHAT, `${SETTING} is not set, so workspaces cannot store secrets; none are stored`);
  }
  return ok(WHAT, `the key in ${where} decrypts all ${total} secrets that were found`);
}
