import { queryOptions } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { pagesOf } from "../api/pages-of.ts";

export type Connected = Output<"tools.getConnection">;

/** A tool; one that is only described has no connection. */
export type ShownTool = Omit<Connected, "connection"> & Partial<Pick<Connected, "connection">>;

/** A tool of the workspace; null if there is none. */
export const toolQuery = (wId: string, toolId: string) =>
  queryOptions({
    queryKey: [...trpc.tools.getConnection.pathKey(), "or described", wId, toolId],
    queryFn: async ({ signal }): Promise<ShownTool | null> => {
      try {
        return await rpc.tools.getConnection.query({ wId, toolId }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      const read = (place: object) => rpc.tools.list.query({ wId, ...place }, { signal });
      for await (const { tools } of pagesOf(read, Infinity)) {
        const found = tools.find(({ tool }) => tool.sId === toolId);
        if (found !== undefined) return found;
      }
      return null;
    },
  });
