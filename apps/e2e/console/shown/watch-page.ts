import type { Page } from "playwright-core";
import { endpoints } from "@parley/schema";

/** The requests of a page, and their answers. */
export interface WatchedPage {
  /** Requests that no endpoint of the table answers, and that are for no file of the console. */
  readonly unknown: readonly string[];
  /** Requests that failed, or were refused. */
  readonly failed: readonly string[];
  /** Names of the endpoints that were called. */
  readonly called: ReadonlySet<string>;
  /** All logged warnings and errors. */
  readonly logged: readonly string[];
}

const routes = Object.entries(endpoints).flatMap(([name, endpoint]) =>
  [endpoint.path, ...("alsoAt" in endpoint ? [endpoint.alsoAt] : [])].map((path) => ({
    name,
    kind: endpoint.kind,
    method: endpoint.method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })),
);

/** The endpoints that a request calls: several for a batch of RPC; undefined if it calls none. */
export function endpointsOf(method: string, url: URL): readonly string[] | undefined {
  if (url.pathname.startsWith("/rpc/")) {
    const names = decodeURIComponent(url.pathname.slice("/rpc/".length)).split(",");
    return names.every((name) => name in endpoints) ? names : undefined;
  }
  // Streams are asked for below /api/, and sent below /api/sse/.
  const path = url.pathname.replace(/^\/api\/sse\//, "/api/");
  const found = routes.filter((one) => one.method === method && one.pattern.test(path));
  return found.length === 0 ? undefined : found.map(({ name }) => name);
}

/** Records the requests of a page from now on. */
export function watchPage(page: Page): WatchedPage {
  const unknown: string[] = [];
  const failed: string[] = [];
  const logged: string[] = [];
  const called = new Set<string>();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(?:blob|data):$/.test(url.protocol)) return;
    const isFile = request.method() === "GET" && !/^\/(?:api|rpc)\b/.test(url.pathname);
    const names = endpointsOf(request.method(), url);
    for (const name of names ?? []) called.add(name);
    if (names === undefined && !isFile) unknown.push(`${request.method()} ${url.pathname}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on("requestfailed", (request) => {
    // A page that is left aborts its requests.
    const why = request.failure()?.errorText;
    if (why !== "net::ERR_ABORTED") failed.push(`${why} ${request.url()}`);
  });
  page.on("console", (said) => {
    if (["error", "warning"].includes(said.type())) logged.push(said.text());
  });
  return { unknown, failed, called, logged };
}
