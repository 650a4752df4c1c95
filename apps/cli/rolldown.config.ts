import { cp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { defineConfig } from "rolldown";

// The files of the reference page are the server's own: the package that they are from reports its
// installation to a third party, which users of the server are spared.
const api = createRequire(new URL("../api/package.json", import.meta.url));
const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"];

// The whole server in one package: the workspace's code is bundled, what comes from npm stays a
// dependency. Everything lies in one folder, where threads are looked for beside what starts them,
// and the migrations beside that folder.
export default defineConfig({
  input: {
    parley: "src/parley.ts",
    "evaluation-thread": "../worker/src/simulation/evaluation-thread.ts",
    "render-thread": "../../packages/core/src/skill-folders/render-thread.ts",
  },
  platform: "node",
  resolve: { conditionNames: ["@parley/source", "node", "import"] },
  external: /^(?!@parley\/)[@a-z]/,
  transform: { target: "node26" },
  // What an earlier build left would be packed too.
  output: {
    dir: "dist/bin",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
  plugins: [
    {
      name: "copy-files",
      writeBundle: async () => {
        await rm("dist/migrations", { recursive: true, force: true });
        await cp("../../packages/db/migrations", "dist/migrations", { recursive: true });
        for (const file of pageFiles) {
          await cp(api.resolve(`swagger-ui-dist/${file}`), `dist/bin/swagger-ui/${file}`);
        }
      },
    },
  ],
});
