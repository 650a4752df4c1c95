import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { fromColumns } from "../data-access/row-json.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import { type Billing, billingOf } from "../usage/turn-billing.ts";
import { builtSet, type EmbeddingSet } from "./embedding-sets.ts";

/** What a run that makes vectors starts from: the data source, and the set that its workspace builds. */
export interface EmbeddingSubject {
  readonly viewId: number;
  readonly spaceId: number;
  readonly set: EmbeddingSet;
  readonly billing: Billing;
}

type Columns = Omit<EmbeddingSubject, "set"> & { readonly set: object };

const subject = sql`
  select json_build_object('viewId', v.id, 'spaceId', v.space_id, 'set', to_json(built),
    'billing', (${billingOf(sql`v.workspace_id`, sql`null`)}))
  from data_source_views v, lateral (${builtSet(sql`v.workspace_id`)}) built
  where v.id = claimed.subject_id`;

const embedded = { kind: "embedding", subject } as const;
const claimStatement = fairClaim<Columns>("claim_embeddings", embedded);
const takeOverStatement = fairTakeOver<Columns>("take_over_embeddings", embedded);

function toEmbeddingRun(run: ClaimedRun<Columns>): ClaimedRun<EmbeddingSubject> {
  const { subject: given } = run;
  return { ...run, subject: given && { ...given, set: fromColumns<EmbeddingSet>(given.set) } };
}

/** Claims embeddings; workspaces of which the worker holds the fewest come first. */
export async function claimEmbeddings(
  core: Pick<Process, "database">,
  options: FairClaim,
): Promise<Claimed<EmbeddingSubject>> {
  const values = toClaimValues(options);
  const claimed = toClaimed(await claimStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toEmbeddingRun) };
}

/** Takes over embeddings whose worker has not renewed its lease: they continue after the last written batch. */
export async function takeOverEmbeddings(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<EmbeddingSubject>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toEmbeddingRun);
}
