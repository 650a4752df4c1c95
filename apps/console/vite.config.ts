import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { evaluateTables } from "parley-client/evaluate-tables";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

/** Writes each text file compressed too: the server sends them as they are. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle: async ({ dir = "" }) => {
    for (const file of await readdir(dir, { recursive: true })) {
      if (!/\.(?:css|html|js|svg)$/.test(file)) continue;
      const name = path.join(dir, file);
      const bytes = await readFile(name);
      await writeFile(`${name}.br`, brotliCompressSync(bytes));
      await writeFile(`${name}.gz`, gzipSync(bytes));
    }
  },
};

export default defineConfig({
  base: "/",
  plugins: [react(), tailwindcss(), evaluateTables, compressed],
  // The client's sources: no package needs to be built before the console.
  resolve: { conditions: ["@parley/source", ...defaultClientConditions] },
  build: {
    target: ["chrome125", "firefox128", "safari18"],
    // Inlined files would be data: URLs, which the policy of the page refuses.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    // The polyfill would be an inline script; the browsers above preload modules themselves.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  server: {
    proxy: { "/api": "http://127.0.0.1:3000", "/rpc": "http://127.0.0.1:3000" },
  },
});
