import { sql } from "drizzle-orm";
import {
  customType,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { identity, milliseconds, number, reference } from "./columns.ts";
import { documentParts } from "./data-sources.ts";
import { workspaces } from "./workspaces.ts";

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
const bits = customType<{ data: string }>({ dataType: () => "varbit" });

/** Why no more vectors are made for now. */
export type EmbeddingStop = "budget" | "unpriced" | "credential" | "service";

/**
 * The vectors that one model makes of a workspace's documents, with one number of dimensions. After a change of the model,
 * a new set is built beside the current one, by which searches find until the new one is complete.
 */
export const embeddingSets = pgTable(
  "embedding_sets",
  {
    id: identity(),
    workspaceId: reference(() => workspaces.id),
    providerId: text().notNull(),
    modelId: text().notNull(),
    /** The dimensions that are asked for; null for as many as the model gives. */
    askedDimensions: integer(),
    /** The dimensions of its vectors; null before the first one. */
    dimensions: integer(),
    status: text().$type<"building" | "current" | "removed">().notNull(),
    /** Why it stopped, if it did, in words, and until when; how often in a row its service failed. */
    stop: text().$type<EmbeddingStop>(),
    problem: text(),
    retryAt: milliseconds(),
    failures: integer().notNull().default(0),
    createdAt: milliseconds().notNull(),
    completedAt: milliseconds(),
  },
  (table) => [
    index("embedding_sets_by_workspace").on(table.workspaceId),
    index("embedding_sets_removed")
      .on(table.id)
      .where(sql`${table.status} = 'removed'`),
  ],
);

/** Vectors of parts of documents. */
export const partVectors = pgTable(
  "part_vectors",
  {
    viewId: number().notNull(),
    nodeId: text().notNull(),
    partId: text().notNull(),
    setId: number().notNull(),
    /** A signed byte for each dimension; empty if the model takes no text of this length. */
    vector: bytes().notNull(),
    /** Of each dimension whether it is above zero. */
    signs: bits().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.viewId, table.nodeId, table.partId, table.setId] }),
    foreignKey({
      name: "part_vectors_of_part",
      columns: [table.viewId, table.nodeId, table.partId],
      foreignColumns: [documentParts.viewId, documentParts.nodeId, documentParts.partId],
    }).onDelete("cascade"),
    index("part_vectors_by_set").on(table.setId, table.viewId),
  ],
);
