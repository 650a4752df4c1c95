import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pageOf, root, toMarkdown, toPage } from "./pages.ts";

// The pages of docs/ and the README, as the site generator reads them; and as Markdown, for programs.

const docs = path.join(root, "docs");
const content = path.join(import.meta.dirname, ".pages/content");
const forPrograms = path.join(import.meta.dirname, ".pages/public");

for (const folder of [content, forPrograms]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const files = readdirSync(docs, { recursive: true, encoding: "utf8" });
for (const file of ["../README.md", ...files.filter((name) => name.endsWith(".md"))]) {
  const text = readFileSync(path.join(docs, file), "utf8");
  const page = pageOf(file);
  write(path.join(content, `${page}.md`), toPage(file, text));
  write(path.join(forPrograms, `${page}.md`), toMarkdown(file, text));
}
for (const file of files.filter((name) => /\.(?:webp|svg)$/.test(name))) {
  cpSync(path.join(docs, file), path.join(forPrograms, file));
}
write(
  path.join(forPrograms, "llms.txt"),
  toMarkdown("../llms.txt", readFileSync(path.join(root, "llms.txt"), "utf8")),
);
cpSync(path.join(root, "apps/console/public/icon.svg"), path.join(forPrograms, "favicon.svg"));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
