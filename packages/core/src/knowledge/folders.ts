import type { FolderParams, UpsertedFolder, UpsertFolder } from "@parley/schema";
import type { Context } from "../context.ts";
import { renderDataSource } from "./data-sources.ts";
import { parentsOf } from "./document-text.ts";
import { type NodeInView, requireNode, type UploadContext, uploadNode } from "./documents.ts";

/**
 * Writes a folder in place of the one with the same id. Throws `data_source_not_found`,
 * `data_source_quota_error`, and `invalid_request_error` for a body that contradicts itself.
 */
export async function upsertFolder(
  context: UploadContext,
  input: FolderParams & UpsertFolder,
): Promise<UpsertedFolder> {
  const { folderId: nodeId, title, mime_type: contentType, timestamp, source_url } = input;
  const written = await uploadNode(context, input, {
    nodeId,
    nodeType: "folder",
    title,
    contentType,
    sourceUrl: source_url ?? null,
    parents: parentsOf(nodeId, input),
    timestamp,
    providerVisibility: input.provider_visibility ?? null,
  });
  return renderFolder(context, written);
}

/** Replays an upload with the folder as it now is. Throws `data_source_document_not_found`. */
export async function replayFolder(
  context: Context,
  input: FolderParams & UpsertFolder,
): Promise<UpsertedFolder> {
  return renderFolder(context, await requireNode(context, input, input.folderId));
}

function renderFolder(context: Context, { view, node }: NodeInView): UpsertedFolder {
  return {
    folder: {
      data_source_id: view.dataSourceSid,
      folder_id: node.nodeId,
      title: node.title,
      parents: node.parents,
      timestamp: node.timestamp,
    },
    data_source: renderDataSource(context, view),
  };
}
