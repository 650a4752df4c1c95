import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ApiSettings, type ConsoleBuild, createApi } from "@parley/api";
import { openTestCore } from "@parley/core/testing";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

type State = ReturnType<ConsoleBuild["state"]>;

/** A server that starts while its console is being built; the test decides how the build ends. */
async function startBuilding() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-console-"));
  const test = await openTestCore();
  let state: State = "running";
  const { app, close } = await createApi({
    core: test.core,
    settings: ApiSettings.parse({}),
    logger: pino({ level: "silent" }),
    consoleBuild: { folder, state: () => state, startCommand: "pnpm start" },
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    become: (next: State) => (state = next),
    write: (html: string) => writeFile(path.join(folder, "index.html"), html),
    [Symbol.asyncDispose]: async () => {
      await close(0);
      await test.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe.skipIf(!hasBrowser)("a console that is being built", () => {
  it("replaces the page that says so as soon as it is there, and keeps the link's code", async () => {
    await using server = await startBuilding();
    await using console = await openConsole({ ...server, demo: { adminKey: "" } as never });
    const page = await console.visit();
    await page.goto(`${console.url}/runs?a=1#code=sc-1`);
    await page.getByText("The console is being built").waitFor();
    await expectAccessible(page);
    server.become("failed");
    await page.getByText("The console could not be built").waitFor();
    await expectAccessible(page);
    server.become("running");
    await page.getByText("The console is being built").waitFor();
    await server.write("<!doctype html><title>Parley</title><p>It is there");
    server.become("done");
    await page.getByText("It is there").waitFor();
    expect(page.url()).toBe(`${console.url}/runs?a=1#code=sc-1`);
    expect(console.takeFaults()).toEqual([]);
  });
});
