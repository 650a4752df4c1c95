import { runs } from "@parley/db";
import { ParleyError, type RunIdentity, type Trace } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import { requireRun } from "../activity/get-run.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { deriveSpans } from "./derive-spans.ts";
import { readTracedTree } from "./read-traced.ts";

/** Names an answer of a conversation. */
interface AnswerIdentity {
  readonly wId: string;
  readonly cId: string;
  readonly mId: string;
}

/** The trace of an answer that the caller reaches. Throws `message_not_found`. */
export async function readAnswerTrace(
  context: RequestContext,
  { wId, cId, mId }: AnswerIdentity,
): Promise<{ trace: Trace }> {
  const unknown = new ParleyError("message_not_found", "mId: the conversation has no such answer");
  const { db } = context.database;
  const found = await requireRun(context, db, { wId, runId: mId }).catch((error: unknown) => {
    throw error instanceof ParleyError && error.type === "run_not_found" ? unknown : error;
  });
  if (found.kind !== "turn" || found.conversationId !== cId) throw unknown;
  return readTrace(context, { wId, runId: mId });
}

/** The trace of a run that the caller reaches. Throws `run_not_found`. */
export async function readRunTrace(
  context: RequestContext,
  input: RunIdentity,
): Promise<{ trace: Trace }> {
  await requireRun(context, context.database.db, input);
  return readTrace(context, input);
}

async function readTrace(
  context: RequestContext,
  { wId, runId }: RunIdentity,
): Promise<{ trace: Trace }> {
  const { caller, database } = context;
  const { id, currency } = await administeredWorkspace(context, database.db, wId);
  const [run] = await database.db
    .select()
    .from(runs)
    .where(and(eq(runs.logId, runId), eq(runs.workspaceId, id)));
  const traced = run && (await readTracedTree(database.db, run));
  // It was deleted in the meantime.
  if (run === undefined || traced === undefined) {
    throw new ParleyError("run_not_found", "runId: the workspace has no such run");
  }
  // Not what the key of a token sees: its caller is a user.
  const seesAll = caller.kind === "operator" || seesAllOfWorkspace({ apiKey: caller.apiKey });
  const trace = deriveSpans(traced, {
    currency: seesAll ? currency : undefined,
    providerWords: seesAll ? run.providerError?.message : undefined,
    traceparent: run.traceparent,
  });
  return { trace };
}
