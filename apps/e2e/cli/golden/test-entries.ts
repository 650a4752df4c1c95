import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { shareServer } from "../../server.ts";
import type { Entry } from "./entry.ts";
import { installParley } from "./installed.ts";
import { describeSituations } from "./situations.ts";

/** Tests that commands print in every situation what their files in `outputs` say. */
export function testEntries(entries: readonly Entry[]): void {
  const server = shareServer();
  let main = "";
  let version = "";
  beforeAll(async () => {
    main = await installParley(inject("build"));
    const manifest = await readFile(path.join(main, "../../../package.json"), "utf8");
    ({ version } = JSON.parse(manifest) as { version: string });
  });
  test.for(entries)("parley $command", async (entry) => {
    const text = await describeSituations(entry, { main, version, server: server() });
    const file = `outputs/${entry.command.replaceAll(" ", "-")}.txt`;
    await expect(text).toMatchFileSnapshot(path.join(import.meta.dirname, file));
  });
}
