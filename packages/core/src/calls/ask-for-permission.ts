import type { Process } from "../context.ts";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import type { Transaction } from "../log/transaction.ts";
import { readAgent } from "./decided-calls.ts";
import { callStatus, writeEnds } from "./function-calls.ts";
import { renderApprovals } from "./tool-approvals.ts";

/** A call that its user has to allow, and where that is announced. */
export interface UnallowedCall {
  readonly message: MessageRow;
  readonly action: ActionRow;
  readonly serverName: string | null;
  readonly userSid: string | null;
  readonly cId: string;
}

/**
 * Makes a call wait until its user lets its server be called, and announces that, in the transaction that has locked
 * the logs of its message and its conversation.
 */
export async function askForPermission(
  { now }: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  { message, action, serverName, userSid, cId }: UnallowedCall,
): Promise<void> {
  const waiting = { ...action, status: callStatus.connecting, updatedAt: now() };
  await writeEnds(db, [waiting]);
  const agent = await readAgent(db, message);
  const events = renderApprovals([
    {
      action: waiting,
      serverName,
      agent: { sid: agent?.sid ?? "", name: agent?.name ?? "" },
      conversationId: cId,
      messageId: message.sid,
      userId: userSid,
    },
  ]);
  const { step } = action;
  const ofMessage = events.map((event) => ({ ...event, step }));
  const appends = [
    { logId: message.sid, events: ofMessage },
    { logId: cId, events },
  ];
  await appendEvents(db, appends, afterCommit);
}
