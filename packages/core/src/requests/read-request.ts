import {
  agentEditors,
  agents,
  messages,
  type Queryable,
  recordedRequests,
  type RequestParts,
  type RequestTemplate,
} from "@parley/db";
import { createFairPlaces } from "@parley/fair-queue";
import { ParleyError, type RecordedRequest } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { rebuildBody } from "./rebuild-request.ts";
import { tokensByPart } from "./tokens-by-part.ts";

/** Bodies that a process puts together at once; each is of megabytes at most. */
const bodies = createFairPlaces(4);

/**
 * Reads the request that was sent for a step of an answer, for admins, and for builders that are editors of the agent.
 * Throws `conversation_not_found`, `message_not_found`, `app_auth_error` and `request_not_recorded`.
 */
export async function readRecordedRequest(
  context: Context,
  { cId, mId, n }: { readonly cId: string; readonly mId: string; readonly n: number },
): Promise<{ request: RecordedRequest }> {
  const workspaceId = context.caller.workspace.id;
  // With the record of the read.
  const found = await inTransaction(context, async ({ db }) => {
    const { id: conversationId } = await requireConversation(db, context, cId);
    const answer = await requireAnswer(db, { workspaceId, conversationId, mId });
    await requireEditor(context, db, answer.agentSid);
    const [row] = await db
      .select()
      .from(recordedRequests)
      .where(
        and(
          eq(recordedRequests.workspaceId, workspaceId),
          eq(recordedRequests.conversationId, conversationId),
          eq(recordedRequests.messageId, mId),
          eq(recordedRequests.step, n),
        ),
      );
    if (row === undefined) throw notRecorded();
    return { row, answer };
  });
  const { row, answer } = found;
  const template = row.template === null ? null : (JSON.parse(row.template) as RequestTemplate);
  const leave = await bodies.enter(workspaceId, context.signal);
  try {
    const rebuilt = template === null ? undefined : await rebuildBody(context, row, template);
    const counted = answer.steps?.find(({ step }) => step === n)?.inputTokens ?? null;
    const { messageId, step, attempt, providerId, modelId, sentAt, sizeBytes, sha256 } = row;
    return {
      request: {
        messageId,
        step,
        attempt,
        model: { providerId, modelId },
        sentAt,
        sizeBytes,
        sha256,
        body: rebuilt?.body ?? null,
        matches: rebuilt === undefined ? null : rebuilt.sha256 === sha256,
        missing: rebuilt?.missing ?? [],
        tokensByPart: tokensByPart(JSON.parse(row.parts) as RequestParts, counted),
      },
    };
  } finally {
    leave();
  }
}

function notRecorded(): ParleyError {
  const message =
    "No request of this step is recorded: simulated models are sent none, and a workspace may not record them";
  return new ParleyError("request_not_recorded", message);
}

async function requireAnswer(
  db: Queryable,
  {
    workspaceId,
    conversationId,
    mId,
  }: { readonly workspaceId: number; readonly conversationId: number; readonly mId: string },
) {
  const [answer] = await db
    .select({ steps: messages.steps, agentSid: agents.sid })
    .from(messages)
    .leftJoin(agents, and(eq(agents.id, messages.agentId), eq(agents.workspaceId, workspaceId)))
    .where(
      and(
        eq(messages.sid, mId),
        eq(messages.workspaceId, workspaceId),
        eq(messages.conversationId, conversationId),
      ),
    );
  if (answer === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such message");
  }
  return answer;
}

/** Throws `app_auth_error` if the caller is neither an admin nor an editor of the agent. */
async function requireEditor(
  { caller }: Context,
  db: Queryable,
  agentSid: string | null,
): Promise<void> {
  if (caller.apiKey.role === "admin") return;
  const isEditor = and(
    eq(agentEditors.workspaceId, caller.workspace.id),
    eq(agentEditors.agentSid, agentSid ?? ""),
    eq(agentEditors.userId, caller.user.id),
  );
  if ((await db.$count(agentEditors, isEditor)) > 0) return;
  throw new ParleyError(
    "app_auth_error",
    "Only admins and editors of the agent can read what its model was sent; an admin can add the key's user as an editor",
  );
}
