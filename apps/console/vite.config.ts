import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { evaluateTables } from "parley-client/evaluate-tables";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** The highest, 11, takes thirteen times as long for a twelfth less. */
const BROTLI_QUALITY = 9;

/** Writes each text file compressed too: the server sends them as they are. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle: async ({ dir = "" }) => {
    const files = await readdir(dir, { recursive: true });
    const texts = files.filter((file) => /\.(?:css|html|js|svg)$/.test(file));
    await Promise.all(texts.map((file) => writeCompressed(path.join(dir, file))));
  },
};

async function writeCompressed(file: string): Promise<void> {
  const bytes = await readFile(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    compressBrotli(bytes, { params }).then((br) => writeFile(`${file}.br`, br)),
    compressGzip(bytes).then((gz) => writeFile(`${file}.gz`, gz)),
  ]);
}

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
