import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a page of the site answers: its HTML, or whatever the function writes. */
export type SitePage = string | ((response: ServerResponse, headers: IncomingHttpHeaders) => void);

/** A web site of a test; what is not in `pages` is 404. */
export interface Site extends AsyncDisposable {
  readonly url: string;
  readonly pages: Map<string, SitePage>;
  /** The paths that were asked for, in their order. */
  readonly asked: string[];
  /** Answers pages that `pages` does not have. */
  otherwise: ((path: string) => SitePage | undefined) | undefined;
}

/** A page with a title, a text and links. */
export const pageOf = (title: string, text: string, ...links: string[]): string =>
  `<html><head><title>${title}</title></head><body><nav>Menu</nav><main><h1>${title}</h1><p>${text}</p>${links
    .map((link) => `<a href="${link}">more</a>`)
    .join(" ")}</main></body></html>`;

/** Answers with an entity tag, and that the page has not changed to those who have it. */
export const tagged =
  (tag: string, html: string): SitePage =>
  (response, headers) => {
    if (headers["if-none-match"] === tag) response.writeHead(304).end();
    else response.writeHead(200, { "content-type": "text/html", etag: tag }).end(html);
  };

/** Opens a web site on this machine. */
export async function openSite(pages: Readonly<Record<string, SitePage>>): Promise<Site> {
  const site = { pages: new Map(Object.entries(pages)), asked: [] as string[] };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path !== "/robots.txt") site.asked.push(path);
    const page = site.pages.get(path) ?? opened.otherwise?.(path);
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === "function") page(response, request.headers);
    else {
      const type = path.endsWith(".xml") ? "application/xml" : "text/html; charset=utf-8";
      response.writeHead(200, { "content-type": type }).end(page);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const opened: Site = {
    ...site,
    url: `http://127.0.0.1:${port}`,
    otherwise: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return opened;
}
