/** Why a guarded request failed. */
export type FetchFaultCode =
  /** No connection, or one that broke. */
  | "unreachable"
  /** A URL or an address that may not be requested. */
  | "refused_address"
  | "timed_out"
  /** More bytes or requests than allowed. */
  | "too_large"
  /** An answer that is not HTTP, or cannot be decoded. */
  | "bad_answer"
  /** The caller's signal. */
  | "cancelled"
  /** A request that HTTP cannot carry. */
  | "rejected";

/** A guarded request that failed. Its message holds no path, no query and no header. */
export class FetchFault extends Error {
  override readonly name = "FetchFault";
  readonly code: FetchFaultCode;

  constructor(code: FetchFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
