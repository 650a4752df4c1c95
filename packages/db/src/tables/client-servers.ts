import type { ToolServer } from "@parley/schema";
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

/** What a server offers, as it last said. */
export type ClientOffer = Pick<ToolServer, "name" | "version" | "description" | "tools">;

/** MCP servers in clients of users. Each has a log, under its id: the messages to its client. */
export const clientServers = pgTable(
  "client_servers",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** Who registered it, and whom alone it serves: the key and the user. */
    apiKeyId: number().notNull(),
    userId: number().notNull(),
    /** The function that calls the servers of its user. */
    functionId: number().notNull(),
    name: text().notNull(),
    createdAt: milliseconds().notNull(),
    /** It is gone after this, unless its client says before that it is there. */
    expiresAt: milliseconds().notNull(),
    /** Null until the client has answered. */
    offer: jsonb().$type<ClientOffer>(),
    /** The offer of the pages that have come, while further ones are asked for. */
    pending: jsonb().$type<ClientOffer>(),
    /** How often it was asked for a page of its tools: the number of the newest such request. */
    listings: integer().notNull().default(0),
    /** Names of tools whose calls its user has approved permanently. */
    approvedTools: jsonb().$type<string[]>().notNull().default([]),
  },
  (table) => [
    index("client_servers_by_user").on(table.workspaceId, table.userId),
    index("client_servers_by_expiry").on(table.expiresAt),
  ],
);

/** JSON-RPC requests to clients, with what they answered. */
export const clientRequests = pgTable(
  "client_requests",
  {
    serverId: number()
      .notNull()
      .references(() => clientServers.id, { onDelete: "cascade" }),
    /** Its JSON-RPC id; of a call, the id of the invocation. */
    id: text().notNull(),
    method: text().$type<"initialize" | "tools/list" | "tools/call">().notNull(),
    /** Number of its event in the server's log. */
    seq: integer().notNull(),
    createdAt: milliseconds().notNull(),
    /** JSON of the client's response; null if none was waited for any more. */
    answer: text(),
    /** When it was answered or cancelled; the first of both counts. */
    settledAt: milliseconds(),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.id] }),
    index("client_requests_open")
      .on(table.id)
      .where(sql`${table.settledAt} is null`),
  ],
);
