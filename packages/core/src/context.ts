import type { Database, Queryable } from "@parley/db";
import { type Act, recordSuccess } from "./acts.ts";
import type { ApiKeyRow, UserRow, WorkspaceRow } from "./rows.ts";
import type { EventBus, Hint } from "./events/bus.ts";
import { createHub, type Hub } from "./events/hub.ts";
import type { AgentDirectory } from "./agent-directory.ts";
import { type IdPrefix, newId } from "@parley/schema";
import { createConversationWriter, type NewConversation } from "./insert-messages.ts";
import { createRowIds } from "./row-ids.ts";

/** What a process gives to everything that runs in it. Time, ids and randomness come from here. */
export interface Core {
  readonly database: Database;
  readonly bus: EventBus;
  /** Through which everything follows the logs. */
  readonly hub: Hub;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: (prefix?: IdPrefix) => string;
  /** Numbers for rows of conversations and messages: as many as asked for, ascending. */
  readonly takeRowIds: (count: number) => Promise<number[]>;
  /** Writes a new conversation; those that come together share a commit. */
  readonly writeConversation: (created: NewConversation) => Promise<void>;
  /** Absolute address that clients see, without a slash at its end. */
  readonly publicUrl: string;
  /** How long a blocking create waits for its agents. */
  readonly blockingTimeoutMs: number;
  /** How often the ends of the followed logs, and the runs, are looked at although no hint came. */
  readonly safetyPollMs: number;
}

/** Puts a core together with the clock and the ids of the real world. */
export function createCore(
  parts: Pick<Core, "database" | "bus" | "blockingTimeoutMs" | "safetyPollMs">,
  publicUrl: () => string,
): Core {
  return {
    ...parts,
    hub: createHub(parts),
    now: Date.now,
    newId,
    takeRowIds: createRowIds(parts.database.db),
    writeConversation: createConversationWriter(parts.database.db),
    // Known only once the server listens.
    get publicUrl() {
      return publicUrl();
    },
  };
}

/** Who calls: a key of a workspace with its service user, or an operator. */
export type Caller =
  | {
      readonly kind: "workspace";
      readonly apiKey: ApiKeyRow;
      readonly workspace: WorkspaceRow;
      readonly user: UserRow;
    }
  | { readonly kind: "operator"; readonly apiKey: ApiKeyRow };

export type WorkspaceCaller = Extract<Caller, { kind: "workspace" }>;

/** What one request gives to the functions that answer it. */
export interface RequestContext<C extends Caller = Caller> extends Core {
  readonly caller: C;
  readonly agents: AgentDirectory;
  /** Aborts when the client goes away or the server shuts down. */
  readonly signal: AbortSignal;
  /** How long the caller is ready to wait for an outcome (`Prefer: wait`), if it says. */
  readonly preferredWaitMs: number | undefined;
  /** The administrative act that the request is: its first transaction records it. */
  readonly act?: Act | undefined;
}

/** The context of everything that belongs to a workspace. */
export type Context = RequestContext<WorkspaceCaller>;

/** A transaction: what runs in it uses `db`, and leaves its hints in `afterCommit`. */
export interface Transaction {
  readonly db: Queryable;
  readonly afterCommit: Hint[];
  /** Tells the audit log the id of what an administrative act makes. */
  readonly made: (sid: string) => void;
}

/**
 * Runs `work` in one transaction and publishes the hints it leaves once that has committed. The first
 * transaction of an administrative act also writes its record: none of the two exists without the
 * other.
 */
export async function inTransaction<T>(
  core: Core & Pick<RequestContext, "act">,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { act } = core;
  const afterCommit: Hint[] = [];
  const result = await core.database.transaction(async (db) => {
    let madeId: string | undefined;
    const output = await work({ db, afterCommit, made: (sid) => (madeId = sid) });
    if (act?.recorded === false) await recordSuccess(core, db, { act, madeId });
    return output;
  });
  if (act !== undefined) act.recorded = true;
  core.bus.publish(afterCommit);
  return result;
}
