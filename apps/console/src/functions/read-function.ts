import { queryOptions } from "@tanstack/react-query";
import type { SandboxFunction } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";

/** A function as shown; builders and higher also see its program. */
export type ShownFunction = SandboxFunction & {
  readonly status?: "active" | "archived";
  readonly program?: unknown;
};

interface Wanted {
  readonly wId: string;
  readonly isBuilder: boolean;
  /** Its id or slug. */
  readonly functionId: string;
}

/** Reads a function; null if there is none. */
export const functionQuery = ({ wId, isBuilder, functionId }: Wanted) =>
  queryOptions({
    queryKey: [...trpc.sandboxFunctions.get.pathKey(), "or listed", wId, functionId],
    queryFn: async ({ signal }): Promise<ShownFunction | null> => {
      if (isBuilder) {
        const call = { wId, functionId };
        return (await rpc.sandboxFunctions.get.query(call, { signal })).sandboxFunction;
      }
      // Users can read a function only from the list.
      const read = (place: object) =>
        rpc.sandboxFunctions.list.query({ wId, ...place }, { signal });
      for await (const { sandboxFunctions } of pagesOf(read, Infinity)) {
        const found = sandboxFunctions.find(
          ({ sId, slug }) => sId === functionId || slug === functionId,
        );
        if (found !== undefined) return found;
      }
      return null;
    },
  });
