import type { RpcClient } from "parley-client";

type Knowledge = Awaited<ReturnType<RpcClient["agents"]["getDefinition"]["query"]>>["knowledge"];

/** What an agent may look up as edited: tags with commas between them, and folders in lines. */
export interface KnowledgeDraft {
  readonly everything: boolean;
  readonly dataSourceIds: readonly string[];
  readonly tags: string;
  readonly folders: string;
}

/** What an agent may look up, as edited. */
export function draftOfKnowledge(stored: Knowledge): KnowledgeDraft {
  const { everything = false, dataSourceIds = [], folders = [], tags = [] } = stored;
  return {
    everything,
    dataSourceIds,
    tags: tags.join(", "),
    folders: folders.map(({ dataSourceId, folderId }) => `${dataSourceId}/${folderId}`).join("\n"),
  };
}

/** The same as the server takes it. Throws an `Error` with a readable message. */
export function knowledgeOfDraft(draft: KnowledgeDraft): Knowledge {
  const { everything, dataSourceIds } = draft;
  const tags = split(draft.tags, ",");
  const folders = split(draft.folders, "\n").map((line) => {
    const slash = line.indexOf("/");
    if (slash < 1 || slash === line.length - 1) {
      throw new Error("Each folder must be the id of a data source, a slash, and its own id");
    }
    return { dataSourceId: line.slice(0, slash), folderId: line.slice(slash + 1) };
  });
  return {
    ...(everything && { everything }),
    ...(dataSourceIds.length > 0 && { dataSourceIds: [...dataSourceIds] }),
    ...(folders.length > 0 && { folders }),
    ...(tags.length > 0 && { tags }),
  };
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
