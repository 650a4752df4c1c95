/** Files that models are given: what they are, and their bytes while they are sent. */
import { files, statement, type StoredFragment } from "@parley/db";
import { createFairBytes } from "@parley/fair-queue";
import { eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { readBytes } from "./file-bytes.ts";
import { isText } from "./file-text.ts";

/** Whether a fragment is a file that is not text: its message has no content. */
export function isFragmentOfFile(fragment: StoredFragment): boolean {
  const { fileId, node, textBytes = null, contentType } = fragment;
  return node === undefined && fileId !== null && textBytes === null && !isText(contentType);
}

/** A stored file with its first bytes. */
export interface ModelFile {
  readonly id: number;
  readonly sid: string;
  readonly contentType: string;
  readonly fileName: string;
  readonly sizeBytes: number;
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

const filesStatement = statement<{ workspaceId: number; sids: string }, ModelFile>(
  "find_model_files",
  sql`
  select f.id, f.sid, f.content_type as "contentType", f.file_name as "fileName",
    f.size_bytes as "sizeBytes", f.sha256,
    coalesce(
      (select substring(c.data from 1 for ${sql.raw(String(BEGINNING_BYTES))})
      from file_chunks c where c.file_id = f.id and c.position = 0), ''::bytea) as beginning
  from files f
  where f.sid in (select jsonb_array_elements_text(${sql.placeholder("sids")}::jsonb))
    and f.workspace_id = ${sql.placeholder("workspaceId")} and f.status = 'ready'`,
);

/** Creates what reads the files of models; at most `maxBytes` are in memory at once. */
export function createModelFiles(core: Process, maxBytes: number): ModelFiles {
  const room = createFairBytes(maxBytes);
  const { db } = core.database;

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
      if ((await db.$count(files, eq(files.id, id))) === 0) return undefined;
      throw error;
    }
  }

  return {
    find: async (workspaceId, sids) => {
      if (sids.length === 0) return new Map();
      const found = await filesStatement.execute(db, { workspaceId, sids: JSON.stringify(sids) });
      return new Map(found.map((file) => [file.sid, file]));
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
