import { defineConfig } from "vitest/config";

// One configuration for every package: `vitest run --config ../../vitest.config.ts` in its folder.
export default defineConfig({
  ssr: { resolve: { conditions: ["@parley/source", "node"] } },
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    maxWorkers: 2,
    // Generous, since the packages' tests share the machine: what must be quick says so itself.
    testTimeout: 180_000,
    hookTimeout: 600_000,
    passWithNoTests: true,
    reporters: ["default", ["json", { outputFile: "test-report.json" }]],
  },
});
