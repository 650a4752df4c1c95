import { type CreateContentFragment, ParleyError } from "@parley/schema";
import type { MessageRow } from "./rows.ts";

/**
 * Refuses fragments whose source is not in the workspace. A file decides over a node, a node over
 * inline text (wire.md, section 1.1).
 */
export function requireFragmentSources(fragments: readonly CreateContentFragment[]): void {
  for (const [index, { fileId, nodeId, nodeDataSourceViewId }] of fragments.entries()) {
    const path = `contentFragments[${index}]`;
    if (fileId !== undefined) {
      const message = `${path}.fileId: the workspace has no such file`;
      throw new ParleyError("file_not_found", message, { status: 400 });
    }
    if (nodeId !== undefined && nodeDataSourceViewId !== undefined) {
      const message = `${path}.nodeDataSourceViewId: the workspace has no such data source view`;
      throw new ParleyError("data_source_view_not_found", message);
    }
  }
}

/** What a row of an inline fragment says beyond what every message row says. */
export function fragmentColumns(
  fragment: CreateContentFragment,
): Pick<MessageRow, "type" | "content" | "context" | "fragment"> {
  const { username = "API User", timezone = "UTC", ...context } = fragment.context ?? {};
  return {
    type: "content_fragment",
    content: fragment.content ?? "",
    context: { username, timezone, ...context },
    fragment: {
      title: fragment.title,
      contentType: fragment.contentType ?? "text/plain",
      fileId: null,
      sourceUrl: fragment.url ?? null,
    },
  };
}
