import { createHash } from "node:crypto";
import type { Queryable, StoredFragment } from "@parley/db";
import {
  type CreateContentFragment,
  type CreateConversation,
  essenceOf,
  ParleyError,
} from "@parley/schema";
import type { Context } from "../context.ts";
import type { FileRow, MessageRow } from "../data-access/rows.ts";
import { cutText, isText } from "../files/file-text.ts";
import { findFile } from "../files/files.ts";
import { findNode } from "../knowledge/nodes.ts";

/** What the row of a fragment says beyond what every message row says. */
export type FragmentColumns = Pick<MessageRow, "type" | "content" | "context" | "fragment">;

/** The file of an inline text, without the message that it belongs to. */
export type InlineFile = Omit<FileRow, "id" | "workspaceId" | "conversationId">;

/** A fragment whose source was found. */
export interface ResolvedFragment {
  readonly columns: FragmentColumns;
  /** The file that it names. */
  readonly file?: FileRow;
  /** Written with the message, under the message's number. */
  readonly inline?: InlineFile;
  /** Its place in the request's body, if it has several. */
  readonly path?: string;
}

/** Resolves the fragments of a request body in order, with their paths in it. */
export async function resolveFragments(
  db: Queryable,
  context: Context,
  body: Partial<Pick<CreateConversation, "contentFragment" | "contentFragments">>,
): Promise<ResolvedFragment[]> {
  const { contentFragment, contentFragments = [] } = body;
  const named = contentFragments.map((fragment, index) => ({
    fragment,
    path: `contentFragments[${index}].`,
  }));
  if (contentFragment !== undefined) {
    named.unshift({ fragment: contentFragment, path: "contentFragment." });
  }
  const resolved: ResolvedFragment[] = [];
  for (const one of named) {
    const path = one.path.slice(0, -1);
    resolved.push({ ...(await resolveFragment(db, context, one)), path });
  }
  return resolved;
}

/**
 * Finds the source of a fragment: a file takes precedence over a node, a node over inline text. `path`
 * is the fragment's place in the request. Throws `file_not_found` or `data_source_view_not_found`,
 * both 400.
 */
export async function resolveFragment(
  db: Queryable,
  context: Context,
  { fragment, path }: { fragment: CreateContentFragment; path: string },
): Promise<ResolvedFragment> {
  const { title, fileId, nodeId, nodeDataSourceViewId, url } = fragment;
  const sent = toSent(fragment);
  const { username = "API User", timezone = "UTC", ...rest } = fragment.context ?? {};
  const shared = { type: "content_fragment", context: { username, timezone, ...rest } };
  if (fileId !== undefined) {
    const file = await findFile(db, context, fileId);
    if (file === undefined) {
      const message = `${path}fileId: the workspace has no such file, or it has not been uploaded yet`;
      throw new ParleyError("file_not_found", message, { status: 400 });
    }
    const { contentType, sizeBytes } = file;
    const textBytes = isText(contentType) ? sizeBytes : null;
    const source = { title, contentType, fileId, sourceUrl: url ?? null, textBytes, ...sent };
    return { columns: { ...shared, content: file.text ?? "", fragment: source }, file };
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
      ...sent,
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
  const stored = { ...source, textBytes: inline.sizeBytes, ...sent };
  return { columns: { ...shared, content, fragment: stored }, inline };
}

/** Members that responses repeat as they were sent. */
function toSent(fragment: CreateContentFragment): Pick<StoredFragment, "sent"> {
  const { path, processedPath, skipFileProcessing } = fragment;
  const sent = {
    ...(path !== undefined && { path }),
    ...(processedPath !== undefined && { processedPath }),
    ...(skipFileProcessing !== undefined && { skipFileProcessing }),
  };
  return Object.keys(sent).length === 0 ? {} : { sent };
}

function createInlineFile(
  context: Context,
  { title, content, contentType }: { title: string; content: string; contentType: string },
): InlineFile {
  const bytes = Buffer.from(content);
  return {
    sid: context.newId("fil"),
    // Whatever its encoding was, JSON carries it as UTF-8.
    contentType: `${essenceOf(contentType)}; charset=utf-8`,
    fileName: title,
    sizeBytes: bytes.length,
    useCase: "conversation",
    status: "ready",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    text: cutText(content),
    width: null,
    height: null,
    createdAt: context.now(),
    apiKeyId: null,
    ownerId: null,
    uploadId: null,
    uploadUntil: null,
  };
}
