import type { Skill, SkillDefinition } from "@parley/schema";
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { agents } from "./agents.ts";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import { tools } from "./tools.ts";
import { users, workspaces } from "./workspaces.ts";

export const skills = pgTable(
  "skills",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
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
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    // The order of the listing does not depend on the database's collation.
    index("skills_by_name_order").on(
      table.workspaceId,
      table.status,
      sql`${table.name} collate "C"`,
      sql`${table.sid} collate "C"`,
    ),
    // Each turn reads them.
    index("skills_of_every_agent")
      .on(table.workspaceId)
      .where(sql`${table.availability} = 'users_and_agents' and ${table.status} = 'active'`),
  ],
);

/** Builders that may change a skill; without any, all builders may. */
export const skillEditors = pgTable(
  "skill_editors",
  {
    skillId: reference(() => skills.id),
    userId: reference(() => users.id),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.userId] })],
);

export const skillAttachments = pgTable(
  "skill_attachments",
  {
    skillId: reference(() => skills.id),
    position: integer().notNull(),
    fileId: text().notNull(),
    fileName: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.skillId, table.position] }),
    // Readers of a file must reach a skill with it.
    index("skill_attachments_by_file").on(table.fileId),
  ],
);

/** What was uploaded of an imported skill; a skill without a row is rendered from its columns. */
export const skillOriginals = pgTable("skill_originals", {
  skillId: number()
    .primaryKey()
    .references(() => skills.id, { onDelete: "cascade" }),
  /** SKILL.md as it was: an export changes in it what was edited since. */
  skillFile: text().notNull(),
  /** Those of its files that are executable. */
  executableFileIds: jsonb().$type<string[]>().notNull().default([]),
});

export const skillTools = pgTable(
  "skill_tools",
  {
    skillId: reference(() => skills.id),
    toolId: reference(() => tools.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.toolId] })],
);

/** What skills were in their versions: the newest of each skill, the present one among them. */
export const skillDefinitions = pgTable(
  "skill_definitions",
  {
    skillId: number()
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    version: integer().notNull(),
    createdAt: milliseconds().notNull(),
    /** Null for an operator. */
    editedBy: number().references(() => users.id),
    /** The spaces that it named: only callers who reach all of them see it. */
    spaceIds: jsonb().$type<string[]>().notNull(),
    definition: jsonb().$type<SkillDefinition>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.skillId, table.version] })],
);

/** The skills of a version of an agent, beside those of every agent. */
export const agentSkills = pgTable(
  "agent_skills",
  {
    agentId: reference(() => agents.id),
    skillId: reference(() => skills.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.skillId] })],
);

/**
 * The version of a workspace's lists of skills, which differs after each change. Triggers write it when a
 * transaction that changed such a table commits (0009_skill-versions.sql):
 * `docs/decisions/lists-have-a-version.md`. A workspace without changes has no row.
 */
export const skillVersions = pgTable("skill_versions", {
  workspaceId: number()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  /** The number of the transaction that changed it last; PostgreSQL repeats none. */
  version: number().notNull(),
});
