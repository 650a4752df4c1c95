import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pages } from "../console/shown/pages.ts";
import { pictureOf, themes } from "../console/shown/pictures.ts";
import { root } from "../server.ts";

const folder = path.join(root, "docs/console");
const MAX_BYTES = 2_500_000;

function renderPages(): string {
  const sections = pages.map((page) => {
    const title = page.name[0]?.toUpperCase() + page.name.slice(1).replaceAll("-", " ");
    const route = page.route === "/$" ? "any other" : page.route;
    const [light, dark] = themes.map((theme) => pictureOf(page, theme));
    return [
      `## ${title}`,
      `\`${route}\`, ${describeKeys(page.keys)}`,
      `![${page.alt}](${light})`,
      `![${page.alt}, in the dark theme](${dark})`,
    ].join("\n\n");
  });
  return `# The pages of the console

Each page with the workspace of a made-up shop, in both themes. \`npx -y pnpm@12.21.0 console:screenshots\`
takes the pictures again; it needs Chromium. [The console](../guide/console.md) describes the pages.

${sections.join("\n\n")}
`;
}

function describeKeys(keys: (typeof pages)[number]["keys"]): string {
  if (keys === undefined) return "before a sign-in";
  return `for keys of the ${keys.length > 1 ? "roles" : "role"} ${new Intl.ListFormat("en").format(keys)}`;
}

// `npx -y pnpm@12.21.0 test apps/e2e/docs/console-pages --update` writes the file.
test("docs/console/README.md shows each page of the console in both themes", async () => {
  await expect(renderPages()).toMatchFileSnapshot(path.join(folder, "README.md"));
});

test("every page has its two pictures, and no others exist", () => {
  const pictures = pages.flatMap((page) => themes.map((theme) => pictureOf(page, theme)));
  const there = readdirSync(folder).filter((file) => !file.endsWith(".md"));
  expect(there.toSorted()).toEqual(pictures.toSorted());
  const bytes = there.map((file) => statSync(path.join(folder, file)).size);
  expect(Math.min(...bytes)).toBeGreaterThan(2000);
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(MAX_BYTES);
});

test("every page has its own description of its picture", () => {
  for (const { alt, name } of pages) expect(alt.length, name).toBeGreaterThan(20);
  expect(new Set(pages.map(({ alt }) => alt)).size).toBe(pages.length);
});
