import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type {
  AgentTag,
  ReasoningEffort,
  SimulatedScript,
  StoredAgentKnowledge,
  TeamMember,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import { identity, milliseconds, number, reference } from "./columns.ts";
import { users, workspaces } from "./workspaces.ts";

/** A model of a provider. */
export interface ModelPair {
  readonly providerId: string;
  readonly modelId: string;
}

/** What an answer must be: JSON of this schema. */
export interface StoredResponseFormat {
  readonly type: "json_schema";
  readonly schema: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
}

/** When the oldest messages of its conversations are summarised; what is left out has its default. */
export interface StoredCompaction {
  /** By default, agents with models of services summarise, and simulated ones do not. */
  readonly enabled?: boolean | undefined;
  readonly startsAtPercent?: number | undefined;
  readonly keepsMessages?: number | undefined;
}

/** What an agent may do with files that it remembers; nothing with a scope that is left out. */
export type StoredMemory = Readonly<
  Partial<Record<"user" | "agent" | "agentUser" | "space", "read" | "write" | undefined>>
>;

/**
 * One row per version of an agent; mentions resolve to the current one. A draft that is only tried has the status `draft`,
 * a negative version, and is never the current one.
 */
export const agents = pgTable(
  "agents",
  {
    id: identity(),
    /** Not unique over the server: built-in agents have a slug, the same in every workspace. */
    sid: text().notNull(),
    workspaceId: reference(() => workspaces.id),
    version: integer().notNull(),
    isCurrent: boolean().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    instructions: text(),
    pictureUrl: text().notNull(),
    status: text().notNull(),
    scope: text().notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    temperature: doublePrecision().notNull(),
    /** Null for the model's default. */
    reasoningEffort: text().$type<ReasoningEffort>(),
    /** The models that answer in its place while its own does not, in order. */
    fallbackModels: jsonb().$type<ModelPair[]>().notNull().default([]),
    maxStepsPerRun: integer().notNull(),
    /** Whether `{{name}}` in the instructions stands for a value; it is plain text in older versions. */
    rendersInstructions: boolean().notNull().default(false),
    /** What its answers are; null for text. */
    responseFormat: jsonb().$type<StoredResponseFormat>(),
    /** Null for the defaults. */
    compaction: jsonb().$type<StoredCompaction>(),
    /** What it may look up; null for nothing. */
    knowledge: jsonb().$type<StoredAgentKnowledge>(),
    /** Null without a memory. */
    memory: jsonb().$type<StoredMemory>(),
    /** Whether it may ask its user, and wait for the answer. */
    asksUser: boolean().notNull().default(false),
    /** The agents that it may ask, and hand over to, in order. */
    team: jsonb().$type<TeamMember[]>().notNull().default([]),
    templateId: text(),
    script: jsonb().$type<SimulatedScript>(),
    tags: jsonb().$type<AgentTag[]>().notNull().default([]),
    createdAt: milliseconds().notNull(),
    /** Null for an operator, and in versions of before it was kept. */
    editedBy: number().references(() => users.id),
  },
  (table) => [
    uniqueIndex("agents_by_version").on(table.workspaceId, table.sid, table.version),
    uniqueIndex("agents_current")
      .on(table.workspaceId, table.sid)
      .where(sql`${table.isCurrent}`),
    index("agents_drafts")
      .on(table.createdAt)
      .where(sql`${table.status} = 'draft'`),
  ],
);

/** The editors of agents, in any version. */
export const agentEditors = pgTable(
  "agent_editors",
  {
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    agentSid: text().notNull(),
    userId: number()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.agentSid, table.userId] }),
    index("agent_editors_by_user").on(table.userId),
  ],
);

/** Agents that users have marked as their favourites. */
export const agentFavorites = pgTable(
  "agent_favorites",
  {
    userId: reference(() => users.id),
    /** The agent, in any version, of the user's workspace. */
    agentSid: text().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.agentSid] })],
);
