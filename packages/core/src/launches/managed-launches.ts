import { or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { editsAgent, isBuilder } from "../agents/agent-editors.ts";
import type { Caller } from "../context.ts";

/** The columns of something that is stored to be started later. */
interface Stored {
  readonly workspaceId: AnyPgColumn;
  readonly launch: AnyPgColumn;
}

/**
 * The condition that the caller manages what is stored to be started later: an admin all; a builder what starts functions,
 * and agents that the builder edits.
 */
export function managesLaunch(caller: Caller, { workspaceId, launch }: Stored): SQL | undefined {
  if (!isBuilder(caller)) return undefined;
  const agentSid = sql<string | null>`${launch} #>> '{agent,agentId}'`;
  return or(sql`${agentSid} is null`, editsAgent(caller, { workspaceId, agentSid }));
}
