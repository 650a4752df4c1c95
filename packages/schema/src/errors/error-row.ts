import type { rpcCodes } from "./rpc-codes.ts";

/** A row of the error table: an error type on each transport. */
export interface ErrorRow {
  readonly status: keyof typeof rpcCodes;
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** What went wrong, for the reference and the guide. */
  readonly cause: string;
  /** What the caller can do about it. */
  readonly cure: string;
}
