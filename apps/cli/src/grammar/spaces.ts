import type { Space } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

export const spaces = { many: "spaces", one: "space", open: connect };

/** Reads all spaces of the workspace, for admins. Throws `CommandError`. */
export const readSpaces = ({ rpc, wId }: ServerConnection) =>
  readPages(
    async (place) => rpc.spaces.listAll.query({ wId, limit: 100, ...place }),
    (page) => page.spaces,
  );

/** Reads all spaces where the key is an admin's, else those that it reaches. */
async function* readReached(connection: ServerConnection): AsyncGenerator<Space> {
  try {
    yield* readSpaces(connection);
  } catch (error) {
    if (errorTypeOf(error) !== "app_auth_error") throw error;
    const { rpc, wId } = connection;
    yield* (await callServer(rpc.spaces.list.query({ wId }))).spaces;
  }
}

/** The space with an id, or the only one with a name. Throws `CommandError`. */
export async function findSpace(connection: ServerConnection, reference: string): Promise<Named> {
  const { sId, name } = await findOne(readReached(connection), reference, {
    ...spaces,
    idOf: (space) => space.sId,
    nameOf: (space) => space.name,
  });
  return { id: sId, name };
}
