/** Files that tool calls have made, each at a path of its own in its conversation. */
import { files } from "@parley/db";
import { invalidRequest, ParleyError } from "@parley/schema";
import { and, desc, eq } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { openFile, type ReadableFile, unknownFile } from "./files.ts";

/** The use case of the files of tool calls. */
export const GENERATED = "tool_output";

const FOLDER = "conversation/";

/** The path of a file of a conversation, by its name. */
export function generatedPath(name: string): string {
  return FOLDER + name;
}

/** A name that is not taken yet: another one of the same ending if need be. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let count = 2; ; count++) {
    const other = `${stem}-${count}${ending}`;
    if (!taken.has(other)) return other;
  }
}

interface Named {
  readonly cId: string;
}

/**
 * Opens a file that a tool has made, by its `filePath`; earlier ones are names without a folder. Throws
 * `conversation_not_found`, `file_not_found`, `invalid_request_error` for what is not a path, and
 * `app_auth_error` for one outside of the conversation.
 */
export async function openGeneratedFile(
  context: Context,
  { cId, filePath }: Named & { filePath: string },
): Promise<ReadableFile> {
  requirePath("filePath", filePath);
  return openNamed(context, cId, filePath.includes("/") ? nameIn(filePath) : filePath);
}

/** Opens the same by the rest of a URL's path. Throws as `openGeneratedFile`. */
export async function openByPath(
  context: Context,
  { cId, rel }: Named & { rel: string },
): Promise<ReadableFile> {
  requirePath("rel", rel);
  return openNamed(context, cId, nameIn(rel));
}

function requirePath(member: string, path: string): void {
  const parts = path.split("/");
  const isPath =
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (isPath) return;
  const part = member === "rel" ? "path" : "query";
  const message =
    "must be a relative path without empty parts, . and .., such as conversation/a.png";
  throw invalidRequest(part, [{ path: member, message }]);
}

function nameIn(path: string): string {
  if (path.startsWith(FOLDER)) return path.slice(FOLDER.length);
  const message = `The path is outside of the conversation: its files are below ${FOLDER}`;
  throw new ParleyError("app_auth_error", message);
}

async function openNamed(context: Context, cId: string, name: string): Promise<ReadableFile> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const [row] = await db
    .select({ sid: files.sid })
    .from(files)
    .where(
      and(eq(files.conversationId, id), eq(files.fileName, name), eq(files.useCase, GENERATED)),
    )
    // Files from before paths were unique may have one name.
    .orderBy(desc(files.id))
    .limit(1);
  if (row === undefined) throw unknownFile();
  return openFile(context, { fileId: row.sid });
}
