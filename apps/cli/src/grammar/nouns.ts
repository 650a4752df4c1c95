import { errorTypeOf } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readListed } from "./endpoint-calls.ts";
import { findIn, nounOf } from "./noun.ts";

// The nouns that commands about others name too.

export const files = nounOf("files.list", {
  many: "files",
  one: "file",
  open: connect,
  nameOf: ({ fileName }) => fileName,
});
export const findFile = findIn(files);

export const members = nounOf("members.list", {
  many: "members",
  one: "member",
  open: connect,
  nameOf: ({ email }) => email,
});
export const findMember = findIn(members);

export const keys = nounOf("apiKeys.list", { many: "keys", one: "key", open: connect });

/** Reads the keys. Revoked ones are told apart from new ones of the same name by leaving them out. */
export async function* readKeys(
  connection: ServerConnection,
  { revoked = false }: { readonly revoked?: boolean | undefined } = {},
) {
  for await (const key of keys.read(connection)) if (revoked || key.revokedAt === null) yield key;
}
export const findKey = findIn(keys, readKeys);

export const tools = nounOf("tools.list", {
  many: "tools",
  one: "tool",
  open: connect,
  idOf: ({ tool }) => tool.sId,
  nameOf: ({ tool }) => tool.name,
  versionOf: async (_connection, { item }) => item?.version,
});
export const findTool = findIn(tools);

export const spaces = nounOf("spaces.listAll", { many: "spaces", one: "space", open: connect });

/** Reads all spaces if the key is an admin's, else those that it reaches. */
async function* readReached(connection: ServerConnection) {
  try {
    yield* spaces.read(connection);
  } catch (error) {
    if (errorTypeOf(error) !== "app_auth_error") throw error;
    // The keys of a space are for admins.
    for await (const space of readListed(connection, "spaces.list")) yield { ...space, keyIds: [] };
  }
}
export const findSpace = findIn(spaces, readReached);
