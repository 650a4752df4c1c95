import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { AstroIntegration } from "astro";
import { BASE } from "./pages.ts";

/** Moves scripts, styles and style attributes of the pages into files, so that a policy need not allow inline ones. */
export function withoutInline(): AstroIntegration {
  return {
    name: "without-inline",
    hooks: {
      "astro:build:done": ({ dir }) => {
        const folder = fileURLToPath(dir);
        const rules = new Map<string, string>();
        const keep = (text: string, extension: string): string => {
          const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12);
          const name = `_astro/${hash}.${extension}`;
          writeFileSync(path.join(folder, name), text);
          return `${BASE}/${name}`;
        };
        const pages = globSync("**/*.html", { cwd: folder }).map((name) => path.join(folder, name));
        const changed = pages.map((page) => {
          const html = readFileSync(page, "utf8")
            .replaceAll(
              /<script((?:(?!src=)[^>])*)>([^<]*(?:<(?!\/script>)[^<]*)*)<\/script>/g,
              (_script, attributes: string, code: string) =>
                `<script${attributes} src="${keep(code, "js")}"></script>`,
            )
            .replaceAll(/<style[^>]*>([^<]*)<\/style>/g, (_style, css: string) => {
              return `<link rel="stylesheet" href="${keep(css, "css")}">`;
            })
            .replaceAll(
              /<([a-z-]+)([^>]*?) style="([^"]*)"([^>]*)>/g,
              (_tag, ...parts: string[]) => {
                const [name = "", before = "", style = "", after = ""] = parts;
                const rule = rules.getOrInsertComputed(style, () => `is-${rules.size}`);
                return withClass(name, before + after, rule);
              },
            );
          return { page, html };
        });
        // Colours of code are chosen by the attribute that has become a class.
        for (const name of globSync("_astro/*.css", { cwd: folder })) {
          const file = path.join(folder, name);
          const css = readFileSync(file, "utf8");
          writeFileSync(
            file,
            css.replaceAll("span[style^='--']:not([class])", "span[class^='is-']"),
          );
        }
        const css = [...rules].map(([style, name]) => `.${name}{${decode(style)}}\n`).join("");
        const sheet = `<link rel="stylesheet" href="${keep(css, "css")}"></head>`;
        for (const { page, html } of changed) writeFileSync(page, html.replace("</head>", sheet));
        compress(folder);
      },
    },
  };
}

/** Compresses the text files: the server sends them so. The first page is last, by which a server knows that all are there. */
function compress(folder: string): void {
  const names = globSync("**/*.{html,md,txt,css,js,json,svg}", { cwd: folder });
  const last = (name: string): number => Number(name === "index.html");
  for (const name of names.toSorted((one, other) => last(one) - last(other))) {
    const file = path.join(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}

function withClass(name: string, attributes: string, rule: string): string {
  if (/ class="/.test(attributes)) {
    return `<${name}${attributes.replace(/ class="/, ` class="${rule} `)}>`;
  }
  return `<${name}${attributes} class="${rule}">`;
}

const decode = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
