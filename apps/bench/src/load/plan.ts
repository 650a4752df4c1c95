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

/** What a load generator tells the process that started it, in this order. */
export type LoadMessage =
  | { readonly type: "window opened" }
  | { readonly type: "window closed" }
  | { readonly type: "finished"; readonly result: LoadResult }
  | { readonly type: "failed"; readonly message: string };

/** A request without a body as it goes over the wire. */
export function formatGet(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: url.host, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${head}\r\n`;
}

/** A request of JSON as it goes over the wire. */
export function formatPost(url: URL, headers: Readonly<Record<string, string>>, body: unknown) {
  const content = JSON.stringify(body);
  const all = {
    Host: url.host,
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(content)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.join("")}\r\n${content}`;
}
