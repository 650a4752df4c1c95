import type { Process } from "./context.ts";
import { takeOverInvocations } from "./invocations/claim-invocations.ts";
import type { ClaimedRun, ClaimOptions } from "./runs/claim-parts.ts";
import type { RunKind } from "./runs/run-kinds.ts";
import { takeOverWebRefreshes } from "./web-sources/claim-refreshes.ts";
import { takeOverDivisions } from "./retrieval/claim-divisions.ts";
import { takeOverEmbeddings } from "./retrieval/claim-embeddings.ts";
import { takeOverCompactions } from "./summaries/claim-compactions.ts";
import { takeOverTraceExports } from "./trace-destinations/claim-exports.ts";
import { takeOverTriggerEvents } from "./triggers/claim-trigger-events.ts";
import { takeOverFirings } from "./schedules/claim-firings.ts";
import { takeOverDeliveries } from "./webhooks/claim-deliveries.ts";
import { takeOverTurns } from "./turns/claim-turns.ts";

type Context = Pick<Process, "database" | "random" | "now">;
type TakeOver = (context: Context, options: ClaimOptions) => Promise<ClaimedRun[]>;

const takeOvers: Readonly<Record<RunKind, TakeOver>> = {
  agent_turn: takeOverTurns,
  invocation: takeOverInvocations,
  compaction: takeOverCompactions,
  delivery: takeOverDeliveries,
  trigger_event: takeOverTriggerEvents,
  firing: takeOverFirings,
  trace_export: takeOverTraceExports,
  division: takeOverDivisions,
  embedding: takeOverEmbeddings,
  web_refresh: takeOverWebRefreshes,
};

/**
 * Takes over runs whose worker has not renewed its lease: up to `limit` turns, and the invocations
 * that have had all their attempts, which are to be ended.
 */
export async function takeOverRuns(context: Context, options: ClaimOptions): Promise<ClaimedRun[]> {
  const taken: ClaimedRun[] = [];
  for (const takeOver of Object.values(takeOvers))
    taken.push(...(await takeOver(context, options)));
  return taken;
}
