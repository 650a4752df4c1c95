/** Files that models are given: what they are, and their bytes while they are sent. */
import { files, statement, type StoredFragment } from "@parley/db";
import { createFairBytes } from "@parley/fair-queue";
import { imageSize } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { MeasuredFile } from "../workspaces/taken-files.ts";
import { readBytes } from "./file-bytes.ts";
import { isText } from "./file-text.ts";

/** Whether a fragment is a file that is not text: its message has no content. */
export function isFragmentOfFile(fragment: StoredFragment): boolean {
  const { fileId, node, textBytes = null, contentType } = fragment;
  return node === undefined && fileId !== null && textBytes === null && !isText(contentType);
}

/** A stored file with its first bytes, and what is known of its size. */
export interface ModelFile extends MeasuredFile {
  readonly id: number;
  readonly sid: string;
  readonly contentType: string;
  readonly fileName: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  readonly beginning: Uint8Array;
}

/** The bytes of files by their ids, in memory until they are released. */
export interface HeldFiles {
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  release(): void;
}

/** The files that the models of a process are given. */
export interface ModelFiles {
  /** Finds the files of a workspace that have bytes, by their ids; each other one was deleted. */
  find(workspaceId: number, sids: readonly string[]): Promise<Map<string, ModelFile>>;
  /**
   * The file with the size of its image, which is stored: 0 if its first megabyte does not say it. A file that was
   * deleted in the meantime stays as it is.
   */
  measureImage(file: ModelFile): Promise<ModelFile>;
  /**
   * Reads files once there is room for all of them; those that were deleted in the meantime are left out. Throws
   * the reason of the signal.
   */
  hold(
    workspaceId: number,
    files: readonly Pick<ModelFile, "id" | "sid" | "sizeBytes">[],
    signal: AbortSignal,
  ): Promise<HeldFiles>;
}

/** Bytes by which types are told apart. */
const BEGINNING_BYTES = 64;
/** Cameras write previews and descriptions before the size of a picture: a few hundred kilobytes. */
const HEADER_BYTES = 1024 * 1024;

const filesStatement = statement<{ workspaceId: number; sids: string }, ModelFile>(
  "find_model_files",
  sql`
  select f.id, f.sid, f.content_type as "contentType", f.file_name as "fileName",
    f.size_bytes as "sizeBytes", f.sha256, f.width, f.height,
    case when f.content_type like 'application/pdf%' then (
      select max(t.pages) from file_texts t
      where t.workspace_id = f.workspace_id and t.sha256 = f.sha256
    ) end as pages,
    coalesce(
      (select substring(c.data from 1 for ${sql.raw(String(BEGINNING_BYTES))})
      from file_chunks c where c.file_id = f.id and c.position = 0), ''::bytea) as beginning
  from files f
  where f.sid in (select jsonb_array_elements_text(${sql.placeholder("sids")}::jsonb))
    and f.workspace_id = ${sql.placeholder("workspaceId")} and f.status = 'ready'`,
);

const measuredStatement = statement<{ id: number; width: number; height: number }>(
  "save_image_size",
  sql`
  update files set width = ${sql.placeholder("width")}::int, height = ${sql.placeholder("height")}::int
  where id = ${sql.placeholder("id")}`,
);

/** Creates what reads the files of models; at most `maxBytes` are in memory at once. */
export function createModelFiles(core: Process, maxBytes: number): ModelFiles {
  const room = createFairBytes(maxBytes);
  const { db } = core.database;

  const isThere = async (id: number) => (await db.$count(files, eq(files.id, id))) > 0;

  async function read({ id, sizeBytes }: Pick<ModelFile, "id" | "sizeBytes">, signal: AbortSignal) {
    const bytes = new Uint8Array(sizeBytes);
    let at = 0;
    try {
      for await (const chunk of readBytes(core, id, { start: 0, end: sizeBytes })) {
        signal.throwIfAborted();
        bytes.set(chunk, at);
        at += chunk.length;
      }
      return bytes;
    } catch (error) {
      signal.throwIfAborted();
      if (await isThere(id)) throw error;
      return undefined;
    }
  }

  /** Undefined if the file was deleted. */
  async function readHeader({ id, sizeBytes }: ModelFile): Promise<Uint8Array | undefined> {
    const chunks: Uint8Array[] = [];
    const end = Math.min(sizeBytes, HEADER_BYTES);
    try {
      for await (const chunk of readBytes(core, id, { start: 0, end })) chunks.push(chunk);
    } catch (error) {
      if (await isThere(id)) throw error;
      return undefined;
    }
    return Buffer.concat(chunks);
  }

  return {
    find: async (workspaceId, sids) => {
      if (sids.length === 0) return new Map();
      const found = await filesStatement.execute(db, { workspaceId, sids: JSON.stringify(sids) });
      return new Map(found.map((file) => [file.sid, file]));
    },
    measureImage: async (file) => {
      if (file.width !== null) return file;
      const { id } = file;
      const header = imageSize(file.beginning) ? file.beginning : await readHeader(file);
      if (header === undefined) return file;
      const measured = imageSize(header) ?? { width: 0, height: 0 };
      await measuredStatement.execute(db, { id, ...measured });
      return { ...file, ...measured };
    },
    hold: async (workspaceId, wanted, signal) => {
      const total = wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const release = await room.enter(workspaceId, total, signal);
      const bytes = new Map<string, Uint8Array>();
      try {
        for (const file of wanted) {
          // One after the other: requests with files are not to take all connections.
          // oxlint-disable-next-line no-await-in-loop
          const whole = await read(file, signal);
          if (whole !== undefined) bytes.set(file.sid, whole);
        }
      } catch (error) {
        release();
        throw error;
      }
      return {
        bytes,
        release: () => {
          bytes.clear();
          release();
        },
      };
    },
  };
}
