import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig } from "rolldown";

// The files of the reference page are copied: their package reports its installation to a third party,
// so users of the server must not install it.
const api = createRequire(new URL("../api/package.json", import.meta.url));
const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"];

const page = path.resolve(import.meta.dirname, "../api/src/reference/page");
const consoleFiles = path.resolve(import.meta.dirname, "../console/dist");
const siteFiles = path.resolve(import.meta.dirname, "../site/dist");
const migrations = path.resolve(import.meta.dirname, "../../packages/db/migrations");

/** npm packages whose code is bundled: of most of them, a small part is used. */
const bundled = ["drizzle-orm", "gpt-tokenizer", "lowlight", "highlight\\.js", "devlop"].join("|");

// Drizzle's package has no text of its license, which is the one of the reference page.
const ofDrizzle =
  "drizzle-orm, by the Drizzle Team, is part of the files here, under the Apache License 2.0: swagger-ui/LICENSE\n";

/** The licenses of the npm packages that modules are of. */
async function readLicenses(modules: readonly string[]): Promise<string> {
  const ofPackage = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/;
  const folders = new Map<string, string>();
  for (const module of modules) {
    const [folder, name = ""] = ofPackage.exec(module) ?? [];
    if (folder !== undefined) folders.set(name, folder);
  }
  folders.delete("drizzle-orm");
  const texts = [...folders].map(async ([name, folder]) => {
    const file = (await readdir(folder)).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one));
    if (file === undefined) throw new Error(`${name} is bundled, and has no text of its license`);
    return `${name}\n\n${await readFile(path.join(folder, file), "utf8")}`;
  });
  return [ofDrizzle, ...(await Promise.all(texts))].join("\n");
}

// Modules of threads, under the names by which threads find them.
const threads = {
  thread: "../../packages/core/src/untrusted/thread.ts",
  "schema-thread": "../../packages/core/src/functions/json-schema/schema-thread.ts",
  "expression-thread": "../../packages/core/src/functions/expression-thread.ts",
  "key-expression-thread": "../../packages/core/src/triggers/key-expression-thread.ts",
  "csv-thread": "../../packages/core/src/knowledge/csv-thread.ts",
  "divide-thread": "../../packages/core/src/retrieval/divide-thread.ts",
  "read-web-thread": "../../packages/core/src/web-sources/read-web-thread.ts",
  "page-thread": "../../packages/core/src/files/page-thread.ts",
  "render-thread": "../../packages/core/src/skills/folders/render-thread.ts",
  "yaml-thread": "../../packages/core/src/skills/folders/yaml-thread.ts",
  "carry-thread": "../../packages/core/src/summaries/carry-thread.ts",
  "template-thread": "../../packages/core/src/requests/template-thread.ts",
  "count-thread": "../../packages/agent/src/count-thread.ts",
  "evaluation-thread": "../worker/src/simulation/evaluation-thread.ts",
  "locate-thread": "../worker/src/javascript/locate-thread.ts",
};

// What processes of the sandbox run, under the names by which they are found.
const processes = {
  "sandbox-child": "../../packages/sandbox/src/child/sandbox-child.ts",
  "bundle-entry": "../../packages/sandbox/src/bundle/bundle-entry.ts",
  "extract-entry": "../../packages/sandbox/src/extract/extract-entry.ts",
};

// What code of authors is run by: it is read as text.
const inside = ["../../packages/sandbox/src/child/inside", "../worker/src/e2b/inside"];

// The whole server in one package: the workspace's code is bundled, npm packages stay dependencies. But for Drizzle (Node
// reads the 179 kB of its package.json once for each of its 108 modules, a third of what a start costs), and for packages
// of which a tenth is used: they were 33 of 177 MB that users installed.
// Everything is in one folder, because threads are found beside the file that starts them, and the
// migrations are beside that folder.
export default defineConfig({
  input: {
    parley: "src/parley.ts",
    ...threads,
    ...processes,
  },
  platform: "node",
  resolve: { conditionNames: ["@parley/source", "node", "import"] },
  external: new RegExp(`^(?!@parley/|parley-(?:client|server)$|(?:${bundled})(?:/|$))[@a-z]`),
  transform: { target: "node26" },
  // Files of an earlier build would be packed too.
  output: {
    dir: "dist/bin",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
  plugins: [
    {
      name: "copy-files",
      writeBundle: async ({ dir = "" }, files) => {
        const bin = path.resolve(import.meta.dirname, dir);
        const copies = path.join(bin, "../migrations");
        await rm(copies, { recursive: true, force: true });
        await cp(migrations, copies, { recursive: true });
        for (const file of pageFiles) {
          await cp(api.resolve(`swagger-ui-dist/${file}`), path.join(bin, "swagger-ui", file));
        }
        await cp(page, path.join(bin, "swagger-ui"), { recursive: true });
        for (const folder of inside) {
          await cp(path.resolve(import.meta.dirname, folder), path.join(bin, "inside"), {
            recursive: true,
            filter: (source) => !/\.json$|\.d\.ts$/.test(source),
          });
        }
        const modules = Object.values(files).flatMap((one) =>
          one.type === "chunk" ? Object.keys(one.modules) : [],
        );
        await writeFile(path.join(bin, "licenses.txt"), await readLicenses(modules));
        await cp(consoleFiles, path.join(bin, "console"), { recursive: true });
        // Most tests do not need the documentation; that of the package does.
        if (existsSync(siteFiles)) {
          await cp(siteFiles, path.join(bin, "site"), { recursive: true });
        }
      },
    },
  ],
});
