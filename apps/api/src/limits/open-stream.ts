import type { LogStream } from "@parley/core";
import type { ParleyError } from "@parley/schema";
import type { StreamCounts } from "../metrics/stream-metrics.ts";
import type { Payer } from "./payer.ts";

/** An open stream, with what is needed to authorize it again. */
export interface OpenStream extends Payer {
  /** The endpoint's name in the table. */
  readonly name: string;
  /** The credential, which is checked again while the stream is open. */
  readonly authorization: string | undefined;
  /** Whether its key saw what other keys have created, when it was opened. */
  readonly seesAll: boolean;
  /** The space that the caller must reach. */
  readonly space: LogStream["space"];
  readonly counts: StreamCounts;
  readonly isResumed: boolean;
  /** Ends the stream; called with the refusal if it would now be refused. */
  readonly end: (refusal?: ParleyError) => void;
}
