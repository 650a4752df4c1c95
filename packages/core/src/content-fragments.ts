import type { Queryable } from "@parley/db";
import { type CreateContentFragment, ParleyError } from "@parley/schema";
import type { Context } from "./context.ts";
import { findNode } from "./data-sources.ts";
import type { MessageRow } from "./rows.ts";

/** What the row of a fragment says beyond what every message row says. */
export type FragmentColumns = Pick<MessageRow, "type" | "content" | "context" | "fragment">;

/**
 * Finds the source of a fragment: a file decides over a node, a node over inline text. `path` is
 * where the fragment stands in the request. Throws `file_not_found` or
 * `data_source_view_not_found`, both 400.
 */
export async function resolveFragment(
  db: Queryable,
  context: Context,
  { fragment, path }: { fragment: CreateContentFragment; path: string },
): Promise<FragmentColumns> {
  const { title, fileId, nodeId, nodeDataSourceViewId, url } = fragment;
  if (fileId !== undefined) {
    const message = `${path}fileId: the workspace has no such file`;
    throw new ParleyError("file_not_found", message, { status: 400 });
  }
  const { username = "API User", timezone = "UTC", ...rest } = fragment.context ?? {};
  const shared = { type: "content_fragment", context: { username, timezone, ...rest } };
  if (nodeId !== undefined && nodeDataSourceViewId !== undefined) {
    const found = await findNode(db, context, { viewId: nodeDataSourceViewId, nodeId });
    if (found === undefined) {
      const message = `${path}nodeDataSourceViewId: the workspace has no such view, or no such node in it`;
      throw new ParleyError("data_source_view_not_found", message);
    }
    const { node, view, spaceName } = found;
    return {
      ...shared,
      content: node.content,
      fragment: {
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
      },
    };
  }
  const contentType = fragment.contentType ?? "text/plain";
  return {
    ...shared,
    content: fragment.content ?? "",
    fragment: { title, contentType, fileId: null, sourceUrl: url ?? null },
  };
}
