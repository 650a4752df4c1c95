import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");

/** What stands for the path of the site in its files: the server puts its own there. */
export const BASE = "/__parley__/docs";

/** The name of a page by its file below docs/: that of a README is its folder's. */
export function pageOf(file: string): string {
  if (file === "../README.md") return "start";
  return file.replace(/(?:^|(?<=\/))README\.md$/, "index.md").replace(/\.md$/, "");
}

/** A page for the site generator: its first heading is its title, and its links lead to pages of the site. */
export function toPage(file: string, text: string): string {
  const [heading = ""] = /^# .*$/m.exec(text) ?? [];
  const title = heading.slice(2).replaceAll("`", "");
  const body = text.replace(heading, "");
  const linked = withLinks(file, body, {
    page: urlOf,
    picture: (found) => `${BASE}/${found}`,
  });
  // People search for how something is done: the reasons are found from there. The index has the words of all pages.
  const searched = /^(?:decisions\/|README\.md$)/.test(file) ? "pagefind: false\n" : "";
  const shown = isSecondary(file) ? lighter(linked) : linked;
  return `---\ntitle: ${JSON.stringify(title)}\n${searched}---\n${shown}`;
}

/** A page for programs: its Markdown, whose links lead to the Markdown of other pages. */
export function toMarkdown(file: string, text: string): string {
  const folder = path.posix.dirname(pageOf(file)).replace(/^\.\.$/, ".");
  return withLinks(file, text, {
    page: (page) => path.posix.relative(folder, `${page}.md`),
    picture: (found) => path.posix.relative(folder, found),
  });
}

interface Targets {
  page(name: string): string;
  picture(file: string): string;
}

/** The text with other targets for its links to pages and pictures; files of the sources are not part of the site. */
function withLinks(file: string, text: string, targets: Targets): string {
  return text.replaceAll(/(!?\[[^\]]*\])\(([^()\s]+)\)/g, (link, words: string, to: string) => {
    if (/^(?:[a-z]+:|#)/.test(to)) return link;
    const [target = "", fragment] = to.split("#");
    const found = path.posix.relative(
      "docs",
      path.posix.join("docs", path.posix.dirname(file), target),
    );
    const isPage = found === "../README.md" || (!found.startsWith("..") && found.endsWith(".md"));
    const anchor = fragment === undefined ? "" : `#${fragment}`;
    if (isPage) return `${words}(${targets.page(pageOf(found))}${anchor})`;
    if (/\.(?:webp|svg)$/.test(found)) return `${words}(${targets.picture(found)})`;
    return words.replace(/^!?\[(.*)\]$/, "$1");
  });
}

/** Whether people look for other pages first: those of contributors, and long tables. */
const isSecondary = (file: string): boolean =>
  /^(?:console\/|architecture|development|releases|benchmarks|compatibility|published-clients|access|reference\/)/.test(
    file,
  );

/** The text with a smaller weight in searches. */
const lighter = (text: string): string => `<div data-pagefind-weight="0.2">\n\n${text}\n\n</div>\n`;

/** The URL of a page, with the base that the server replaces. */
export function urlOf(page: string): string {
  const shown = page.replace(/(?:^|\/)index$/, "");
  return shown === "" ? `${BASE}/` : `${BASE}/${shown}/`;
}

interface Page {
  readonly label: string;
  readonly slug: string;
}

interface Group {
  readonly label: string;
  readonly collapsed: boolean;
  readonly items: (Page | Group)[];
}

/** The menu: the headings and links of the index of all pages, in its order; subheadings are groups within groups. */
export function menuOf(index: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  for (const line of index.split("\n")) {
    const [, marks = "", label = ""] = /^(#{2,3}) (.*)$/.exec(line) ?? [];
    if (marks !== "") {
      group = { label, collapsed: groups.length > 2, items: [] };
      (marks === "##" ? groups : (groups.at(-1)?.items ?? groups)).push(group);
    }
    const [, name, to] = /^- \[([^\]]+)\]\(([^)#]+\.md)\)/.exec(line) ?? [];
    if (name === undefined || to === undefined) continue;
    const slug = pageOf(path.posix.normalize(to)).replace(/\/index$/, "");
    group?.items.push({ label: name.replaceAll("`", ""), slug });
  }
  return groups;
}
