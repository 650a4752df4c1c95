import type {
  CreateConversation,
  CreatedConversation,
  SpecifiedConversation,
  Warning,
} from "@parley/schema";
import { findActiveAgents } from "./agents.ts";
import { requireFragmentSources } from "./content-fragments.ts";
import type { Context } from "./context.ts";
import { waitForEnds } from "./events/wait.ts";
import { insertConversation } from "./insert-conversation.ts";
import { renderMessage, renderUserMessage, toSpecified } from "./messages.ts";
import { requireModels } from "./models.ts";
import { buildEvents, buildMessages } from "./new-messages.ts";
import { readMessages } from "./read-messages.ts";
import type { ActionRow, AgentRow, ConversationRow, SpaceRow } from "./rows.ts";
import { requireSpace } from "./spaces.ts";
import { deriveTitle } from "./title.ts";
import { findMember } from "./users.ts";
import { renderWorkspace } from "./workspaces.ts";

/**
 * Creates a conversation and starts a turn of each mentioned agent. With `blocking`, answers when
 * all of them have ended, or the server's patience has.
 */
export async function createConversation(
  context: Context,
  input: CreateConversation & { wId: string },
): Promise<CreatedConversation> {
  const { db } = context.database;
  const { workspace, user: serviceUser } = context.caller;
  const { message, contentFragments = [] } = input;
  const mentioned = message.mentions.map((mention) => mention.configurationId);
  const known = await findActiveAgents(db, workspace.id, mentioned);
  // The same agent twice counts once; the answers stand in the order of the mentions.
  const agents = [...new Set(mentioned)].flatMap((sid) => known.get(sid) ?? []);
  requireModels(message.modelSelection, agents);
  const { spaceId } = input;
  const space = spaceId === undefined ? undefined : await requireSpace(db, context, spaceId);
  requireFragmentSources(contentFragments);
  const email = message.context?.email;
  const user = (email ? await findMember(db, workspace.id, email) : undefined) ?? serviceUser;

  const conversation = await buildConversation(context, input, space);
  const created = await buildMessages(context, {
    conversation,
    message,
    fragments: contentFragments,
    user,
    agents,
    skipToolsValidation: input.skipToolsValidation ?? false,
  });
  const { fragments, userMessage, turns } = created;
  let messages = [...fragments, userMessage, ...turns.map((turn) => turn.message)];
  let actions = new Map<number, ActionRow[]>();
  const events = buildEvents(created, user);
  await insertConversation(db, { conversation, messages, events, turns });

  if (turns.length > 0) {
    context.bus.publish([{ topic: "runs" }]);
    if (input.blocking) {
      await waitForEnds(context, {
        logIds: turns.map((turn) => turn.message.sid),
        timeoutMs: context.blockingTimeoutMs,
        signal: context.signal,
      });
      ({ messages, actions } = await readMessages(db, conversation.id));
    }
  }
  const references = {
    users: new Map([[user.id, user]]),
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    actions,
    fileUrl: (fileId: string) => `${context.publicUrl}/api/v1/w/${workspace.sid}/files/${fileId}`,
  };
  const content = messages.map((row) => [toSpecified(renderMessage(row, references))]);
  const warnings = warnOfUnknown(mentioned, known);
  return {
    conversation: renderConversation(context, conversation, content),
    message: renderUserMessage(userMessage, user),
    ...(warnings.length > 0 && { warnings }),
  };
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
  };
}

function warnOfUnknown(
  mentioned: readonly string[],
  known: ReadonlyMap<string, AgentRow>,
): Warning[] {
  const message = "The workspace has no active agent with this id: nobody will answer for it";
  return mentioned.flatMap((sid, index) =>
    known.has(sid) ? [] : [{ path: `message.mentions[${index}].configurationId`, message }],
  );
}

function renderConversation(
  context: Context,
  row: ConversationRow,
  content: SpecifiedConversation["content"],
): SpecifiedConversation {
  const { workspace, apiKey } = context.caller;
  return {
    id: row.id,
    sId: row.sid,
    created: row.createdAt,
    updated: row.updatedAt,
    owner: renderWorkspace(workspace, apiKey.role as "user"),
    title: row.title,
    visibility: row.visibility as "unlisted",
    unread: false,
    actionRequired: false,
    url: `${context.publicUrl}/w/${workspace.sid}/conversation/${row.sid}`,
    requestedGroupIds: [],
    content,
  };
}
