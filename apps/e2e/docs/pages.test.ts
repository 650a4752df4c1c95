import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { startFakeService } from "@parley/agent/testing";
import { describeSettings } from "@parley/server";
import { startFakeE2b } from "@parley/worker/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPlace, openHostedServer, root, type Settings } from "../server.ts";
import { readBlocks } from "./blocks.ts";
import { hasPython, runPage } from "./run-page.ts";
import { findDifference } from "./shown-output.ts";

/** Pages of docs/ whose blocks need something else than a server, and the tests that have it. */
const elsewhere: readonly (readonly [name: string, file: string])[] = [
  ["guide/client", "apps/e2e/packaging/client.test.ts"],
  ["operations", "apps/e2e/docs/operations.test.ts"],
];
const isElsewhere = (page: string) => elsewhere.some(([name]) => page === `docs/${name}.md`);

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()]
  .filter((page) => !isElsewhere(page))
  .map((page) => ({ page, blocks: readBlocks(page) }))
  .filter(({ blocks }) => blocks.length > 0);

/** Readers have the limits that a server has by default. */
const byDefault = Object.fromEntries(
  describeSettings()
    .filter(({ name }) => name.startsWith("PARLEY_RATE_"))
    .map(({ name, byDefault: value }) => [name, value]),
);

/** What a page asks its reader to start the server with. */
async function settingsOf(page: string): Promise<Settings> {
  if (["docs/guide/tools.md", "docs/guide/traces.md", "docs/guide/webhooks.md"].includes(page)) {
    return { ...byDefault, PARLEY_PRIVATE_HOSTS: "127.0.0.1" };
  }
  if (page === "docs/guide/sandbox-functions.md") {
    return { ...byDefault, PARLEY_SANDBOX_PRIVATE_HOSTS: "127.0.0.1" };
  }
  if (page === "docs/guide/e2b.md") {
    const fake = await startFakeE2b();
    onTestFinished(fake.close);
    return { ...byDefault, ...fake.settings };
  }
  if (page !== "docs/models.md") return byDefault;
  const service = await startFakeService();
  onTestFinished(service.close);
  const asked = /^```text\n(\w+)=http:\/\/127\.0\.0\.1:11434\/v1\n```$/m;
  const [, name = ""] = asked.exec(readFileSync(path.join(root, page), "utf8")) ?? [];
  expect(name).not.toBe("");
  return { ...byDefault, [name]: `${service.url}/v1` };
}

describe.for(pages)("$page", ({ page, blocks }) => {
  const whole = blocks.filter(({ reason }) => reason === undefined);
  const run = whole.filter(({ language }) => hasPython || language !== "python");

  test.runIf(run.length < whole.length)("runs its blocks of Python", (context) => {
    expect(hasPython).toBe(false);
    context.skip("python3 is not installed");
  });

  test.skipIf(run.length === 0)("runs as it stands, and prints what it shows", async () => {
    const settings = await settingsOf(page);
    // Each page begins with the demo as it is made, and with settings of its own.
    await using place = await createPlace({ isPlannedOnce: true });
    await using server = await openHostedServer(place, settings);
    const printed = await runPage(run, server);
    const known = new Map<string, string>();
    const wrong = run.flatMap(({ line, shown }, index) => {
      const text = printed[index] ?? "";
      // An error that nobody shows is none that anybody wants.
      const isRefused = shown === undefined && /"error":\{"(?:type|json)":/.test(text);
      const difference = isRefused ? text : shown && findDifference(shown, text, known);
      return difference === undefined ? [] : [`${page}:${line}: ${difference}`];
    });
    expect(wrong.join("\n\n")).toBe("");
  });

  test.for(blocks.filter(({ reason }) => reason !== undefined))(
    "line $line is not run: $reason",
    ({ reason }, context) => {
      expect(reason).toMatch(/\w \w/);
      context.skip(reason);
    },
  );
});

test.for(elsewhere)("the blocks of docs/%s.md are run by %s", ([name, file], context) => {
  const page = `docs/${name}.md`;
  const isThere = globSync(page, { cwd: root }).length > 0;
  context.skip(!isThere, `there is no ${page}`);
  expect(readFileSync(path.join(root, file), "utf8")).toContain(page);
});
