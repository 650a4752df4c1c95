import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../server.ts";

const exclude = ["**/node_modules/**", "**/dist/**", "**/.parley/**"];
const pages = [...globSync("**/*.md", { cwd: root, exclude }), "llms.txt"].map((page) => {
  const text = readFileSync(path.join(root, page), "utf8").replaceAll(/^(```+)[^]*?^\1$/gm, "");
  return { page, text };
});

/** What a page's headings are called in addresses, as GitHub makes it. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = ""]) => {
    const words = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

const links = pages.flatMap(({ page, text }) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => ({ page, target }))
    .filter(({ target }) => !/^\w+:/.test(target)),
);

/** What is wrong with a link: nothing, if it leads somewhere. */
function findFault(page: string, target: string): string | undefined {
  const [file = "", anchor] = target.split("#");
  const to = file === "" ? page : path.join(path.dirname(page), file);
  if (statSync(path.join(root, to), { throwIfNoEntry: false }) === undefined) {
    return `${page}: ${target}: there is no ${to}`;
  }
  if (anchor === undefined) return undefined;
  const text = pages.find((one) => one.page === to)?.text ?? "";
  return anchorsOf(text).includes(anchor) ? undefined : `${page}: ${target}: no such heading`;
}

test("every link of every page leads to a file and a heading", () => {
  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap(({ page, target }) => findFault(page, target) ?? [])).toEqual([]);
});

test("a link to a file or a heading that is not there is found", () => {
  expect(findFault("docs/README.md", "guide/nothing.md")).toContain("there is no docs/guide");
  expect(findFault("docs/README.md", "../README.md#nothing")).toContain("no such heading");
  expect(findFault("docs/README.md", "#decisions")).toBe(undefined);
});

test("docs/README.md lists every page below docs", () => {
  const listed = links
    .filter(({ page }) => page === "docs/README.md")
    .map(({ target }) => path.join("docs", target.split("#")[0] ?? ""));
  const below = pages.filter(({ page }) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(below.map(({ page }) => page).filter((page) => !listed.includes(page))).toEqual([]);
});

test("pages that the code names exist", () => {
  const files = ["{apps,packages,deploy}/**/*.{ts,yaml,yml,conf}", "*.{yaml,yml}", "Dockerfile"];
  const named = globSync(files, { cwd: root, exclude }).flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(
      ([page]) => ({ file, page }),
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(
    ({ page }) => statSync(path.join(root, page), { throwIfNoEntry: false }) === undefined,
  );
  expect(missing).toEqual([]);
});
