import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { shareServer } from "../server.ts";
import { openUser, settingsOf } from "./user.ts";

describe("completion of names", () => {
  const server = shareServer();
  const open = async (changed: Record<string, string> = {}) => {
    const { home, run } = await openUser();
    const settings = { ...settingsOf(server()), XDG_CACHE_HOME: home, ...changed };
    /** What the shell is offered. */
    const complete = async (...words: string[]) => {
      const printed = vi.spyOn(console, "log").mockImplementation(() => {});
      const { code, stdout, stderr } = await run(["complete", "--", ...words], "", settings);
      const lines = printed.mock.calls.map(([line]) => String(line));
      printed.mockRestore();
      expect([code, stdout, stderr, lines.at(-1)]).toEqual([0, "", "", ":4"]);
      return lines.slice(0, -1).map((line) => line.split("\t")[0]);
    };
    const succeed = async (args: readonly string[]) => {
      expect((await run(args, "", settings)).code).toBe(0);
    };
    return { home, complete, succeed };
  };

  it("names what is there, as arguments and in options, by what is typed of it", async () => {
    const { complete, succeed } = await open();
    await succeed(["spaces", "create", "Support"]);
    await succeed(["spaces", "create", "With words"]);
    expect(await complete("agents", "get", "")).toContain("helper");
    expect(await complete("agents", "get", "he")).toEqual(["helper"]);
    expect(await complete("agents", "get", "x")).toEqual([]);
    expect(await complete("ask", "--agent", "he")).toEqual(["helper"]);
    expect(await complete("functions", "invoke", "ad")).toEqual(["add"]);
    // A name that a shell would divide is completed by its id.
    const spaces = await complete("spaces", "get", "");
    expect(spaces).toContain("Support");
    expect(spaces).not.toContain("With words");
    expect(spaces.filter((word) => word?.startsWith("vlt_"))).toHaveLength(2);
    expect(await complete("keys", "create", "ci", "--space-id", "Su")).toEqual(["Support"]);
    expect(await complete("agents", "re")).toEqual(["remove", "restore"]);
  });

  it("keeps names for a minute, without keys or URLs in the file", async () => {
    const { home, complete, succeed } = await open();
    await complete("spaces", "get", "Kept");
    await succeed(["spaces", "create", "Kept"]);
    expect(await complete("spaces", "get", "Kept")).toEqual([]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await complete("spaces", "get", "Kept")).toEqual(["Kept"]);
    const kept = await readFile(path.join(home, "parley/names.json"), "utf8");
    expect(kept).not.toContain(server().demo.adminKey);
    expect(kept).not.toContain(server().url);
  });

  it("is silent without a server, with a wrong key, and with a server that does not answer", async () => {
    const wrong = await open({ PARLEY_API_KEY: "sk-wrong" });
    expect(await wrong.complete("agents", "get", "")).toEqual([]);
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const late = await open({ PARLEY_URL: `http://127.0.0.1:${port}` });
    const startedAt = performance.now();
    expect(await late.complete("agents", "get", "")).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    const gone = await open({ PARLEY_URL: "http://127.0.0.1:1" });
    expect(await gone.complete("agents", "get", "")).toEqual([]);
  });
});
