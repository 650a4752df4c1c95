import type {
  AnswerSettings,
  ConversationEvent,
  CreateMessage,
  ModelSelection,
  StoredResponseFormat,
  Warning,
} from "@parley/schema";
import type { Queryable } from "@parley/db";
import { findMember } from "../access/acting-users.ts";
import type { MentionServices } from "../agents/agent-directory.ts";
import type { AgentServices } from "../agents/agent-versions.ts";
import type { BriefAgent } from "../agents/agents.ts";
import { watchOutputs } from "../calls/application-tools.ts";
import type { Context, Process, TurnOrigin } from "../context.ts";
import type { FileRow, MessageRow, UserRow } from "../data-access/rows.ts";
import { renderAgentMessage, renderUserMessage } from "../messages/render-messages.ts";
import { findClientServerIds } from "../tools/client-servers.ts";
import type { StartingAgent } from "../usage/require-budget.ts";
import type { Payer } from "../usage/turn-billing.ts";
import { requireModels } from "../workspaces/models.ts";
import type { PublicUrl } from "../workspaces/pictures.ts";
import { requireAnswerSettings } from "./answer-settings.ts";
import type { ResolvedFragment } from "./content-fragments.ts";
import { type Asking, freezeValues } from "./freeze-values.ts";
import { requireMessageFormat } from "./message-formats.ts";

/** A message with everything that it refers to. */
export interface ResolvedMessage {
  readonly message: CreateMessage;
  readonly user: UserRow;
  /** The agents that answer, in the order of the mentions, each once. */
  readonly agents: readonly BriefAgent[];
  readonly modelSelection: ModelSelection | null;
  /** What the answers must be; null for each agent's own. */
  readonly responseFormat: StoredResponseFormat | null;
  /** What the message asks of the models of the answers; null for nothing. */
  readonly answerSettings: AnswerSettings | null;
  /** The servers in the caller's clients that the answers may call. */
  readonly clientServerIds: readonly string[];
  /** One for each mention that resolves to no active agent, and for each unknown server. */
  readonly warnings: readonly Warning[];
}

/**
 * Finds what a message refers to, once its turns may start. Throws `model_disabled`, `rate_limit_error`, and
 * `invalid_request_error` for a format of answers or a tool that cannot be used.
 */
export async function resolveMessage(
  db: Queryable,
  context: Context & MentionServices & AgentServices,
  { message, path }: { message: CreateMessage; path: string },
): Promise<ResolvedMessage> {
  const { workspace, user: caller, userToken } = context.caller;
  const mentioned = message.mentions.map((mention) => mention.configurationId);
  // Each agent once, in the order of the mentions.
  const known = await context.agents.find(workspace.id, [...new Set(mentioned)]);
  const agents = [...known.values()];
  const modelSelection = requireModels(workspace, message.modelSelection, agents);
  const responseFormat = await requireMessageFormat(context, { message, agents, path });
  const answerSettings = await requireAnswerSettings(context, { message, path });
  if (agents.length > 1) await context.takeTurns?.(agents.length);
  // The author of a token's messages is its user, whatever the context says.
  const email = userToken === undefined ? message.context?.email : undefined;
  const member = email ? await findMember(db, workspace.id, email) : undefined;
  const named = message.context?.clientSideMCPServerIds ?? [];
  const clientServerIds = await findClientServerIds(context, db, named);
  const warnings = [
    ...warnAboutMentions(message.mentions, known, path),
    ...warnAboutNames(message, path),
    ...warnAboutServers(named, clientServerIds, path),
  ];
  const user = member ?? caller;
  const answered = { agents, modelSelection, responseFormat, answerSettings, clientServerIds };
  return { message, user, ...answered, warnings };
}

/** A warning for each server in a client that is not used. */
export function warnAboutServers(
  named: readonly string[],
  known: readonly string[],
  path: string,
): Warning[] {
  const message = "You have no such registered client server, or it has expired: it is not used";
  return named.flatMap((id, index) => {
    const unknown = { path: `${path}context.clientSideMCPServerIds[${index}]`, message };
    return known.includes(id) ? [] : [unknown];
  });
}

/** A warning for each mention of an agent that does not answer. */
export function warnAboutMentions(
  mentions: readonly { configurationId: string }[],
  answering: Pick<ReadonlySet<string>, "has">,
  path: string,
): Warning[] {
  const message = "The workspace has no active agent with this id: nobody will answer for it";
  return mentions.flatMap(({ configurationId }, index) => {
    const unanswered = { path: `${path}mentions[${index}].configurationId`, message };
    return answering.has(configurationId) ? [] : [unanswered];
  });
}

/** As people write names of agents: a letter or digit, then those of slugs. */
const NAMED = /(?:^|\s)@([\p{L}\p{N}][\p{L}\p{N}_-]{0,63})/u;

/** A warning for a message that mentions nobody but by a name in its text, which no server reads. */
function warnAboutNames(
  { content, mentions }: Pick<CreateMessage, "content" | "mentions">,
  path: string,
): Warning[] {
  const name = mentions.length === 0 ? NAMED.exec(content)?.[1] : undefined;
  if (name === undefined) return [];
  const message = `Nobody will answer: @${name} in the text mentions no one. Name the agent's id here, as {"configurationId": "…"}`;
  return [{ path: `${path}mentions`, message }];
}

/** An agent message that waits for its agent. */
export interface NewTurn {
  readonly message: MessageRow;
  readonly agent: BriefAgent;
  readonly origin?: TurnOrigin | undefined;
  readonly payer: Payer;
  /** The restricted spaces that the caller reaches, of its key's; undefined for all of those. */
  readonly reachedSpaceIds: readonly number[] | undefined;
  /** The log of the answer that asks for it. */
  readonly parentLogId?: string | undefined;
}

