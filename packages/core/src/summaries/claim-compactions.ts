import type { StoredCompaction } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { fromColumns } from "../data-access/row-json.ts";
import type { SummaryRow } from "../data-access/rows.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import { type Billing, billingOf } from "../usage/turn-billing.ts";

/** What a run that summarises starts from. */
export interface Compaction {
  /** Pending, with the progress of earlier attempts. */
  readonly summary: SummaryRow;
  readonly conversationSid: string;
  readonly temperature: number;
  readonly compaction: StoredCompaction | null;
  /** Public id of its agent, and the space of its conversation. */
  readonly agentSid: string;
  readonly spaceId: number | null;
  readonly billing: Billing;
}

type CompactionColumns = Omit<Compaction, "summary"> & { readonly summary: object };

const subject = sql`
  select json_build_object('summary', to_json(s), 'conversationSid', c.sid, 'temperature', a.temperature,
    'compaction', a.compaction, 'agentSid', a.sid, 'spaceId', c.space_id, 'billing', (${billingOf(sql`s.workspace_id`)}))
  from conversation_summaries s
  join conversations c on c.id = s.conversation_id
  join agents a on a.id = s.agent_id
  where s.sid = claimed.log_id`;

const compactions = { kind: "compaction", subject } as const;
const claimStatement = fairClaim<CompactionColumns>("claim_compactions", compactions);
const takeOverStatement = fairTakeOver<CompactionColumns>("take_over_compactions", compactions);

function toCompactionRun(run: ClaimedRun<CompactionColumns>): ClaimedRun<Compaction> {
  const { subject: given } = run;
  return { ...run, subject: given && { ...given, summary: fromColumns(given.summary) } };
}

/** Claims waiting compactions; workspaces of which the worker holds the fewest come first. */
export async function claimCompactions(
  core: Process,
  options: FairClaim,
): Promise<Claimed<Compaction>> {
  const values = toClaimValues(options);
  const claimed = toClaimed(await claimStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toCompactionRun) };
}

/** Takes over compactions whose worker has not renewed its lease. */
export async function takeOverCompactions(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<Compaction>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toCompactionRun);
}
