import { readFile, writeFile } from "node:fs/promises";
import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { evaluateTables } from "./evaluate-tables.ts";

const external = /^(?:@trpc\/|ai$|react$|superjson$|zod$)/;

/** What can be imported: the client, and what binds it to frameworks. */
const entries = ["index", "react", "ai-sdk"];

// A file for each client, so that bundlers leave out the one that is not used, with what it imports.
// Bundled are what is not a dependency (the types of the schemas), what asks for a newer Node than it needs
// (the event stream parser and EventSource), and types that ask for those of Node and of ws (tRPC).
export default defineConfig([
  {
    input: [...entries, "parley", "rpc"].map((name) => `src/${name}.ts`),
    preserveEntrySignatures: "allow-extension",
    platform: "neutral",
    resolve: { conditionNames: ["@parley/source", "import"] },
    external,
    output: { dir: "dist", chunkFileNames: "[name].js" },
    plugins: [{ name: "copy-licenses", writeBundle: copyLicenses }, evaluateTables],
  },
  {
    input: entries.map((name) => `dist/tsc/${name}.d.ts`),
    external: /^(?:ai$|react$|zod(?:\/|$))/,
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
    output: { dir: "dist", chunkFileNames: "[name].d.ts" },
  },
]);

/** The licenses of the code that is bundled. */
async function copyLicenses(): Promise<void> {
  const names = ["@trpc/client", "@trpc/server", "eventsource", "eventsource-parser"];
  const licenses = names.map(async (name) => {
    return `${name}\n\n${await readFile(`node_modules/${name}/LICENSE`, "utf8")}`;
  });
  await writeFile("dist/licenses.txt", (await Promise.all(licenses)).join("\n"));
}
