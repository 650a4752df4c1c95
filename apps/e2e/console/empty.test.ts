import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createRpcClient } from "parley-client";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { runCli } from "../cli/run-cli.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";
import { pages } from "./shown/pages.ts";

const run = promisify(execFile);

/** Pages whose commands a shell can run at once, in an order in which one needs no later one. */
const withRequests = [
  "/members",
  "/agents",
  "/conversations",
  "/data-sources",
  "/secrets",
] as const;
const withCommands = [
  "/approvals",
  "/functions",
  "/runs",
  "/secrets",
  "/skills",
  "/tools",
] as const;

describe.skipIf(!hasBrowser)("an empty workspace", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);
  let key = "";
  let wId = "";

  beforeAll(async () => {
    const created = await calls.operator().workspaces.create.mutate({ name: "Empty" });
    key = created.adminKey;
    wId = created.workspace.sId;
  });

  const commandsOf = async (page: Page) =>
    page.getByRole("group", { name: "Command" }).allTextContents();

  it("opens on every page, and each has an empty state", async () => {
    const page = await opened().enter("/no-access", { key });
    for (const { route, keys } of pages) {
      if (route.includes("$") || keys?.includes("admin") !== true) continue;
      await goTo(page, route);
      await expectAccessible(page);
      expect(await page.getByRole("alert").count(), route).toBe(0);
    }
  });

  it("shows commands of parley that exist", async () => {
    const page = await opened().enter("/no-access", { key });
    for (const path of withCommands) {
      await goTo(page, path);
      const lines = (await commandsOf(page)).flatMap((text) => text.split("\n"));
      const commands = lines.filter((line) => line.startsWith("parley "));
      expect(commands.length, path).toBeGreaterThan(0);
      for (const command of commands) {
        const [, noun = "", verb = ""] = command.split(" ");
        const { code, stdout } = await runCli([noun, verb, "--help"]);
        expect(code, command).toBe(0);
        expect(stdout, command).toContain(`parley ${noun} ${verb} `);
      }
    }
  });

  it("shows requests that create the missing content", async () => {
    const page = await opened().enter("/no-access", { key });
    for (const path of withRequests) {
      await goTo(page, path === "/data-sources" ? await pathOfSpace() : path);
      const commands = await commandsOf(page);
      const requests = commands.filter((text) => text.startsWith("curl "));
      expect(requests, path).toHaveLength(1);
      const [request = ""] = requests;
      // Fails with curl if the server refuses the request.
      const { stdout } = await run("sh", ["-c", `${request} --fail-with-body --silent`], {
        env: { PATH: "/usr/bin:/bin", PARLEY_KEY: key },
      });
      expect(JSON.parse(stdout), path).toBeTypeOf("object");
      await page.reload();
      await expect
        .poll(async () => (await commandsOf(page)).filter((text) => text.startsWith("curl ")))
        .toEqual([]);
    }
  });

  const pathOfSpace = async () => {
    const { spaces } = await createRpcClient({
      url: server().url,
      apiKey: key,
    }).spaces.listAll.query({ wId });
    return `/data-sources?space=${spaces[0]?.sId}`;
  };
});
