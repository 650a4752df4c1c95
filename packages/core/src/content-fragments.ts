import { createHash } from "node:crypto";
import type { Queryable } from "@parley/db";
import { type CreateContentFragment, essenceOf, ParleyError } from "@parley/schema";
import type { Context } from "./context.ts";
import { findNode } from "./data-sources.ts";
import { cutText, isText } from "./file-text.ts";
import { findFile } from "./files.ts";
import type { FileRow, MessageRow } from "./rows.ts";

/** What the row of a fragment says beyond what every message row says. */
export type FragmentColumns = Pick<MessageRow, "type" | "content" | "context" | "fragment">;

/** The file that an inline text becomes, but for the message that it belongs to. */
export type InlineFile = Omit<FileRow, "id" | "workspaceId" | "conversationId">;

/** A fragment whose source was found. */
export interface ResolvedFragment {
  readonly columns: FragmentColumns;
  /** Written with the message, under the message's number. */
  readonly inline?: InlineFile;
}

/**
 * Finds the source of a fragment: a file decides over a node, a node over inline text. `path` is
 * where the fragment stands in the request. Throws `file_not_found` or
 * `data_source_view_not_found`, both 400.
 */
export async function resolveFragment(
  db: Queryable,
  context: Context,
  { fragment, path }: { fragment: CreateContentFragment; path: string },
): Promise<ResolvedFragment> {
  const { title, fileId, nodeId, nodeDataSourceViewId, url } = fragment;
  const { username = "API User", timezone = "UTC", ...rest } = fragment.context ?? {};
  const shared = { type: "content_fragment", context: { username, timezone, ...rest } };
  if (fileId !== undefined) {
    const file = await findFile(db, context, fileId);
    if (file === undefined) {
      const message = `${path}fileId: the workspace has no such file, or it was not uploaded yet`;
      throw new ParleyError("file_not_found", message, { status: 400 });
    }
    const { contentType, sizeBytes } = file;
    const textBytes = isText(contentType) ? sizeBytes : null;
    const source = { title, contentType, fileId, sourceUrl: url ?? null, textBytes };
    return { columns: { ...shared, content: file.text ?? "", fragment: source } };
  }
  if (nodeId !== undefined && nodeDataSourceViewId !== undefined) {
    const found = await findNode(db, context, { viewId: nodeDataSourceViewId, nodeId });
    if (found === undefined) {
      const message = `${path}nodeDataSourceViewId: the workspace has no such view, or no such node in it`;
      throw new ParleyError("data_source_view_not_found", message);
    }
    const { node, view, spaceName } = found;
    const stored = {
      title,
      contentType: node.contentType,
      fileId: null,
      sourceUrl: url ?? node.sourceUrl,
      node: {
        nodeId,
        nodeDataSourceViewId,
        nodeType: node.nodeType,
        provider: view.provider,
        spaceName,
      },
    };
    return { columns: { ...shared, content: node.content, fragment: stored } };
  }
  const { content = "", contentType = "text/plain" } = fragment;
  const inline = createInlineFile(context, { title, content, contentType });
  const source = { title, contentType, fileId: inline.sid, sourceUrl: url ?? null };
  const stored = { ...source, textBytes: inline.sizeBytes };
  return { columns: { ...shared, content, fragment: stored }, inline };
}

function createInlineFile(
  context: Context,
  { title, content, contentType }: { title: string; content: string; contentType: string },
): InlineFile {
  const bytes = Buffer.from(content);
  return {
    sid: context.newId("fil"),
    // Whatever the client had it in, as text it came in UTF-8.
    contentType: `${essenceOf(contentType)}; charset=utf-8`,
    fileName: title,
    sizeBytes: bytes.length,
    useCase: "conversation",
    status: "ready",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    text: cutText(content),
    createdAt: context.now(),
    uploadId: null,
    uploadUntil: null,
  };
}
