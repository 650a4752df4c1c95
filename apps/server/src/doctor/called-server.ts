import type { Probe } from "@parley/command/probe-server";

/** A server, and a key of it. */
interface Named {
  readonly url: string;
  readonly apiKey: string;
}

/** What the client knows of the server that commands call; the doctor itself calls none. */
export interface CalledServer {
  /** Which server it is. Throws `BadConfiguration`, or `CommandError` if none is named. */
  readonly find: () => Promise<Named>;
  /** What it says of itself without a key. Throws `CommandError` if it does not answer in time. */
  readonly probe: (url: string, timeoutMs: number) => Promise<Probe>;
  /** Whose key it is, in words. Throws `CommandError`. */
  readonly describeKey: (server: Named, timeoutMs: number) => Promise<string>;
}
