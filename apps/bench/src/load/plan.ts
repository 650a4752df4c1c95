/** What a load generator asks a server. */
export interface Load {
  readonly host: string;
  readonly port: number;
  /** The requests that the connections send in turn, from the first again after the last. */
  readonly requests: readonly string[];
  /** Status of every answer; 200 by default. */
  readonly mustBe?: number;
  /** Text that every answer must contain. */
  readonly mustContain: string;
  readonly connections: number;
  /** Whether the generator polls its connections without ever sleeping. */
  readonly staysAwake?: boolean;
}

/** What it does for one sample. */
export interface LoadPlan extends Load {
  readonly warmUpMs: number;
  /** Length of the window that counts, after the warm-up. */
  readonly windowMs: number;
}

/** What a load generator saw in its window. */
export interface LoadResult {
  /** Answers that came in the window. */
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Where the requests to a url go. */
export function addressOf({ hostname, port }: URL): Pick<Load, "host" | "port"> {
  return { host: hostname, port: Number(port) };
}

/** A request without a body as it goes over the wire. */
export function formatGet(url: URL, headers: Readonly<Record<string, string>> = {}): string {
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${formatHead({ Host: url.host, ...headers })}`;
}

/** A request of JSON as it goes over the wire. */
export function formatPost(url: URL, headers: Readonly<Record<string, string>>, body: unknown) {
  const content = JSON.stringify(body);
  const head = formatHead({
    Host: url.host,
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(content)),
  });
  return `POST ${url.pathname} HTTP/1.1\r\n${head}${content}`;
}

function formatHead(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${lines.join("")}\r\n`;
}

/**
 * The part of `all` that is next in a round, so that rounds share the whole evenly; begins again after
 * the last. Small parts are made larger, so that what was used is not used again at once.
 */
export function partOfRound<T>(
  all: readonly T[],
  { round, rounds, atLeast }: { round: number; rounds: number; atLeast: number },
): T[] {
  const share = Math.ceil(all.length / rounds);
  const count = Math.min(all.length, Math.max(share, atLeast));
  const start = round * share;
  return Array.from({ length: count }, (_, index) => all[(start + index) % all.length]).filter(
    (one) => one !== undefined,
  );
}
