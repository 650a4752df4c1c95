import type {
  AnswerState,
  LogStream,
  RequestContext,
  SessionServices,
  StorageServices,
} from "@parley/core";
import type { Endpoint } from "@parley/schema";
import type { Recording, RequestOrigin } from "./audited-mutations.ts";

/** What a transport gives to a procedure. */
export interface ProcedureContext
  extends RequestContext, RequestOrigin, Recording, SessionServices, StorageServices {
  /** Bytes of the request's body. */
  readonly bodyBytes?: number | undefined;
  /** Called once per procedure with its outcome. */
  readonly onCall: (call: Call) => void;
  /** Reserves one of the open streams until the response is sent. Throws `rate_limit_error`. */
  readonly openStream: (stream: NewSubscription) => OpenSubscription;
  /** Caches the responses of cacheable queries; without it, each is computed. */
  readonly responseCache?: { respond(query: CacheableQuery): Promise<unknown> } | undefined;
}

/** A stream that is about to be sent. */
export interface NewSubscription {
  /** The endpoint's name in the table. */
  readonly name: string;
  readonly isResumed: boolean;
  /** The space that the subscriber must reach. */
  readonly space: LogStream["space"];
}

/** One of the open streams. */
export interface OpenSubscription {
  /** Ends the stream; the reason is an error if the subscriber is no longer authorized. */
  readonly signal: AbortSignal;
  /** Called for each event that is sent. */
  readonly onEvent: () => void;
}

/** An authorized query whose response may be cached. */
export interface CacheableQuery {
  /** The same for the same endpoint, workspace and input. */
  readonly key: string;
  /** Reads the version of responses that are computed from now on. */
  readonly readState: () => Promise<AnswerState>;
  readonly compute: () => Promise<unknown>;
}

export interface Call {
  readonly endpoint: Endpoint;
  readonly durationMs: number;
  readonly error: unknown;
}
