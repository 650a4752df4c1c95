import type {
  AgentDirectory,
  Caller,
  Core,
  Credentials,
  FunctionDirectory,
  IdempotencyKey,
  RefusedCredentials,
  RefusedMutations,
} from "@parley/core";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { ApiSettings } from "./config.ts";
import type { InTurn } from "./limits/long-work.ts";
import type { LoopShares } from "./limits/loop-shares.ts";
import type { OpenStreams } from "./limits/open-streams.ts";
import type { Overload } from "./limits/overload.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import type { WorkerWatch, WriteHealth } from "./limits/worker-watch.ts";
import type { UnreadResponses } from "./limits/unread-responses.ts";
import type { ApiMetrics } from "./metrics/api-metrics.ts";
import type { ResponseCache } from "./response-cache/response-cache.ts";

/** What the transports share. */
export interface ApiServices {
  readonly core: Core;
  readonly settings: ApiSettings;
  readonly logger: FastifyBaseLogger;
  readonly credentials: Credentials;
  readonly refusedCredentials: RefusedCredentials;
  readonly refusedMutations: RefusedMutations;
  readonly agents: AgentDirectory;
  readonly functions: FunctionDirectory;
  readonly rateLimits: RateLimits;
  readonly overload: Overload;
  readonly metrics: ApiMetrics;
  readonly loopShares: LoopShares;
  /** Turns of what holds the event loop for long. */
  readonly inTurn: InTurn;
  readonly openStreams: OpenStreams;
  readonly responseCache: ResponseCache;
  readonly unreadResponses: UnreadResponses;
  readonly writeHealth: WriteHealth;
  /** The workspace that examples are of; undefined if there is no demo. */
  readonly demoWorkspaceId: () => string | undefined;
  /** Requests that are being answered; aborted when the server shuts down. */
  readonly openRequests: Set<AbortController>;
  /** Why the rest of the process does not work now; undefined while it does. */
  readonly whyNotReady: () => string | undefined;
  /** What holds the code of functions; undefined in a process that runs none. */
  readonly sandboxBoundary: () => string | undefined;
  /** Whether the process is root's. */
  readonly runsAsRoot: boolean;
  /** Version of the server, for /readyz. */
  readonly version: string | undefined;
  /** In a process without a worker. */
  readonly workerWatch: WorkerWatch | undefined;
  /** Whether the server will shut down soon: /readyz says so, and everything else continues. */
  leaving: boolean;
  /** Whether the server is shutting down and takes no new work. */
  draining: boolean;
}

/** A request with its reply. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the credential check. */
    caller: Caller | null;
    /** Set once a request with an Idempotency-Key is charged. */
    idempotencyKey: IdempotencyKey | undefined;
  }
}
