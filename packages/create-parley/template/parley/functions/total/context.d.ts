/** What a function is given beside its input. */
export interface Context {
  /** Prints a line, as console.log does; warnings and errors go to stderr. */
  log(level: "debug" | "info" | "warn" | "error", message: string, data?: unknown): void;
  /** Reports how much is done, from 0 to 1. */
  progress(fraction: number, label?: string): void;
  /**
   * Sends a request to a host of allowedHosts. A header may name a secret of the function, which the code never
   * sees: { authorization: "Bearer {{secrets.API_TOKEN}}" }.
   */
  fetch(url: string | URL, init?: FetchOptions): Promise<FetchResponse>;
  readonly secrets: {
    /** Gives a secret that function.json marks as readable. */
    get(name: string): string;
  };
  /** Aborted when the invocation is cancelled or has reached its time limit. */
  readonly signal: AbortSignal;
  readonly invocation: {
    readonly id: string;
    readonly functionId: string;
    readonly version: number;
    /** From 1; more only where the function is retryable. */
    readonly attempt: number;
    /** IANA time zone of the caller. */
    readonly timezone: string;
  };
}

export interface FetchOptions {
  method?: string;
  headers?: Record<string, string> | Iterable<readonly [string, string]>;
  body?: string | ArrayBuffer | ArrayBufferView;
  redirect?: "follow" | "manual";
}

export interface FetchResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Iterable<[string, string]> & {
    get(name: string): string | null;
    has(name: string): boolean;
  };
  text(): Promise<string>;
  json(): Promise<any>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
