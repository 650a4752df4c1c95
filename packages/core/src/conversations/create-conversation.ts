import type { CreateConversation, CreatedConversation } from "@parley/schema";
import { ownedBy } from "../access/ownership.ts";
import { requireSpace } from "../access/space-reach.ts";
import type { SpaceRow, UserRow } from "../data-access/rows.ts";
import { inTransactionOnce } from "../idempotency.ts";
import { listenForEnds } from "../log/listen-for-ends.ts";
import { addToSize } from "../messages/conversation-size.ts";
import { fileUrl } from "../messages/read-messages.ts";
import {
  renderContentFragment,
  renderUserMessage,
  toSpecified,
} from "../messages/render-messages.ts";
import { writeRuns } from "../runs/local-workers.ts";
import { resolveFragments } from "./content-fragments.ts";
import type { ConversationContext } from "./conversation-context.ts";
import { warnAboutFiles } from "./file-warnings.ts";
import {
  buildEvents,
  buildMessages,
  pausesOf,
  resolveMessage,
  startingOf,
} from "./new-messages.ts";
import { type HeldTurn, toHeldRun } from "./new-runs.ts";
import { requireBudget } from "../usage/require-budget.ts";
import { readAnswers } from "./read-answers.ts";
import { renderConversation } from "./conversation-content.ts";
import { TEMPORARY } from "../access/conversation-reach.ts";
import { deriveTitle } from "./titles.ts";
import { warnOfVainWait } from "./vain-waits.ts";
import { takeConversationId } from "./conversation-ids.ts";
import {
  insertConversations,
  type NewConversation,
  type NewConversationRow,
} from "./write-messages.ts";

/**
 * Creates a conversation and starts a turn of each mentioned agent. With `blocking`, answers when
 * all of them have ended, or at the timeout. Throws `idempotency_key_in_use` if the context names its id,
 * and another request has created it or is creating it.
 */
export async function createConversation(
  context: ConversationContext,
  input: CreateConversation,
): Promise<CreatedConversation> {
  const { db } = context.database;
  const { message, spaceId } = input;
  const resolved = await resolveMessage(db, context, { message, path: "message." });
  const { caller } = context;
  const workspaceId = caller.workspace.id;
  const space =
    spaceId === undefined
      ? undefined
      : await requireSpace(db, caller, { workspaceId, sid: spaceId });
  const resolvedFragments = await resolveFragments(db, context, input);
  const ofFiles = await warnAboutFiles(context, resolvedFragments, resolved);
  const warnings = [...resolved.warnings, ...ofFiles];
  await requireBudget(context, { agents: startingOf(resolved), userId: resolved.user.id });
  await context.reserveRunCapacity(workspaceId, "agent_turn", resolved.agents.length);
  const opened = await buildConversation(context, input, { space, author: resolved.user });
  const rows = resolvedFragments.length + 1 + resolved.agents.length;
  const position = { workspaceId, conversationId: opened.id, rank: 0 };
  const created = buildMessages(context, position, {
    ids: await context.takeRowIds(rows),
    fragments: resolvedFragments,
    resolved,
    conversation: opened,
    skipToolsValidation: input.skipToolsValidation ?? false,
  });
  const { fragments, files, userMessage, turns, messages } = created;
  const { user } = resolved;
  // Later than its messages, which are not unread to their author.
  const now = context.now();
  const size = addToSize(context.conversationLimits, opened, {
    added: messages,
    path: "Invalid request body: contentFragments",
  });
  const conversation = { ...opened, ...size, updatedAt: now, readAt: now };
  // Listening from before the write, it need not read the logs.
  using pending = input.blocking
    ? listenForEnds(context, {
        logIds: turns.map((turn) => turn.message.sid),
        timeoutMs: context.blockingTimeoutMs,
        signal: context.signal,
        newAfter: 0,
        watchPauses: pausesOf(resolved),
      })
    : undefined;
  const events = buildEvents(created, user);
  const logIds = turns.map(({ message: answer }) => answer.sid);
  await writeRuns(context, { kind: "agent_turn", workspaceId, logIds }, async (holder) => {
    const written = { conversation, messages, files, events, turns, holder };
    const held = await writeOnce(context, written);
    return held?.map((turn) => toHeldRun(caller.workspace, conversation, created, turn));
  });
  const answers = await readAnswers(context, turns, await pending?.ends);
  const vain = await warnOfVainWait(context, { blocking: input.blocking, answers });
  const posted = renderUserMessage(context, userMessage, user);
  const content = [
    ...fragments.map((row) => renderContentFragment(row, fileUrl(context))),
    posted,
    ...answers,
  ];
  return {
    conversation: {
      ...renderConversation(context, conversation),
      content: content.map((one) => [toSpecified(one)]),
    },
    message: posted,
    ...(warnings.length + vain.length > 0 && { warnings: [...warnings, ...vain] }),
  };
}

/**
 * With an Idempotency-Key or an id that was chosen, writes in a transaction of its own; otherwise shares a
 * commit with others.
 */
async function writeOnce(
  context: ConversationContext,
  created: NewConversation,
): Promise<HeldTurn[] | undefined> {
  const { claim, conversationId, isWanted } = context;
  if (claim === undefined && conversationId === undefined) {
    return context.writeConversation(created, isWanted);
  }
  const { sid: id } = created.conversation;
  const heldOf = await inTransactionOnce(context, { id }, async ({ db, afterCommit }) => {
    if (conversationId !== undefined) await takeConversationId(db, conversationId);
    return insertConversations(db, [created], afterCommit);
  });
  return heldOf(created);
}

async function buildConversation(
  context: ConversationContext,
  input: CreateConversation,
  { space, author }: { space: SpaceRow | undefined; author: UserRow },
): Promise<NewConversationRow> {
  const { caller } = context;
  const [id = 0] = await context.takeRowIds(1);
  const now = context.now();
  return {
    id,
    sid: context.conversationId ?? context.newId(),
    workspaceId: caller.workspace.id,
    spaceId: space?.id ?? null,
    ...ownedBy(caller, author),
    title: input.title ?? deriveTitle(input.message.content),
    visibility: input.temporary === true ? TEMPORARY : "unlisted",
    createdAt: now,
    updatedAt: now,
    readAt: now,
    messageCount: 0,
    messageBytes: 0,
    parentActionId: null,
    rootId: null,
    depth: 0,
  };
}
