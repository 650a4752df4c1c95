import { type PromptNote, type Queryable, statement, type StoredStep } from "@parley/db";
import { sql } from "drizzle-orm";
import { toColumns } from "../data-access/row-json.ts";
import { isBudgeted } from "../money/is-budgeted.ts";
import { type BilledCall, toUsage, usageParts } from "../usage/usage-ledger.ts";

/** What an answer has so far, and the calls of models that it took since that was last written. */
export interface WrittenSteps {
  readonly logId: string;
  readonly rawContents: readonly { step: number; content: string }[];
  readonly chainOfThought: string | null;
  /** By default what the message has. */
  readonly steps?: readonly StoredStep[] | undefined;
  readonly promptNotes?: readonly PromptNote[] | undefined;
  readonly usage?: readonly BilledCall[] | undefined;
}

const writeStatement = statement<
  { logId: string; saved: string; usage: string },
  { isBudgeted: boolean }
>(
  "write_steps",
  sql`
  with ${usageParts(sql`select ${sql.placeholder("logId")}::text`)}
  update messages m set
    raw_contents = g.raw_contents,
    chain_of_thought = g.chain_of_thought,
    steps = coalesce(g.steps, m.steps),
    prompt_notes = coalesce(g.prompt_notes, m.prompt_notes)
  from json_populate_record(null::messages, ${sql.placeholder("saved")}::json) g
  where m.sid = ${sql.placeholder("logId")}
  returning ${isBudgeted(sql`m.workspace_id`)} as "isBudgeted"`,
);

/** Writes them, in the transaction that holds the answer's log. Gives whether a budget applies to the next step. */
export async function writeSteps(
  db: Queryable,
  { logId, usage = [], rawContents, chainOfThought, steps, promptNotes }: WrittenSteps,
): Promise<boolean> {
  const columns = {
    rawContents,
    chainOfThought,
    steps: steps ?? null,
    promptNotes: promptNotes ?? null,
  };
  const saved = JSON.stringify(toColumns(columns));
  const [row] = await writeStatement.execute(db, { logId, saved, usage: toUsage(usage) });
  return row?.isBudgeted ?? false;
}
