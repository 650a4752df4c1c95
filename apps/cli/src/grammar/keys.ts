import type { ApiKey } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { findOne, readList } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

export const keys = { many: "keys", one: "key", open: connect };

/** Reads the keys. Revoked ones are told apart from new ones of the same name by leaving them out. */
export const readKeys = (
  { rpc, wId }: ServerConnection,
  { revoked = false }: { revoked?: boolean | undefined } = {},
) =>
  readList(
    rpc.apiKeys.list
      .query({ wId })
      .then(({ apiKeys }) => apiKeys.filter(({ revokedAt }) => revoked || revokedAt === null)),
  );

/** The key with an id, or the only one with a name. Throws `CommandError`. */
export async function findKey(
  connection: ServerConnection,
  reference: string,
): Promise<Named & { readonly apiKey: ApiKey }> {
  const names = { ...keys, idOf: (one: ApiKey) => one.sId, nameOf: (one: ApiKey) => one.name };
  const apiKey = await findOne(readKeys(connection), reference, names);
  return { id: apiKey.sId, name: apiKey.name, apiKey };
}
