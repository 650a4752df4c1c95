import type { Stake, ToolServer } from "@parley/schema";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { agents } from "./agents.ts";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import { spaces, users, workspaces } from "./workspaces.ts";

/** A secret as it is stored. */
export interface EncryptedText {
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Parley as a client of an authorization server. */
export interface ConnectionClient {
  readonly clientId: string;
  readonly scope?: string;
  /** `client_credentials` if there is none. */
  readonly grant?: "client_credentials" | "authorization_code";
  readonly authenticationMethod?: string;
}

/** Views of MCP servers. */
export const tools = pgTable(
  "tools",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    spaceId: reference(() => spaces.id),
    name: text().notNull(),
    description: text().notNull(),
    serverType: text().$type<"remote" | "internal">().notNull(),
    server: jsonb().$type<ToolServer>().notNull(),
    oAuthUseCase: text("oauth_use_case").$type<"personal_actions" | "platform_actions">().notNull(),
    isRestrictedToSkills: boolean().notNull(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    /** Null for an operator. */
    editedBy: number().references(() => users.id),
    ...timestamps(),
  },
  (table) => [index("tools_by_workspace").on(table.workspaceId)],
);

/**
 * How the tools of a remote server are called. A tool without a row is only described: nothing calls it.
 */
export const toolConnections = pgTable("tool_connections", {
  toolId: number()
    .primaryKey()
    .references(() => tools.id, { onDelete: "cascade" }),
  /** The function that calls the server: its invocations are the calls of agents. */
  functionId: number().notNull(),
  url: text().notNull(),
  /** JSON of the headers that each request has, encrypted; null for none. */
  headers: jsonb().$type<EncryptedText>(),
  /** Names of those headers. */
  headerNames: jsonb().$type<string[]>().notNull().default([]),
  /** Parley as a client of the server's authorization server; null if the headers are all. */
  oauth: jsonb().$type<ConnectionClient>(),
  /** Where its users allow it, with `authorization_code`: what was found of it. */
  authorizationServer: jsonb().$type<object>(),
  clientSecret: jsonb("client_secret").$type<EncryptedText>(),
  /** The newest token, encrypted, and until when it is used. */
  token: jsonb().$type<EncryptedText>(),
  tokenUntil: milliseconds().notNull().default(0),
  /** Who must approve a call, by the tool's name, and of every other tool. */
  stakes: jsonb().$type<Record<string, Stake>>().notNull().default({}),
  defaultStake: text().$type<Stake>().notNull(),
  /** Names of tools whose interrupted calls may be made again. */
  retryableTools: jsonb().$type<string[]>().notNull().default([]),
  /** When the server was last asked for its tools. */
  refreshedAt: milliseconds().notNull(),
  /** Why it did not say, or what of its answer was left out; null when all is well. */
  fault: text(),
});

/** Users who let a remote server be called for them: their tokens. */
export const toolAuthorizations = pgTable(
  "tool_authorizations",
  {
    toolId: number()
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    userId: number()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The newest token, encrypted; null once it was refused. */
    token: jsonb().$type<EncryptedText>(),
    tokenUntil: milliseconds().notNull(),
    /** What gets the next token; null if the authorization server gives none. */
    refreshToken: jsonb().$type<EncryptedText>(),
    scope: text(),
    /** Counts the tokens: one that was replaced in the meantime is not used or forgotten again. */
    generation: integer().notNull().default(0),
    /** Until when one process alone asks for the next token. */
    refreshingUntil: milliseconds().notNull().default(0),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.toolId, table.userId] }),
    index("tool_authorizations_by_user").on(table.userId),
  ],
);

/** Users who were sent away to allow the calls of a server, and have not come back. */
export const toolAuthorizationRequests = pgTable(
  "tool_authorization_requests",
  {
    ...identified(),
    toolId: number()
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    userId: number()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the state, which is the credential of the returning browser. */
    stateHash: text().notNull(),
    /** JSON of the URL and of the code's verifier, encrypted. */
    started: jsonb().$type<EncryptedText>().notNull(),
    redirectUrl: text().notNull(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    uniqueIndex("tool_authorization_requests_by_state").on(table.stateHash),
    index("tool_authorization_requests_by_user").on(table.toolId, table.userId),
    index("tool_authorization_requests_by_expiry").on(table.expiresAt),
  ],
);

/** The tools of a version of an agent, beside those of its skills. */
export const agentTools = pgTable(
  "agent_tools",
  {
    agentId: number()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    toolId: number()
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    position: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.toolId] }),
    index("agent_tools_by_tool").on(table.toolId),
  ],
);

/** Tools that were added to one conversation. */
export const conversationTools = pgTable(
  "conversation_tools",
  {
    conversationId: number().notNull(),
    toolId: number()
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.toolId] }),
    index("conversation_tools_by_tool").on(table.toolId),
  ],
);

/** Calls that a user has approved permanently: of a tool by any agent, or by one. */
export const toolApprovals = pgTable(
  "tool_approvals",
  {
    userId: number()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    toolId: number()
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    toolName: text().notNull(),
    /** The agent; empty for any. */
    agentSid: text().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.toolId, table.toolName, table.agentSid] }),
    index("tool_approvals_by_tool").on(table.toolId),
  ],
);
