import { stat } from "node:fs/promises";
import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { repeatOnChange } from "../terminal/repeat-on-change.ts";
import { type FolderDocument, listDocuments, readDocument } from "./read-documents.ts";

interface PushOptions extends ServerOptions {
  readonly source: string;
  readonly tag?: readonly string[] | undefined;
  readonly remove?: true | undefined;
  readonly watch?: true | undefined;
}

/** Documents of a page of the data source's list. */
const PAGE = 100;

/** Uploads what changed in a folder, once or until it is interrupted. Throws `CommandError`. */
export async function pushFolder(
  context: Context,
  folder: string,
  options: PushOptions,
): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new CommandError(`${folder}: is not a folder`);
  const connection = await connect(context, options);
  if (options.watch !== true) {
    const { failed } = await push(connection, folder, options);
    if (failed > 0) throw new CommandError(`${failed} of the files could not be uploaded`);
    return;
  }
  await repeatOnChange(context.io, folder, async () => push(connection, folder, options));
}

interface Pushed {
  readonly uploaded: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
}

async function push(
  connection: ServerConnection,
  folder: string,
  { source: dsId, tag: tags, remove, json, watch: isWatched }: PushOptions,
): Promise<Pushed> {
  const { io, parley } = connection;
  const stored = await readStored(connection, dsId);
  let [uploaded, unchanged, removed, failed] = [0, 0, 0, 0];
  const ids = await listDocuments(folder);
  for (const id of ids) {
    // oxlint-disable no-await-in-loop -- a file at a time is in memory
    const document = await readDocument(folder, id);
    if ("fault" in document) {
      failed++;
      reportLine(io, oneLine(`${id}: ${document.fault}`));
    } else if (isSame(stored.get(id), document, tags)) {
      unchanged++;
    } else {
      const { title, text, mimeType: mime_type, parents } = document;
      const body = { title, text, mime_type, parents: [...parents], async: true };
      const tagged = tags === undefined ? {} : { tags: [...tags] };
      await callServer(parley.documents.upsert({ dsId, documentId: id, ...body, ...tagged }));
      uploaded++;
      if (json !== true) printLine(io, oneLine(`uploaded: ${id}`));
    }
    // oxlint-enable no-await-in-loop
  }
  if (remove === true) {
    const known = new Set(ids);
    for (const id of stored.keys()) {
      if (known.has(id)) continue;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await callServer(parley.documents.delete({ dsId, documentId: id }));
      removed++;
      if (json !== true) printLine(io, oneLine(`removed: ${id}`));
    }
  }
  const pushed = { uploaded, unchanged, removed, failed };
  if (json === true) printLine(io, JSON.stringify(pushed));
  else if (isWatched !== true || uploaded + removed + failed > 0) {
    const parts = [`${uploaded} uploaded`, `${unchanged} unchanged`, `${removed} removed`];
    printLine(io, [...parts, `${failed} failed`].join(", "));
  }
  return pushed;
}

type Stored = Awaited<ReturnType<typeof readStored>> extends Map<string, infer One> ? One : never;

function isSame(
  stored: Stored | undefined,
  { hash, title, parents, mimeType }: FolderDocument,
  tags: readonly string[] | undefined,
): boolean {
  const isEqual = (a: readonly string[], b: readonly string[]) =>
    JSON.stringify(a) === JSON.stringify(b);
  return (
    stored?.hash === hash &&
    stored.title === title &&
    stored.mime_type === mimeType &&
    isEqual(stored.parents, parents) &&
    (tags === undefined || isEqual(stored.tags, tags))
  );
}

/** The documents of a data source without their texts, by their ids. */
async function readStored({ parley }: ServerConnection, dsId: string) {
  const readPage = async (offset: number) =>
    (await callServer(parley.documents.list({ dsId, limit: PAGE, offset }))).documents;
  const stored = new Map<string, Awaited<ReturnType<typeof readPage>>[number]>();
  for (let offset = 0; ; offset += PAGE) {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const documents = await readPage(offset);
    for (const document of documents) stored.set(document.document_id, document);
    if (documents.length < PAGE) return stored;
  }
}
