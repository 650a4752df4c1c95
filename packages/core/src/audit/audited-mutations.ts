import { auditEvents, type Queryable, workspaces } from "@parley/db";
import type { ErrorType } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Caller, Process } from "../context.ts";
import type { RecordedOnce, Recorder } from "../log/transaction.ts";

/** What mutates: a key, a user with a token, or the command line. */
interface Actor {
  readonly id: string;
  readonly name: string;
}

/** An administrative mutation while it is being done. */
export interface AuditedMutation extends RecordedOnce {
  /** The endpoint's name. */
  readonly action: string;
  readonly actor: Actor;
  /** Public id of the named workspace, which may not exist. */
  readonly workspaceId: string | undefined;
  /** Undefined if it creates something. */
  readonly subjectId: string | undefined;
  readonly clientIp: string;
  readonly requestId: string;
}

/** The key of a caller, or the user of its token, as the audit log names it. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "workspace" && caller.userToken !== undefined) {
    return { id: caller.user.sid, name: caller.user.fullName };
  }
  return { id: caller.apiKey.sid, name: caller.apiKey.name };
}

/** Records that a mutation was refused, or broke after its first transaction. */
export async function recordRefusal(
  core: Process,
  mutation: AuditedMutation,
  outcome: ErrorType,
): Promise<void> {
  await insertAuditEvent(core, core.database.db, { ...mutation, outcome });
}

/** Creates the recorder of successful mutations. `write` throws if a mutation names no subject. */
export function createRecorder(now: () => number): Recorder {
  return {
    write: async (db, mutation: AuditedMutation, createdId) => {
      const { action, subjectId = createdId, workspaceId = createdId } = mutation;
      if (subjectId === undefined) throw new Error(`${action} does not name what it created`);
      const event = { ...mutation, workspaceId, subjectId, outcome: "succeeded" } as const;
      return insertAuditEvent({ now }, db, event);
    },
    isWritten: async (db, recordId) =>
      (await db.$count(auditEvents, eq(auditEvents.id, recordId))) > 0,
  };
}

/** Records what the command line did, in the transaction that does it. */
export async function recordCommand(
  core: Pick<Process, "now">,
  db: Queryable,
  done: Pick<AuditedMutation, "action" | "workspaceId"> & { readonly subjectId: string },
): Promise<void> {
  const actor = { id: "cli", name: "Command line" };
  await insertAuditEvent(core, db, { ...done, actor, outcome: "succeeded" });
}

/** Records what the server did of itself, in the transaction that does it. */
export async function recordOfServer(
  core: Pick<Process, "now">,
  db: Queryable,
  done: Pick<AuditedMutation, "action" | "workspaceId"> & { readonly subjectId: string },
): Promise<void> {
  const actor = { id: "server", name: "The server" };
  await insertAuditEvent(core, db, { ...done, actor, outcome: "succeeded" });
}

/** Records what a user did without a key, in the transaction that does it. */
export async function recordOfUser(
  core: Pick<Process, "now">,
  db: Queryable,
  done: Omit<AuditedMutation, "recorded" | "subjectId"> & { readonly subjectId: string },
): Promise<void> {
  await insertAuditEvent(core, db, { ...done, outcome: "succeeded" });
}

async function insertAuditEvent(
  core: Pick<Process, "now">,
  db: Queryable,
  mutation: Pick<AuditedMutation, "action" | "actor" | "workspaceId" | "subjectId"> &
    Partial<Pick<AuditedMutation, "clientIp" | "requestId">> & {
      readonly outcome: ErrorType | "succeeded";
    },
): Promise<number> {
  // A workspace that does not exist has no records.
  const [workspace] =
    mutation.workspaceId === undefined
      ? []
      : await db
          .select({ sid: workspaces.sid })
          .from(workspaces)
          .where(eq(workspaces.sid, mutation.workspaceId));
  const [row] = await db
    .insert(auditEvents)
    .values({
      at: core.now(),
      workspaceId: workspace?.sid ?? null,
      actorId: mutation.actor.id,
      actorName: mutation.actor.name,
      action: mutation.action,
      subjectId: mutation.subjectId ?? null,
      clientIp: mutation.clientIp ?? null,
      requestId: mutation.requestId ?? null,
      outcome: mutation.outcome,
    })
    .returning({ id: auditEvents.id });
  if (row === undefined) throw new Error("The record was not written");
  return row.id;
}
