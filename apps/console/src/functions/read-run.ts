import { trpc } from "../api/clients.ts";

/** Reads a run with its input, which never changes. */
export const runQuery = (wId: string, runId: string) =>
  trpc.runs.get.queryOptions({ wId, runId }, { staleTime: Infinity });
