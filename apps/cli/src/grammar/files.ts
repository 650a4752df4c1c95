import type { FilePage } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

type ListedFile = FilePage["files"][number];

export const files = { many: "files", one: "file", open: connect };

/** Reads the uploads, a page at a time. Throws `CommandError`. */
export const readFiles = ({ rpc, wId }: ServerConnection) =>
  readPages(
    async (place) => rpc.files.list.query({ wId, limit: 100, ...place }),
    (page) => page.files,
  );

/** The upload with an id, or the only one with a name. Throws `CommandError`. */
export async function findFile(connection: ServerConnection, reference: string): Promise<Named> {
  const { sId, fileName } = await findOne(readFiles(connection), reference, {
    ...files,
    idOf: (file: ListedFile) => file.sId,
    nameOf: (file: ListedFile) => file.fileName,
  });
  return { id: sId, name: fileName };
}
