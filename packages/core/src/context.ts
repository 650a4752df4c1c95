/**
 * The context of all features. Features declare what only they need as the services of their folders;
 * `create-core.ts` composes everything.
 */
import type { IdPrefix, TokenScope } from "@parley/schema";
import type { ApiKeyRow, UserRow, WorkspaceRow } from "./data-access/rows.ts";
import type { Hub } from "./log/hub.ts";
import type { LogRuntime } from "./log/log-runtime.ts";
import type { EnterTransaction } from "./log/transaction-places.ts";
import type { RecordedOnce, Recorder } from "./log/transaction.ts";
import type { RunSearch, Searcher } from "./untrusted/searches.ts";
import type { Threads } from "./untrusted/threads.ts";

/** The dependencies of a process: time, ids and randomness come from here. */
export interface Process extends LogRuntime {
  readonly hub: Hub;
  /** Writes the records of administrative mutations. */
  readonly recorder: Recorder;
  /** Lets the transactions of requests begin. */
  readonly enterTransaction: EnterTransaction;
  readonly newId: (prefix?: IdPrefix) => string;
  /** Numbers for rows of conversations and messages, ascending. */
  readonly takeRowIds: (count: number) => Promise<number[]>;
  /** Called with failures after a commit, which fail no request. */
  readonly onLateFailure: (error: unknown) => void;
  /** Run what untrusted authors wrote; the creator of the core closes them. */
  readonly threads: Threads;
  /** Runs the queries whose cost their caller chooses. */
  readonly runSearch: RunSearch;
  /** Absolute URL that clients see, without a trailing slash. */
  readonly publicUrl: string;
  /** How long a blocking create waits for its agents. */
  readonly blockingTimeoutMs: number;
}

/** What limits a caller with a user's token, which acts under a key and never reaches more than it. */
export interface UserToken {
  /** Public id of the token; null for one of the OpenID Connect issuer. */
  readonly sid: string | null;
  readonly scopes: ReadonlySet<TokenScope>;
  /** Numbers of the restricted spaces that it reaches, of the key's; undefined for all of those. */
  readonly spaceIds: readonly number[] | undefined;
  /** The role of the key: the caller itself has the role `user` at most. */
  readonly keyRole: string;
  readonly expiresAt: number;
}

/** The session of a page through which a credential is used. */
export interface CallerSession {
  readonly hash: string;
  readonly expiresAt: number;
}

/** How a caller was recognized. */
interface Recognized {
  /** SHA-256 of its secret, if there is one that Parley keeps. */
  readonly credentialHash?: string | undefined;
  readonly session?: CallerSession | undefined;
}

/** A key of a workspace with its service user, a user with a token, or an operator. */
export type Caller =
  | ({
      readonly kind: "workspace";
      readonly apiKey: ApiKeyRow;
      readonly workspace: WorkspaceRow;
      readonly user: UserRow;
      /** Whether a budget of money applies in the workspace, as of a few seconds ago at most. */
      readonly isBudgeted: boolean;
      readonly userToken?: UserToken | undefined;
    } & Recognized)
  | ({ readonly kind: "operator"; readonly apiKey: ApiKeyRow } & Recognized);

export type WorkspaceCaller = Extract<Caller, { kind: "workspace" }>;

/** The request that a run comes from, for the logs of its worker. */
export interface RunOrigin {
  readonly requestId: string;
  /** The W3C `traceparent` of the request, well-formed, if it had one. */
  readonly traceparent: string | undefined;
  /** How many webhooks led to the request. */
  readonly depth: number;
}

/** The origin of a turn: no request has led to those of some tasks. */
export interface TurnOrigin extends Omit<RunOrigin, "requestId"> {
  readonly requestId: string | undefined;
}

/** The context of a request. */
export interface RequestContext<C extends Caller = Caller> extends Process {
  readonly caller: C;
  /** Aborts when the client goes away or the server shuts down. */
  readonly signal: AbortSignal;
  /** Whether the client still waits for the response; by default it does. */
  readonly isWanted?: (() => boolean) | undefined;
  /** Whether the caller streams the response: an async iterable may then replace an array. */
  readonly streamsAnswers?: boolean | undefined;
  /**
   * The id of the conversation that the request creates, if it must be found again by what it is made of;
   * by default a new one.
   */
  readonly conversationId?: string | undefined;
  /** How long the caller waits for an outcome (`Prefer: wait`), if given. */
  readonly preferredWaitMs: number | undefined;
  /** Called with the time that the database searched for the request, once it is known. */
  readonly onDatabaseMs?: ((ms: number) => void) | undefined;
  /**
   * Resolves once the request may start so many turns. Throws `rate_limit_error` if its workspace has
   * started too many.
   */
  readonly takeTurns?: ((count: number) => Promise<void> | undefined) | undefined;
  /** Stored with the runs that the request creates. */
  readonly origin?: RunOrigin | undefined;
  /** The request as an audited mutation: its first transaction records it. */
  readonly mutation?: RecordedOnce | undefined;
}

/** The context of everything that belongs to a workspace. */
export type Context = RequestContext<WorkspaceCaller>;

/** The caller as the searcher in its workspace. */
export function searcherOf({ caller, signal, onDatabaseMs }: Context): Searcher {
  return { workspaceId: caller.workspace.id, signal, onDatabaseMs };
}
