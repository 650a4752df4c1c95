import { actions, conversations, invocations, messages, runs } from "@parley/db";
import { and, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction } from "../log/transaction.ts";
import { type HeldLog, readHeldLog } from "../runs/leases.ts";
import { resumeRefused, suspendRefused, wasRefused } from "../runs/refused-runs.ts";
import { findCalledServer } from "../tools/called-servers.ts";
import { findAuthorization, lockAuthorization } from "../tools/personal-tokens.ts";
import { personalServerOf } from "./allowed-calls.ts";
import { APPROVAL_MS, callStatus } from "./call-states.ts";
import { readAskedBy } from "./calling-turn.ts";
import { readTaskRoot } from "./task-path.ts";
import { askForPermission } from "./waiting-calls.ts";

/**
 * Lets the call of an agent wait that its server has refused because the user's token is for less, and gives whether
 * it does: the run is suspended, and runs again once the user has allowed more. Only once: the second time, and for
 * calls of nobody's message, it ends. Throws `LostLease`.
 */
export async function awaitPermission(core: Process, run: HeldLog): Promise<boolean> {
  const call = await findCall(core, run);
  if (call === undefined) return false;
  const { message, conversation, serverName, userSid, ...named } = call;
  return inTransaction(
    core,
    async (transaction) => {
      const { db, afterCommit } = transaction;
      await lockAuthorization(db, named);
      const root = await readTaskRoot(db, conversation, message.sid);
      const told = root === undefined ? [] : [root.messageId, root.conversationId];
      await lockLogs(db, [run.logId, message.sid, conversation.sid, ...told]);
      await readHeldLog(db, run);
      const [action] = await db.select().from(actions).where(eq(actions.id, call.actionId));
      if (action?.status !== callStatus.running || (await wasRefused(db, run))) return false;
      // The turn that waits ends it before.
      await suspendRefused(db, run, 2 * APPROVAL_MS);
      const isAllowed = (await findAuthorization(db, named)) !== undefined;
      if (isAllowed) await resumeRefused(db, run.logId, afterCommit);
      else {
        const unallowed = { message, conversation, action, serverName, userId: userSid, root };
        await askForPermission(core, transaction, unallowed);
      }
      return true;
    },
    async () => {
      const { attempt, outcome } = runs;
      const ofRun = and(eq(runs.logId, run.logId), eq(attempt, run.attempt));
      const isRefused = and(ofRun, eq(outcome, "refused"));
      return (await core.database.db.select({ attempt }).from(runs).where(isRefused)).length > 0;
    },
  );
}

/** The call of an agent for which an invocation runs, of a server that its user allows; undefined for others. */
async function findCall(core: Process, { logId }: HeldLog) {
  const { db } = core.database;
  const [found] = await db
    .select({
      action: actions,
      message: messages,
      conversation: { sid: conversations.sid, depth: conversations.depth },
    })
    .from(invocations)
    .innerJoin(actions, eq(actions.id, invocations.actionId))
    .innerJoin(messages, eq(messages.id, actions.messageId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(eq(invocations.sid, logId));
  if (found === undefined) return undefined;
  const { message, conversation } = found;
  const { id: actionId, mcpServerId } = found.action;
  const { workspaceId } = message;
  const server =
    mcpServerId === null
      ? undefined
      : await findCalledServer({ db, now: core.now }, { workspaceId, mcpServerId });
  const { userId, userSid } = await readAskedBy(db, message);
  const toolId = personalServerOf(server);
  if (server === undefined || toolId === undefined || userId === null) return undefined;
  const { name: serverName } = server;
  return { actionId, message, conversation, serverName, userSid, userId, toolId };
}
