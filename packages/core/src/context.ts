import type { Database, Queryable } from "@parley/db";
import { type Act, recordSuccess } from "./acts.ts";
import type { ApiKeyRow, InvocationRow, UserRow, WorkspaceRow } from "./rows.ts";
import { type EventBus, type Hint, stampHints } from "./events/bus.ts";
import { createHub, type Hub } from "./events/hub.ts";
import type { AgentDirectory } from "./agent-directory.ts";
import type { FunctionDirectory } from "./function-directory.ts";
import type { IdempotencyKey, KeyClaim } from "./idempotency.ts";
import { type IdPrefix, newId } from "@parley/schema";
import { createInvocationWriter, type NewInvocation } from "./insert-invocations.ts";
import { createConversationWriter, type NewConversation } from "./insert-messages.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { createRowIds } from "./row-ids.ts";
import { type AdmitRuns, createAdmitRuns, type RunKind } from "./runs/admit-runs.ts";
import { createFunctionReader, type InvokedFunction } from "./runs/load-invocation.ts";
import { createSkillStates, type SkillStates } from "./listing-state.ts";
import type { SecretBox } from "./secret-box.ts";
import { createSigningKey } from "./signing-key.ts";
import {
  createInstructionsRenderer,
  type RenderInstructions,
} from "./skill-folders/instructions-renderer.ts";

/** What a process gives to everything that runs in it. Time, ids and randomness come from here. */
export interface Core {
  readonly database: Database;
  readonly bus: EventBus;
  /** Through which everything follows the logs. */
  readonly hub: Hub;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: (prefix?: IdPrefix) => string;
  /** A number from 0 up to 1, to spread what would happen at once. */
  readonly random: () => number;
  /** Numbers for rows of conversations and messages: as many as asked for, ascending. */
  readonly takeRowIds: (count: number) => Promise<number[]>;
  /** Writes a new conversation; those that come together share a commit. */
  readonly writeConversation: (created: NewConversation) => Promise<void>;
  /** Writes a new invocation; those that come together share a commit. */
  readonly writeInvocation: (made: NewInvocation) => Promise<void>;
  /** Lets new runs in before anything is written. Throws `rate_limit_error` where too many wait. */
  readonly admitRuns: AdmitRuns;
  /** What the lists of skills are made of that a caller would now get. */
  readonly skillStates: SkillStates;
  /** What an invocation runs: the function in the version that it was invoked in. */
  readonly readFunction: (
    invocation: Pick<InvocationRow, "functionId" | "functionVersion">,
  ) => Promise<InvokedFunction>;
  /** The key that signs addresses of uploads. */
  readonly signingKey: () => Promise<Uint8Array>;
  readonly renderInstructions: RenderInstructions;
  /** Encrypts credentials; none where the deployment has no key for it. */
  readonly secretBox?: SecretBox | undefined;
  readonly fileLimits: FileLimits;
  /** The Idempotency-Keys under which this process makes something, by scope. */
  readonly keyClaims: Map<string, KeyClaim>;
  /** Absolute address that clients see, without a slash at its end. */
  readonly publicUrl: string;
  /** How long a blocking create waits for its agents. */
  readonly blockingTimeoutMs: number;
  /**
   * How often the ends of the followed logs, and the runs, are looked at although no hint came: more
   * often while the bus is not connected.
   */
  readonly safetyPollMs: number;
}

/** How large files may be. */
export interface FileLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all that was uploaded to a workspace. */
  readonly workspaceBytes: number;
}

/** What a core is put together from. */
export interface CoreParts extends Pick<
  Core,
  "database" | "bus" | "blockingTimeoutMs" | "safetyPollMs" | "fileLimits" | "secretBox"
> {
  /** Runs of a workspace and a kind that may wait; 0 for any number. */
  readonly waitingRuns: number;
  /** Told of each call that was refused because so many wait. */
  readonly onRefusedRun?: (kind: RunKind) => void;
  /** Told how long after their commit a log's newest events reached this process's followers. */
  readonly onDelivery?: (lagMs: number) => void;
}

/** Puts a core together with the clock and the ids of the real world. */
export function createCore(given: CoreParts, publicUrl: () => string): Core {
  const { onDelivery = () => {}, onRefusedRun = () => {}, waitingRuns, ...shared } = given;
  const random = Math.random;
  const now = Date.now;
  const parts = { ...shared, bus: stampHints(given.bus, now) };
  return {
    ...parts,
    hub: createHub({ ...parts, random, now, onDelivery }),
    now,
    newId,
    random,
    takeRowIds: createRowIds(parts.database.db),
    writeConversation: createConversationWriter(parts.database.db),
    writeInvocation: createInvocationWriter(parts.database.db),
    admitRuns: createAdmitRuns(parts.database.db, {
      limit: waitingRuns,
      onRefused: onRefusedRun,
    }),
    skillStates: createSkillStates(parts.database.db),
    readFunction: createFunctionReader(parts.database.db),
    signingKey: createSigningKey(parts.database.db),
    renderInstructions: createInstructionsRenderer(),
    keyClaims: new Map(),
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

/** Where a run comes from: what its worker says of it. */
export interface RunOrigin {
  readonly requestId: string;
  /** The W3C `traceparent` of the request, well-formed, if it had one. */
  readonly traceparent: string | undefined;
}

/** What one request gives to the functions that answer it. */
export interface RequestContext<C extends Caller = Caller> extends Core {
  readonly caller: C;
  readonly agents: AgentDirectory;
  readonly functions: FunctionDirectory;
  /** Aborts when the client goes away or the server shuts down. */
  readonly signal: AbortSignal;
  /** How long the caller is ready to wait for an outcome (`Prefer: wait`), if it says. */
  readonly preferredWaitMs: number | undefined;
  /** What the runs that the request makes keep of it. */
  readonly origin?: RunOrigin | undefined;
  /** The administrative act that the request is: its first transaction records it. */
  readonly act?: Act | undefined;
  /** The request's Idempotency-Key, if it has one. */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** Its hold on that key, while it makes something. */
  readonly claim?: KeyClaim | undefined;
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
 * Runs `work` in one transaction and publishes the hints it leaves once that has committed. `work`
 * runs again where the transaction met another one: it must do nothing outside of it. The first
 * transaction of an administrative act also writes its record: none of the two exists without the
 * other.
 */
export async function inTransaction<T>(
  core: Core & Pick<RequestContext, "act">,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { act } = core;
  const { result, afterCommit } = await retryConflicts(core, async () => {
    const hints: Hint[] = [];
    const done = await core.database.transaction(async (db) => {
      let madeId: string | undefined;
      const output = await work({ db, afterCommit: hints, made: (sid) => (madeId = sid) });
      if (act?.recorded === false) await recordSuccess(core, db, { act, madeId });
      return output;
    });
    return { result: done, afterCommit: hints };
  });
  if (act !== undefined) act.recorded = true;
  core.bus.publish(afterCommit);
  return result;
}
