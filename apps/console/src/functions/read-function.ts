import { queryOptions } from "@tanstack/react-query";
import type { SandboxFunction } from "parley-client";
import { hasRole } from "../api/access.ts";
import type { Clients } from "../api/clients.ts";
import type { Session } from "../api/session.ts";

/** A function as a page shows it: those who build see its program too. */
export type ShownFunction = SandboxFunction & {
  readonly status?: "active" | "archived";
  readonly program?: unknown;
};

/** Reads a function by its id or slug; null if there is none. */
export function functionQuery(clients: Clients, session: Session, functionId: string) {
  const { workspaceId } = clients;
  return queryOptions({
    queryKey: ["function", workspaceId, functionId],
    queryFn: async ({ signal }): Promise<ShownFunction | null> => {
      if (!hasRole(session, "builder")) return find(clients, functionId, signal);
      const call = { wId: workspaceId, functionId };
      return (await clients.rpc.sandboxFunctions.get.query(call, { signal })).sandboxFunction;
    },
  });
}

/** Finds a function in the list: users have no other read of one. */
async function find(
  { parley }: Clients,
  functionId: string,
  signal: AbortSignal,
): Promise<ShownFunction | null> {
  let lastValue: string | undefined;
  for (;;) {
    const page = await parley.functions.list({ limit: 100, lastValue }, { signal });
    const found = page.sandboxFunctions.find(
      ({ sId, slug }) => sId === functionId || slug === functionId,
    );
    if (found !== undefined) return found;
    if (!page.hasMore || page.lastValue === null) return null;
    lastValue = page.lastValue;
  }
}
