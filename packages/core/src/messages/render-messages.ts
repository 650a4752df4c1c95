import {
  type Action,
  type AgentMessage,
  type ContentFragment,
  type ConversationMessage,
  type MessageContext,
  type SpecifiedConversationMessage,
  toListedTimezone,
  type UserMessage,
} from "@parley/schema";
import { type AgentVersion, renderBriefly } from "../agents/agents.ts";
import type { ActionRow, MessageRow, UserRow } from "../data-access/rows.ts";
import type { PublicUrl } from "../workspaces/pictures.ts";
import { citationsOf } from "./citations.ts";
import { renderUser } from "../workspaces/users.ts";

/** What messages refer to. */
export interface MessageReferences extends PublicUrl {
  readonly users: ReadonlyMap<number, UserRow>;
  readonly agents: ReadonlyMap<number, AgentVersion>;
  /** Actions by the number of their message, in order. */
  readonly actions: ReadonlyMap<number, readonly ActionRow[]>;
  /** Absolute URL of a file's bytes. */
  readonly fileUrl: (fileId: string) => string;
}

/** A message as the wire shows it. Throws when something it refers to is not in `references`. */
export function renderMessage(row: MessageRow, references: MessageReferences): ConversationMessage {
  switch (row.type) {
    case "user_message":
      return renderUserMessage(references, row, requireReference(references.users, row.userId));
    case "agent_message":
      return renderAnswer(row, references);
    default:
      return renderContentFragment(row, references.fileUrl);
  }
}

/** An agent's message as the wire shows it. Throws as `renderMessage` does. */
export function renderAnswer(row: MessageRow, references: MessageReferences): AgentMessage {
  return renderAgentMessage(references, row, {
    agent: requireReference(references.agents, row.agentId),
    actions: references.actions.get(row.id),
  });
}

/** A message as the specified operations show it: an agent's error is a string. */
export function toSpecified(message: ConversationMessage): SpecifiedConversationMessage {
  if (message.type !== "agent_message") return message;
  return { ...message, error: message.error && message.error.message };
}

/** The row that a message refers to. Throws when it was not read. */
export function requireReference<T>(rows: ReadonlyMap<number, T>, id: number | null): T {
  const row = rows.get(id ?? -1);
  if (row === undefined) throw new Error(`A message refers to row ${id}, which was not read`);
  return row;
}

function renderShared(row: MessageRow) {
  return {
    id: row.id,
    sId: row.sid,
    visibility: row.visibility as "visible" | "deleted",
    version: row.version,
    created: row.createdAt,
  };
}

/** Fills in what every context in a response has; the zone is one that clients can parse. */
function renderContext(row: MessageRow): MessageContext {
  const { timezone = "UTC", ...rest } = row.context ?? {};
  return { username: "API User", timezone: toListedTimezone(timezone), ...rest };
}

/** A user's message as the wire shows it. */
export function renderUserMessage(core: PublicUrl, row: MessageRow, user: UserRow): UserMessage {
  return {
    type: "user_message",
    ...renderShared(row),
    user: renderUser(core, user),
    mentions: row.mentions ?? [],
    content: row.content,
    context: { ...renderContext(row), origin: "api" },
  };
}

/** An agent's message as the wire shows it. */
export function renderAgentMessage(
  core: PublicUrl,
  row: MessageRow,
  { agent, actions = [] }: { agent: AgentVersion; actions?: readonly ActionRow[] | undefined },
): AgentMessage {
  const citations = citationsOf(actions);
  return {
    type: "agent_message",
    ...renderShared(row),
    agentMessageId: row.id,
    parentMessageId: row.parentMessageId ?? "",
    parentAgentMessageId: null,
    configuration: renderBriefly(core, agent),
    status: row.status as AgentMessage["status"],
    actions: actions.map((action) => renderAction(action)),
    content: row.content,
    chainOfThought: row.chainOfThought,
    rawContents: row.rawContents ?? [],
    finishReason: row.finishReason as AgentMessage["finishReason"],
    ...(row.promptNotes !== null && row.promptNotes.length > 0 && { notes: row.promptNotes }),
    ...(citations.length > 0 && { citations }),
    ...(row.structuredOutput !== null && { structuredOutput: row.structuredOutput.value }),
    error: row.error,
  };
}

/** A tool call as the wire shows it. */
export function renderAction(row: ActionRow): Action {
  return {
    // Clients of version 1.0 read no action without it.
    type: "tool_action",
    id: row.id,
    sId: row.sid,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    mcpServerId: row.mcpServerId,
    internalMCPServerName: null,
    toolName: row.toolName,
    agentMessageId: row.messageId,
    functionCallName: row.functionCallName,
    functionCallId: row.functionCallId,
    status: row.status,
    params: row.params,
    step: row.step,
    executionDurationMs: row.executionDurationMs,
    citationsAllocated: row.citations?.length ?? 0,
    output: row.output,
    generatedFiles: row.generatedFiles ?? [],
    displayLabels: null,
  };
}

const SNIPPET_CHARACTERS = 256;

/** A content fragment as the wire shows it: a file, or a node as it was when it was added. */
export function renderContentFragment(
  row: MessageRow,
  fileUrl: MessageReferences["fileUrl"],
): ContentFragment {
  if (row.fragment === null) throw new Error(`Message ${row.sid} has no fragment`);
  const { title, contentType, fileId, sourceUrl, textBytes = null, node, sent } = row.fragment;
  const shared = {
    type: "content_fragment" as const,
    ...renderShared(row),
    sourceUrl,
    title,
    contentType,
    context: renderContext(row),
    contentFragmentId: row.sid,
    contentFragmentVersion: "latest" as const,
    expiredReason: null,
    ...sent,
  };
  if (node !== undefined) {
    const { nodeId, nodeDataSourceViewId, nodeType } = node;
    return {
      ...shared,
      contentFragmentType: "content_node",
      nodeId,
      nodeDataSourceViewId,
      nodeType,
      contentNodeData: node,
      // Clients parse no node without these three.
      fileId: null,
      textUrl: null,
      textBytes: null,
    };
  }
  return {
    ...shared,
    contentFragmentType: "file",
    fileId,
    snippet: textBytes === null ? null : row.content.slice(0, SNIPPET_CHARACTERS).toWellFormed(),
    generatedTables: [],
    textUrl: fileUrl(fileId ?? row.sid),
    textBytes,
    sourceProvider: null,
    sourceIcon: null,
    // Clients of version 1.0 parse no file without it.
    contentNodeData: null,
  };
}
