import type { Skill, ToolServer } from "@parley/schema";
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { agents } from "./agents.ts";
import { identity, milliseconds, number, sid } from "./columns.ts";
import { spaces, users, workspaces } from "./workspaces.ts";

export const skills = pgTable(
  "skills",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    status: text().$type<Skill["status"]>().notNull(),
    availability: text().$type<Skill["availability"]>().notNull(),
    agentFacingDescription: text().notNull(),
    userFacingDescription: text().notNull(),
    icon: text(),
    source: text().$type<NonNullable<Skill["source"]>>(),
    sourceMetadata: jsonb().$type<NonNullable<Skill["sourceMetadata"]>>(),
    reinforcement: text().$type<Skill["reinforcement"]>().notNull(),
    lastReinforcementAnalysisAt: milliseconds(),
    requestedSpaceIds: jsonb().$type<string[]>().notNull().default([]),
    manuallyRequestedSpaceIds: jsonb().$type<string[]>().notNull().default([]),
    instructions: text(),
    instructionsHtml: text(),
    editedBy: number().references(() => users.id),
    /** Counts the changes: who changes a skill names the version that they saw. */
    version: integer().notNull().default(0),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [
    // The order of the listing does not depend on the database's collation.
    index("skills_by_name_order").on(
      table.workspaceId,
      table.status,
      sql`${table.name} collate "C"`,
      sql`${table.sid} collate "C"`,
    ),
    // Each turn looks for them.
    index("skills_of_every_agent")
      .on(table.workspaceId)
      .where(sql`${table.availability} = 'users_and_agents' and ${table.status} = 'active'`),
  ],
);

/** Users who may change a skill beside admins; without any, all builders may. */
export const skillEditors = pgTable(
  "skill_editors",
  {
    skillId: number()
      .notNull()
      .references(() => skills.id),
    userId: number()
      .notNull()
      .references(() => users.id),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.userId] })],
);

export const skillAttachments = pgTable(
  "skill_attachments",
  {
    skillId: number()
      .notNull()
      .references(() => skills.id),
    position: integer().notNull(),
    fileId: text().notNull(),
    fileName: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.position] })],
);

/** Views of MCP servers. */
export const tools = pgTable(
  "tools",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    spaceId: number()
      .notNull()
      .references(() => spaces.id),
    name: text().notNull(),
    description: text().notNull(),
    serverType: text().$type<"remote" | "internal">().notNull(),
    server: jsonb().$type<ToolServer>().notNull(),
    oAuthUseCase: text("oauth_use_case").$type<"personal_actions" | "platform_actions">().notNull(),
    isRestrictedToSkills: boolean().notNull(),
    /** Raised by every change, which names the one that it was made from. */
    version: integer().notNull().default(0),
    /** None where an operator did. */
    editedBy: number().references(() => users.id),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [index("tools_by_workspace").on(table.workspaceId)],
);

export const skillTools = pgTable(
  "skill_tools",
  {
    skillId: number()
      .notNull()
      .references(() => skills.id),
    toolId: number()
      .notNull()
      .references(() => tools.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.toolId] })],
);

/** The skills that a version of an agent has, beside those that every agent has. */
export const agentSkills = pgTable(
  "agent_skills",
  {
    agentId: number()
      .notNull()
      .references(() => agents.id),
    skillId: number()
      .notNull()
      .references(() => skills.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.skillId] })],
);

/**
 * What a workspace's lists of skills were made of, as a value that is another one after each change.
 * Triggers write it when a transaction commits that changed such a table (0009_skill-versions.sql):
 * `docs/decisions/lists-have-a-version.md`. A workspace that never changed has no row.
 */
export const skillVersions = pgTable("skill_versions", {
  workspaceId: number()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  /** The number of the transaction that changed it last: PostgreSQL gives none twice. */
  version: number().notNull(),
});
