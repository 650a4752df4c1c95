import { auditEvents, type Queryable, workspaces } from "@parley/db";
import type { ErrorType } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Caller, Core } from "./context.ts";

/** Who acts: a key, or the command line. */
interface Actor {
  readonly id: string;
  readonly name: string;
}

/** An administrative act while it is being done. */
export interface Act {
  /** The endpoint's name. */
  readonly action: string;
  readonly actor: Actor;
  /** Public id of the workspace that is named; it may not exist. */
  readonly workspaceId: string | undefined;
  /** What it is done to; undefined where it makes something. */
  readonly subjectId: string | undefined;
  readonly address: string;
  readonly requestId: string;
  /** Whether its record is committed. */
  recorded: boolean;
}

/** The key of a caller, as the audit log names it. */
export function actorOf({ apiKey }: Caller): Actor {
  return { id: apiKey.sid, name: apiKey.name };
}

/**
 * Records, in the transaction that does it, that an act succeeded; `madeId` is the id of what it
 * made. Throws when it is not known what it was done to.
 */
export async function recordSuccess(
  core: Core,
  db: Queryable,
  { act, madeId }: { act: Act; madeId: string | undefined },
): Promise<void> {
  const subjectId = act.subjectId ?? madeId;
  if (subjectId === undefined) throw new Error(`${act.action} does not say what it made`);
  const workspaceId = act.workspaceId ?? madeId;
  await insertAct(core, db, { ...act, workspaceId, subjectId, outcome: "succeeded" });
}

/** Records that an act was refused, or broke after its first transaction. */
export async function recordRefusal(core: Core, act: Act, outcome: ErrorType): Promise<void> {
  await insertAct(core, core.database.db, { ...act, outcome });
}

/** Records what the command line did, in the transaction that does it. */
export async function recordCommand(
  core: Core,
  db: Queryable,
  done: Pick<Act, "action" | "workspaceId"> & { readonly subjectId: string },
): Promise<void> {
  const actor = { id: "cli", name: "Command line" };
  await insertAct(core, db, { ...done, actor, outcome: "succeeded" });
}

async function insertAct(
  core: Core,
  db: Queryable,
  act: Pick<Act, "action" | "actor" | "workspaceId" | "subjectId"> &
    Partial<Pick<Act, "address" | "requestId">> & { readonly outcome: ErrorType | "succeeded" },
): Promise<void> {
  // What is named may not exist, and then the record is of no workspace.
  const [workspace] =
    act.workspaceId === undefined
      ? []
      : await db
          .select({ sid: workspaces.sid })
          .from(workspaces)
          .where(eq(workspaces.sid, act.workspaceId));
  await db.insert(auditEvents).values({
    at: core.now(),
    workspaceId: workspace?.sid ?? null,
    actorId: act.actor.id,
    actorName: act.actor.name,
    action: act.action,
    subjectId: act.subjectId ?? null,
    address: act.address ?? null,
    requestId: act.requestId ?? null,
    outcome: act.outcome,
  });
}
