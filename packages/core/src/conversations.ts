import type { CreateConversation, CreatedConversation } from "@parley/schema";
import { awaitAnswers } from "./await-answers.ts";
import { type ResolvedFragment, resolveFragment } from "./content-fragments.ts";
import type { Context } from "./context.ts";
import { inTransactionOnce } from "./idempotency.ts";
import { insertConversations, type NewConversation } from "./insert-messages.ts";
import {
  renderAgentMessage,
  renderContentFragment,
  renderUserMessage,
  toSpecified,
} from "./messages.ts";
import { buildEvents, buildMessages, resolveMessage } from "./new-messages.ts";
import { fileUrl } from "./read-messages.ts";
import { renderConversation } from "./render-conversation.ts";
import type { ConversationRow, SpaceRow } from "./rows.ts";
import { requireSpace } from "./spaces.ts";
import { deriveTitle } from "./title.ts";

/**
 * Creates a conversation and starts a turn of each mentioned agent. With `blocking`, answers when
 * all of them have ended, or the server's patience has.
 */
export async function createConversation(
  context: Context,
  input: CreateConversation,
): Promise<CreatedConversation> {
  const { db } = context.database;
  const { message, spaceId } = input;
  const resolved = await resolveMessage(db, context, { message, path: "message." });
  const space = spaceId === undefined ? undefined : await requireSpace(db, context, spaceId);
  const resolvedFragments: ResolvedFragment[] = [];
  for (const [index, fragment] of (input.contentFragments ?? []).entries()) {
    const path = `contentFragments[${index}].`;
    resolvedFragments.push(await resolveFragment(db, context, { fragment, path }));
  }

  await context.admitRuns(context.caller.workspace.id, "agent_turn", resolved.agents.length);
  const opened = await buildConversation(context, input, space);
  const { id: conversationId, workspaceId } = opened;
  const rows = resolvedFragments.length + 1 + resolved.agents.length;
  const created = buildMessages(
    context,
    { workspaceId, conversationId, rank: 0 },
    {
      ids: await context.takeRowIds(rows),
      fragments: resolvedFragments,
      resolved,
      skipToolsValidation: input.skipToolsValidation ?? false,
    },
  );
  const { fragments, files, userMessage, turns } = created;
  const { user, warnings } = resolved;
  // After its messages were made, or they would be news to their author.
  const now = context.now();
  const conversation = { ...opened, updatedAt: now, readAt: now };
  const write = async (): Promise<void> => {
    await writeOnce(context, {
      conversation,
      messages: [...fragments, userMessage, ...turns.map((turn) => turn.message)],
      files,
      events: buildEvents(created, user),
      turns,
    });
    if (turns.length > 0) {
      context.bus.publish([{ topic: "runs", cause: "added", kind: "agent_turn" }]);
    }
  };
  let answers = turns.map(({ message: row, agent }) => renderAgentMessage(row, agent, []));
  if (input.blocking && turns.length > 0) answers = await awaitAnswers(context, turns, write);
  else await write();
  const posted = renderUserMessage(userMessage, user);
  const messages = [
    ...fragments.map((row) => renderContentFragment(row, fileUrl(context))),
    posted,
    ...answers,
  ];
  return {
    conversation: {
      ...renderConversation(context, conversation),
      content: messages.map((one) => [toSpecified(one)]),
    },
    message: posted,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** With an Idempotency-Key it has a transaction of its own, else it shares a commit with others. */
async function writeOnce(context: Context, created: NewConversation): Promise<void> {
  if (context.claim === undefined) return context.writeConversation(created);
  await inTransactionOnce(context, created.conversation.sid, async ({ db }) =>
    insertConversations(db, [created]),
  );
}

async function buildConversation(
  context: Context,
  input: CreateConversation,
  space: SpaceRow | undefined,
): Promise<ConversationRow> {
  const { workspace, apiKey } = context.caller;
  const [id = 0] = await context.takeRowIds(1);
  const now = context.now();
  return {
    id,
    sid: context.newId(),
    workspaceId: workspace.id,
    spaceId: space?.id ?? null,
    apiKeyId: apiKey.id,
    title: input.title ?? deriveTitle(input.message.content),
    visibility: "unlisted",
    createdAt: now,
    updatedAt: now,
    readAt: now,
  };
}
