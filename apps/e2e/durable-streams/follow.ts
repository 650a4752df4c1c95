import { type LiveMode, stream } from "@durable-streams/client";

interface Followed {
  readonly url: string;
  readonly authorization: string;
  readonly live: LiveMode;
  /** Where to begin; from the first event by default. */
  readonly offset?: string;
  /** Called with what came, and where to go on. */
  readonly onBatch?: (items: readonly unknown[], offset: string) => void;
}

/**
 * The answer once it has come as a whole, unless it is a stream of events. Of a last answer that breaks off, the client has
 * read in its headers that the stream is closed, and says nothing of the rest.
 */
async function fetchWhole(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const { headers, status } = response;
  if (headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const body = await response.arrayBuffer();
  return new Response([204, 304].includes(status) ? null : body, { status, headers });
}

/**
 * Follows a stream with the protocol's own client until it is closed, and gives its items as JSON. Throws when the
 * connection breaks.
 */
export async function follow({
  url,
  authorization,
  live,
  offset = "-1",
  onBatch,
}: Followed): Promise<string[]> {
  const items: string[] = [];
  const response = await stream({
    url,
    live,
    offset,
    headers: { Authorization: authorization },
    fetch: fetchWhole,
    // A test tells what the network does: it goes on itself.
    backoffOptions: { initialDelay: 10, maxDelay: 20, multiplier: 1, maxRetries: 2 },
    sseResilience: { logWarnings: false },
    warnOnHttp: false,
  });
  const done = Promise.withResolvers<void>();
  let last = offset;
  response.subscribeJson((batch) => {
    // The client gives a data event whose control event was cut off, and it comes again.
    if (batch.offset === last && batch.items.length > 0) return;
    last = batch.offset;
    items.push(...batch.items.map((item) => JSON.stringify(item)));
    onBatch?.(batch.items, batch.offset);
    if (batch.streamClosed || (live === false && batch.upToDate)) done.resolve();
  });
  // It closes before it has given what came last.
  response.closed.catch(done.reject);
  await done.promise;
  return items;
}

/** The same over connections that break: it goes on after what it has until the stream is closed. */
export async function followThrough(
  followed: Omit<Followed, "onBatch" | "url"> & {
    /** Where the server is now. */
    readonly url: () => string;
    readonly onItems?: (count: number) => void;
  },
): Promise<string[]> {
  const items: string[] = [];
  let { offset = "-1" } = followed;
  for (;;) {
    try {
      await follow({
        ...followed,
        url: followed.url(),
        offset,
        onBatch: (batch, next) => {
          items.push(...batch.map((item) => JSON.stringify(item)));
          offset = next;
          followed.onItems?.(items.length);
        },
      });
      return items;
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
  }
}

/** Whether an error is of a connection, or of what had come of an answer. */
function isBroken(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return error instanceof TypeError || name === "SyntaxError" || code === "PARSE_ERROR";
}
