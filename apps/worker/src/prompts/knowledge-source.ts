import type { KnowledgeSource } from "@parley/agent";
import {
  type Core,
  listDocumentsOfTurn,
  type LookingTurn,
  lookUp,
  lookUpDocument,
  queryTableOfTurn,
  type Turn,
} from "@parley/core";
import { looksUp } from "@parley/schema";

/** Whether the agent of a turn may look anything up. */
export const looksThingsUp = ({ agent }: Pick<Turn, "agent">): boolean => looksUp(agent.knowledge);

/** What the tools of a turn look up in. */
export function knowledgeSourceOf(
  core: Core,
  { message, agent }: Pick<Turn, "message" | "agent">,
  {
    retry,
    signal,
  }: {
    /** Repeats work on the database through an outage. */
    readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
    readonly signal: AbortSignal;
  },
): KnowledgeSource {
  const { sid: messageId, workspaceId } = message;
  const turn: LookingTurn = { messageId, workspaceId, knowledge: agent.knowledge ?? {} };
  return {
    search: ({ dataSourceId, tags: tagsIn, ...query }) =>
      retry(async () => {
        const dataSourceIds = dataSourceId === undefined ? undefined : [dataSourceId];
        const found = await lookUp(core, turn, { ...query, dataSourceIds, tagsIn, signal });
        if ("refused" in found) return found;
        return found.map(
          ({ spaceId: _space, partId: _part, score: _score, foundBy: _by, ...part }) => part,
        );
      }),
    read: (place, range) =>
      retry(async () => {
        const read = await lookUpDocument(core, turn, { ...place, ...range, signal });
        if (read === undefined || "refused" in read) return read;
        const { spaceId: _space, ...text } = read;
        return text;
      }),
    list: ({ dataSourceId, folderId }, page) =>
      retry(() => listDocumentsOfTurn(core, turn, { dataSourceId, folderId, ...page, signal })),
    table: (place, query) => retry(() => queryTableOfTurn(core, turn, { ...place, query, signal })),
  };
}
