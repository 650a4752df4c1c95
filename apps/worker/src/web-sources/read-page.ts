import { setTimeout as sleep } from "node:timers/promises";
import {
  type Core,
  type PageEnd,
  pageUrl,
  readWebPage,
  readWebSitemap,
  type Refresh,
  type WebPageRow,
} from "@parley/core";
import type { Guard } from "@parley/guarded-fetch";
import { type Answer, requestPage } from "./request-page.ts";
import type { Robots } from "./robots.ts";

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT = /^text\//;
/** A sitemap may be larger than a page. */
const MAP_LIMITS = { maxBytes: 10 * 1024 * 1024 };

interface Reading {
  readonly core: Core;
  readonly guard: Guard;
  readonly robots: Robots;
  readonly refresh: Refresh;
  readonly page: WebPageRow;
  readonly signal: AbortSignal;
}

/** Reads a page of a web source, as its robots.txt allows. Rejects only with the reason of the signal. */
export async function readPage(reading: Reading): Promise<PageEnd> {
  const { guard, robots, page, signal } = reading;
  const permission = await robots.ask(page.url);
  if ("refusal" in permission) return { outcome: "skipped", reason: permission.refusal };
  if (permission.delayMs > 0) await sleep(permission.delayMs, undefined, { signal });
  // What the last answer was known by is worth something only while its document is there.
  const { url, etag, lastModified } = page;
  const known = page.nodeId === null ? {} : { etag, lastModified };
  const answer = await requestPage(guard, {
    url,
    ...known,
    signal,
    ...(page.isMap && { limits: MAP_LIMITS, unpacks: true }),
  });
  if ("failure" in answer) return { outcome: "failed", reason: answer.failure };
  return judge(reading, answer);
}

async function judge(
  reading: Reading,
  answer: Exclude<Answer, { readonly failure: string }>,
): Promise<PageEnd> {
  const { page } = reading;
  const { status, location, type, body, etag, lastModified } = answer;
  if (status === 304) return { outcome: "unchanged", status };
  if (location !== undefined) return redirect(page, { status, location });
  const reason = `The server answered ${status}`;
  if (status === 404 || status === 410) return { outcome: "gone", status, reason };
  if (status < 200 || status >= 300) return { outcome: "failed", status, reason };
  const known = { status, etag, lastModified };
  if (page.isMap) return readMap(reading, { body, status });
  if (HTML.test(type)) return readHtml(reading, { body, ...known });
  if (TEXT.test(type) && !body.includes("\0")) {
    const content = { title: "", text: body, contentType: type, ...changedAt(lastModified) };
    return { outcome: "read", ...known, content };
  }
  const what = type === "" ? "Its answer says no type" : `Its type ${type} is not read`;
  return { outcome: "skipped", status, reason: what };
}

function redirect(
  page: WebPageRow,
  { status, location }: { readonly status: number; readonly location: string },
): PageEnd {
  const movedTo = pageUrl(location, page.url);
  if (movedTo !== undefined) {
    return { outcome: "skipped", status, reason: `It redirects to ${movedTo}`, movedTo };
  }
  const target = URL.parse(location, page.url);
  const where = target === null ? "to no URL" : `to another origin, ${target.origin}`;
  return { outcome: "failed", status, reason: `It redirects ${where}, which is not followed` };
}

interface Body {
  readonly body: string;
  readonly status: number;
}

async function readMap({ core, refresh, page, signal }: Reading, { body, status }: Body) {
  const { workspaceId } = refresh.run;
  const read = await readWebSitemap(core, { xml: body, url: page.url }, { workspaceId, signal });
  if ("failure" in read) return { outcome: "failed", status, reason: read.failure } as const;
  const { pages, maps } = read.value;
  const links = [
    ...maps.map((url) => ({ url, isMap: true })),
    ...pages.map((url) => ({ url, isMap: false })),
  ];
  return { outcome: "read", status, links } as const;
}

async function readHtml(
  { core, refresh, page, signal }: Reading,
  { body, ...known }: Body & { readonly etag: string | null; readonly lastModified: string | null },
): Promise<PageEnd> {
  const { workspaceId } = refresh.run;
  const read = await readWebPage(core, { html: body, url: page.url }, { workspaceId, signal });
  if ("failure" in read) return { outcome: "failed", status: known.status, reason: read.failure };
  const { title, text, isUnlisted } = read.value;
  const links = read.value.links.map((url) => ({ url, isMap: false }));
  if (isUnlisted) {
    const reason = "The page asks not to be indexed";
    return { outcome: "skipped", status: known.status, reason, links };
  }
  const content = {
    title,
    text,
    contentType: "text/markdown",
    ...changedAt(known.lastModified),
  };
  return { outcome: "read", ...known, content, links };
}

function changedAt(lastModified: string | null): { readonly changedAt: number | undefined } {
  const time = Date.parse(lastModified ?? "");
  return { changedAt: Number.isNaN(time) || time < 0 ? undefined : time };
}
