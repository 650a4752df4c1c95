import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { shareServer } from "../../server.ts";
import { shareShop } from "../../tools/shop-server.ts";
import type { Entry } from "./entry.ts";
import { startDyingProxy } from "./dying-proxy.ts";
import { installParley } from "./installed.ts";
import { describeSituations } from "./situations.ts";

/** Tests that commands print in every situation what their files in `outputs` say. */
export function testEntries(entries: readonly Entry[]): void {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();
  let main = "";
  let closedPort = 0;
  let version = "";
  beforeAll(async () => {
    await using proxy = await startDyingProxy({ host: "127.0.0.1", port: 1 }, 0);
    closedPort = proxy.port;
    main = await installParley(inject("build"));
    const manifest = await readFile(path.join(main, "../../../package.json"), "utf8");
    ({ version } = JSON.parse(manifest) as { version: string });
  });
  test.for(entries)("parley $command", async (entry) => {
    const text = await describeSituations(entry, {
      main,
      version,
      server: server(),
      closedPort,
      shop: shop(),
    });
    const file = `outputs/${entry.command.replaceAll(" ", "-")}.txt`;
    await expect(text).toMatchFileSnapshot(path.join(import.meta.dirname, file));
  });
}
