import { type CreateContentFragment, IMPORTED_TURNS_TYPE, type ImportedTurn } from "@parley/schema";
import { readDataUrl } from "./data-url.ts";
import type { DoorExchange } from "./door.ts";
import { uploadFile } from "./upload-file.ts";

/** A file of a request, whose bytes come with it as a `data:` URL or were uploaded before. */
export interface InputFile {
  /** Where it stands in the request. */
  readonly path: string;
  readonly name: string;
  readonly fileId?: string;
  readonly data?: string;
}

/** What comes before a question: turns that were said elsewhere, and files. */
export type Preceding = { readonly turns: readonly ImportedTurn[] } | { readonly file: InputFile };

/** Turns of a fragment: half of what one may hold, so that results may follow. */
const FRAGMENT_BYTES = 256 * 1024;

/** What stands for the bytes of a request that is answered again: nothing is stored a second time. */
const STORED_BEFORE = "fil_replayed";

type Fragment = Partial<CreateContentFragment> & Pick<CreateContentFragment, "title">;

/** The fragments of what comes before a question; the bytes of files are stored. Throws as uploads do. */
export async function toFragments(
  exchange: DoorExchange,
  preceding: readonly Preceding[],
  { isTemporary = false }: { readonly isTemporary?: boolean } = {},
): Promise<Fragment[]> {
  const isReplay = exchange.context.idempotencyKey?.stored !== undefined;
  const fragments: Fragment[] = [];
  for (const part of preceding) {
    if ("turns" in part) {
      fragments.push(...fragmentsOf(part.turns));
      continue;
    }
    const { path, name, fileId, data = "" } = part.file;
    if (fileId !== undefined) {
      fragments.push({ title: name, fileId });
      continue;
    }
    const file = readDataUrl(data, path);
    const title = /\.\w+$/.test(name) ? name : `${name}.${extensionOf(file.contentType)}`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other: each takes memory
    const id = isReplay
      ? STORED_BEFORE
      : await uploadFile(exchange, { name: title, isTemporary, ...file });
    fragments.push({ title, fileId: id });
  }
  return fragments;
}

/** Turns as fragments, of which none is longer than it may be; results stay with their calls. */
function fragmentsOf(turns: readonly ImportedTurn[]): Fragment[] {
  const groups: ImportedTurn[][] = [];
  let bytes = Infinity;
  for (const turn of turns) {
    const size = Buffer.byteLength(JSON.stringify(turn));
    const isFull = bytes + size > FRAGMENT_BYTES && turn.role !== "tool";
    if (isFull) bytes = 0;
    if (isFull || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(turn);
    bytes += size;
  }
  return groups.map((group) => ({
    title: "Said before",
    contentType: IMPORTED_TURNS_TYPE,
    content: JSON.stringify(group),
  }));
}

const extensionOf = (contentType: string): string => contentType.replace(/^.*[/.]|\+.*$/g, "");
