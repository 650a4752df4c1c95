import { queryOptions } from "@tanstack/react-query";
import type { Clients } from "../api/clients.ts";

/** Reads a run with its input, which never changes. */
export function runQuery({ rpc, workspaceId: wId }: Clients, runId: string) {
  return queryOptions({
    queryKey: ["run", wId, runId],
    queryFn: ({ signal }) => rpc.runs.get.query({ wId, runId }, { signal }),
    staleTime: Infinity,
  });
}
