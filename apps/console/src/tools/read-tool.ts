import { queryOptions } from "@tanstack/react-query";
import type { Output } from "parley-client";
import type { Clients } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";

export type Connected = Output<"tools.getConnection">;

/** A tool; one that is only described has no connection. */
export type ShownTool = Omit<Connected, "connection"> & Partial<Pick<Connected, "connection">>;

/** A tool of the workspace; null where there is none. */
export const toolQuery = ({ rpc, workspaceId: wId }: Clients, toolId: string) =>
  queryOptions({
    queryKey: ["tools", wId, "one", toolId],
    queryFn: async ({ signal }): Promise<ShownTool | null> => {
      try {
        return await rpc.tools.getConnection.query({ wId, toolId }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      let lastValue: string | undefined;
      do {
        const input = { wId, limit: 100, ...(lastValue !== undefined && { lastValue }) };
        const page = await rpc.tools.list.query(input, { signal });
        const found = page.tools.find(({ tool }) => tool.sId === toolId);
        if (found !== undefined) return found;
        lastValue = page.hasMore ? (page.lastValue ?? undefined) : undefined;
      } while (lastValue !== undefined);
      return null;
    },
  });