/** The rows of messages that are about to be written. */
export interface NewMessages {
  readonly fragments: readonly MessageRow[];
  /** The texts among the fragments that become files of their own. */
  readonly files: readonly FileRow[];
  readonly userMessage: MessageRow;
  readonly turns: readonly NewTurn[];
  /** All rows, in the order of their positions. */
  readonly messages: readonly MessageRow[];
}

/** Where new messages stand. */
export interface Position {
  readonly workspaceId: number;
  readonly conversationId: number;
  /** Position of the first of them. */
  readonly rank: number;
}

/** A message row with only those values that every message has. */
export function emptyMessage(
  core: Process,
  { id, workspaceId, conversationId, rank }: Position & { id: number },
): MessageRow {
  return {
    id,
    sid: core.newId(),
    workspaceId,
    conversationId,
    rank,
    version: 0,
    type: "",
    visibility: "visible",
    createdAt: core.now(),
    content: "",
    context: null,
    userId: null,
    mentions: null,
    agentId: null,
    parentMessageId: null,
    status: null,
    chainOfThought: null,
    rawContents: null,
    error: null,
    finishReason: null,
    modelSelection: null,
    responseFormat: null,
    structuredOutput: null,
    promptValues: null,
    promptNotes: null,
    skipToolsValidation: null,
    clientServerIds: null,
    finishedAt: null,
    steps: null,
    answerSettings: null,
    fragment: null,
  };
}

/** The agents that answer, with the models that they ask first. */
export const startingOf = ({
  agents,
  modelSelection,
}: Pick<ResolvedMessage, "agents" | "modelSelection">): StartingAgent[] =>
  agents.map((agent) => {
    const { providerId, modelId } = modelSelection ?? agent;
    return { sid: agent.sid, providerId, modelId };
  });

/** What says when an answer waits for the application that asks: it need not wait on. Undefined without its tools. */
export const pausesOf = ({ answerSettings }: Pick<ResolvedMessage, "answerSettings">) =>
  answerSettings?.functionTools === undefined ? undefined : watchOutputs;

/** Who pays for the answers to a message of a user. */
export function payerOf({ caller }: Pick<Context, "caller">, user: Pick<UserRow, "id">): Payer {
  return { apiKeyId: caller.apiKey.id, userId: user.id };
}

/** Builds the rows of a user's message, of the fragments before it and of the answers after it. */
export function buildMessages(
  core: Process & Pick<Context, "caller" | "origin">,
  position: Position,
  parts: {
    /** Numbers for all of the rows; taken outside the transaction that writes them. */
    ids: readonly number[];
    fragments: readonly ResolvedFragment[];
    resolved: ResolvedMessage;
    conversation: Asking["conversation"];
    skipToolsValidation: boolean;
  },
): NewMessages {
  const { ids, resolved, conversation, skipToolsValidation } = parts;
  const { message, user, agents, clientServerIds } = resolved;
  const { modelSelection, responseFormat, answerSettings } = resolved;
  const count = parts.fragments.length;
  const row = (index: number, columns: Partial<MessageRow>): MessageRow => ({
    ...emptyMessage(core, { ...position, id: ids[index] ?? 0, rank: position.rank + index }),
    ...columns,
  });
  const fragments = parts.fragments.map((fragment, index) => row(index, fragment.columns));
  const files = parts.fragments.flatMap((fragment, index) =>
    toFiles(fragment, { ...position, id: ids[index] ?? 0 }),
  );
  const userMessage = row(count, {
    type: "user_message",
    content: message.content,
    context: { username: "API User", timezone: "UTC", ...message.context },
    userId: user.id,
    mentions: message.mentions,
  });
  const asking = { conversation, user, context: userMessage.context };
  const turns = agents.map((agent, index) => ({
    agent,
    origin: core.origin,
    payer: payerOf(core, user),
    reachedSpaceIds: core.caller.userToken?.spaceIds,
    message: row(count + 1 + index, {
      type: "agent_message",
      agentId: agent.id,
      parentMessageId: userMessage.sid,
      status: "created",
      modelSelection,
      responseFormat,
      answerSettings,
      promptValues: freezeValues(core, agent, asking),
      skipToolsValidation,
      clientServerIds: clientServerIds.length === 0 ? null : [...clientServerIds],
    }),
  }));
  const messages = [...fragments, userMessage, ...turns.map((turn) => turn.message)];
  return { fragments, files, userMessage, turns, messages };
}

/** The file of an inline text, under the number of its message; none for other fragments. */
export function toFiles(
  { inline }: ResolvedFragment,
  { id, workspaceId, conversationId }: Position & { id: number },
): FileRow[] {
  return inline === undefined ? [] : [{ ...inline, id, workspaceId, conversationId }];
}

/** Logs store paths: the URLs are made when an event is read (`log/payloads.ts`). */
const stored: PublicUrl = { publicUrl: "" };

/** The events that announce new messages; fragments are not announced. */
export function buildEvents(
  { userMessage, turns }: Pick<NewMessages, "userMessage" | "turns">,
  user: UserRow,
): ConversationEvent[] {
  return [
    {
      type: "user_message_new",
      created: userMessage.createdAt,
      messageId: userMessage.sid,
      message: { ...renderUserMessage(stored, userMessage, user), rank: userMessage.rank },
    },
    ...turns.map((turn) => announceTurn(turn)),
  ];
}

/** The event that announces an agent message. */
export function announceTurn({ message, agent }: NewTurn): ConversationEvent {
  return {
    type: "agent_message_new",
    created: message.createdAt,
    configurationId: agent.sid,
    messageId: message.sid,
    message: { ...renderAgentMessage(stored, message, { agent }), rank: message.rank },
  };
}
