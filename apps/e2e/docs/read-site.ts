/** The pages of a site that links lead to from its front page, and where the links lead. */
export interface Site {
  /** The pages by their paths below the site, such as `guide/webhooks/`. */
  readonly pages: ReadonlyMap<string, string>;
  /** How many links were followed. */
  readonly links: number;
  /** Links to pages, files and headings that are not there, with the page that has them. */
  readonly broken: readonly string[];
  /** How often one has to click to come from the front page to a page; opening a group of the menu is a click. */
  clicksTo(page: string): number;
}

const hrefs = /<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const ids = /\sid="([^"]*)"/g;

/** Reads the site whose front page has the URL, and everything of the same server that it refers to. */
export async function readSite(front: string): Promise<Site> {
  const pages = new Map<string, string>();
  const statuses = new Map<string, number>();
  const waiting = [front];
  const found: { from: string; to: URL }[] = [];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (statuses.has(url)) continue;
    // oxlint-disable-next-line no-await-in-loop -- one page leads to the next
    const response = await fetch(url);
    statuses.set(url, response.status);
    const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const text = await response.text();
    // The reference is a page of the server, not of the site.
    if (!isPage || response.redirected || !url.startsWith(front)) continue;
    pages.set(url, text);
    for (const [, href = ""] of text.matchAll(hrefs)) {
      const to = new URL(href.replaceAll("&amp;", "&"), url);
      if (to.origin !== new URL(front).origin) continue;
      found.push({ from: url, to });
      waiting.push(withoutHash(to));
    }
  }
  const anchors = new Map(
    [...pages].map(([url, text]) => [url, new Set([...text.matchAll(ids)].map(([, id]) => id))]),
  );
  const isBroken = (to: URL): boolean => {
    if (statuses.get(withoutHash(to)) !== 200) return true;
    const known = anchors.get(withoutHash(to));
    return to.hash.length > 1 && known?.has(decodeURIComponent(to.hash.slice(1))) === false;
  };
  const broken = found
    .filter(({ to }) => isBroken(to))
    .map(({ from, to }) => `${from}: ${to.href}`);
  const clicks = countClicks(front, pages);
  return {
    pages: new Map([...pages].map(([url, text]) => [url.slice(front.length), text])),
    links: found.length,
    broken: [...new Set(broken)],
    clicksTo: (page) => clicks.get(`${front}${page}/`) ?? Number.POSITIVE_INFINITY,
  };
}

const withoutHash = (url: URL): string => url.href.slice(0, url.href.length - url.hash.length);

/** The fewest clicks to each page, by links of texts and by the menu. */
function countClicks(front: string, pages: ReadonlyMap<string, string>): Map<string, number> {
  const clicks = new Map([[front, 0]]);
  const rounds = [front];
  for (const url of rounds) {
    const before = clicks.get(url) ?? 0;
    for (const { to, needed } of linksOf(url, pages.get(url) ?? "")) {
      const known = clicks.get(to);
      if (known !== undefined && known <= before + needed) continue;
      clicks.set(to, before + needed);
      rounds.push(to);
    }
  }
  return clicks;
}

/** The links of a page, with the closed groups of the menu that have to be opened before. */
function linksOf(url: string, text: string): { to: string; needed: number }[] {
  const links = [];
  const closed: boolean[] = [];
  for (const [tag, , href] of text.matchAll(
    /<(details\b[^>]*|\/details|a\b[^>]*?\shref="([^"]*)"[^>]*)>/g,
  )) {
    if (tag.startsWith("<details")) closed.push(!/\sopen\b/.test(tag));
    else if (tag === "</details>") closed.pop();
    else {
      const to = withoutHash(new URL((href ?? "").replaceAll("&amp;", "&"), url));
      links.push({ to, needed: 1 + closed.filter(Boolean).length });
    }
  }
  return links;
}
