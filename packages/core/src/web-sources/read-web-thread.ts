// Runs in a thread: see untrusted/thread.ts.
import { convert, type FormatCallback } from "html-to-text";
import { Parser } from "htmlparser2";
import parser from "robots-parser";
import { pageUrl } from "./page-urls.ts";

/** Deeper elements, and more children of one element, are omitted. */
const HTML_LIMITS = { maxDepth: 100, maxChildNodes: 10_000 };
const MAX_TITLE_CHARACTERS = 512;
/** Links of a page, and characters of them, that are looked at. */
const MAX_LINKS = 500;
const MAX_LINK_CHARACTERS = 65_536;
/** Pages of a sitemap that are looked at. */
const MAX_LISTED = 10_000;
/** What a page's own robots.txt calls this reader. */
const AGENT = "parley";

// Its types say that the function is a member of the module, which is the function itself.
const robotsParser = parser as unknown as typeof parser.default;

/** What a page says. */
export interface ReadPage {
  readonly title: string;
  /** Its visible text, with the headings of Markdown. */
  readonly text: string;
  /** Pages of the same origin that it links to, once each. */
  readonly links: readonly string[];
  /** Whether it asks not to be found. */
  readonly isUnlisted: boolean;
}

/** A page, and where it was read. */
export interface Markup {
  readonly html: string;
  readonly url: string;
}

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  builder.addLiteral(`${"#".repeat(Number(element.name?.slice(1) ?? 1))} `);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

/** Reads a page: its title, its text and its links. */
export function readPage({ html, url }: Markup): ReadPage {
  const { title, links, robots, hasMain } = scan({ html, url });
  const text = convert(html, {
    wordwrap: false,
    limits: HTML_LIMITS,
    baseElements: { selectors: [hasMain ? "main" : "body"], returnDomByDefault: true },
    formatters: { heading },
    selectors: [
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, format: "heading" })),
      ...["img", "nav", "footer"].map((selector) => ({ selector, format: "skip" })),
      { selector: "a", options: { ignoreHref: true } },
    ],
  });
  return {
    title: title.replaceAll(/\s+/g, " ").trim().slice(0, MAX_TITLE_CHARACTERS).toWellFormed(),
    text,
    links: /nofollow|none/i.test(robots) ? [] : links,
    isUnlisted: /noindex|none/i.test(robots),
  };
}

function scan({ html, url }: Markup) {
  const links = new Set<string>();
  let characters = 0;
  let base = url;
  let title = "";
  let robots = "";
  let isTitle = false;
  let hasMain = false;
  const reader = new Parser({
    onopentag: (name, attributes) => {
      const { href, rel = "", content = "" } = attributes;
      if (name === "title" && title === "") isTitle = true;
      else if (name === "main") hasMain = true;
      else if (name === "base" && href !== undefined) base = URL.parse(href, url)?.href ?? url;
      else if (name === "meta" && /^(?:robots|parley)$/i.test(attributes["name"] ?? "")) {
        robots += `${content} `;
      } else if (name === "a" && href !== undefined && !/\bnofollow\b/i.test(rel)) {
        const target = URL.parse(href, base);
        const link = target === null ? undefined : pageUrl(target.href, url);
        if (link === undefined || links.has(link) || links.size >= MAX_LINKS) return;
        characters += link.length;
        if (characters <= MAX_LINK_CHARACTERS) links.add(link);
      }
    },
    ontext: (text) => {
      if (isTitle && title.length < MAX_TITLE_CHARACTERS) title += text;
    },
    onclosetag: (name) => {
      if (name === "title") isTitle = false;
    },
  });
  reader.end(html);
  return { title, links: [...links], robots, hasMain };
}

/** A sitemap, and where it was read. */
export interface SitemapText {
  readonly xml: string;
  readonly url: string;
}

/** What a sitemap lists. */
export interface ReadSitemap {
  readonly pages: readonly string[];
  readonly maps: readonly string[];
}

/** Reads a sitemap, or an index of them: the pages and sitemaps of its origin. */
export function readSitemap({ xml, url }: SitemapText): ReadSitemap {
  const found = { page: new Set<string>(), map: new Set<string>() };
  let kind: keyof typeof found | undefined;
  let location: string | undefined;
  const reader = new Parser(
    {
      onopentag: (name) => {
        if (name === "url") kind = "page";
        else if (name === "sitemap") kind = "map";
        else if (name === "loc") location = "";
      },
      ontext: (text) => {
        if (location !== undefined && location.length <= MAX_LINK_CHARACTERS) location += text;
      },
      onclosetag: (name) => {
        if (name !== "loc" || kind === undefined || location === undefined) return;
        const link = pageUrl(location.trim(), url);
        if (link !== undefined && found[kind].size < MAX_LISTED) found[kind].add(link);
        location = undefined;
      },
    },
    { xmlMode: true },
  );
  reader.end(xml);
  return { pages: [...found.page], maps: [...found.map] };
}

/** A robots.txt, and a page that it is asked about. */
export interface RobotsQuestion {
  /** The text of robots.txt. */
  readonly rules: string;
  readonly robotsUrl: string;
  readonly url: string;
}

/** What robots.txt says of a page. */
export interface RobotsAnswer {
  readonly isAllowed: boolean;
  /** Seconds between two requests that it asks for. */
  readonly delaySeconds: number;
}

/** Whether robots.txt allows that a page is read. */
export function askRobots({ rules: text, robotsUrl, url }: RobotsQuestion): RobotsAnswer {
  const rules = robotsParser(robotsUrl, text);
  return {
    isAllowed: rules.isAllowed(url, AGENT) ?? true,
    delaySeconds: rules.getCrawlDelay(AGENT) ?? 0,
  };
}
