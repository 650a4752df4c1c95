import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { holdRefusingPort } from "@parley/mcp/testing";
import { expect, describe, it } from "vitest";
import { builtFile, endWithThisProcess } from "../programs.ts";
import { runCli } from "../cli/run-cli.ts";
import { shareServer } from "../server.ts";
import { startAccountServer } from "./account-server.ts";
import { shareShop } from "./shop-server.ts";

const SECRET = "open-sesame";

/** `script` gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

describe("the command line registers and keeps tools of remote servers", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

  const settings = (more: Record<string, string> = {}) => ({
    PARLEY_URL: server().url,
    PARLEY_WORKSPACE: server().demo.workspaceId,
    PARLEY_API_KEY: server().demo.adminKey,
    ...more,
  });
  const run = async (
    args: readonly string[],
    { input = "", ...more }: { input?: string; [setting: string]: string } = {},
  ) => runCli(["tools", ...args], { environment: settings(more), stdin: input });
  const succeed = async (args: readonly string[], more?: Parameters<typeof run>[1]) => {
    const { code, stdout, stderr } = await run(args, more);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const fail = async (args: readonly string[], more?: Parameters<typeof run>[1]) => {
    const { code, stdout, stderr } = await run(args, more);
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    const isMistake = /; see parley [a-z ]+ --help\n$/.test(stderr);
    expect([code, stdout]).toEqual([isMistake ? 2 : 1, ""]);
    return stderr.slice("parley: ".length);
  };
  const register = async (name: string, ...more: string[]) =>
    JSON.parse(await succeed(["create", shop().url, "--name", name, "--json", ...more])) as {
      tool: { sId: string };
      version: number;
    };

  it("registers one that each user allows", async () => {
    await using accounts = await startAccountServer();
    const made: unknown = JSON.parse(
      await succeed(["create", accounts.mcpUrl, "--per-user", "--json"]),
    );
    expect(made).toMatchObject({
      tool: { oAuthUseCase: "personal_actions" },
      connection: { oauth: { grant: "authorization_code" } },
    });
  });

  it("registers, lists, shows, refreshes, changes and removes one", async () => {
    const options = ["--stake", "find=never_ask", "--retryable", "find", "--timeout-ms", "5000"];
    const registered = await succeed(["create", shop().url, ...options]);
    expect(registered.replaceAll(/(?:msv|vlt)_\w+/g, "id").replace(/\d{4}-.*Z/, "time")).toBe(
      [
        "shop (id): remote, 5 tools, version 0",
        "  space: id",
        "  description: Sells shoes",
        `  server: ${shop().url}`,
        "  timeout: 5000 ms; at most 20 concurrent",
        "  tools refreshed: time",
        "  - find, never_ask, retryable: Finds",
        "  - buy, high: Buys",
        "  - wait, high: Waits",
        "  - fail, high: Fails",
        "  - picture, high: Draws",
        "",
      ].join("\n"),
    );
    const [, id = ""] = /\((msv_\w+)\)/.exec(registered) ?? [];
    expect(await succeed(["list"])).toMatch(new RegExp(`^${id} +shop +remote +5 +0 `, "m"));
    expect(await succeed(["get", "shop"])).toBe(registered);

    const changed = await succeed(["update", id, "--stake", "buy=low", "--retryable", ""]);
    expect(changed).toContain("version 1");
    expect(changed).toContain("- find, never_ask: Finds\n  - buy, low: Buys");
    expect(changed).toContain("5000 ms");
    expect(await succeed(["refresh", id])).toContain("5 tools, version 1");
    expect(await succeed(["remove", "shop", "--yes"])).toBe(`removed: tool shop (${id})\n`);
    expect(await fail(["get", "shop"])).toMatch(
      /^No tool named "shop"(?:\. Available: .*)?; see parley tools list\n$/,
    );
  });

  it("prints what the server answers with --json", async () => {
    const { tool, version } = await register("printed");
    expect(version).toBe(0);
    const { tools } = JSON.parse(await succeed(["list", "--json"])) as {
      tools: { tool: { sId: string } }[];
    };
    expect(tools).toContainEqual({ tool, version });
    const shown = JSON.parse(await succeed(["get", tool.sId, "--json"])) as object;
    expect(shown).toMatchObject({ tool, version, connection: { url: shop().url } });
    expect(JSON.parse(await succeed(["remove", tool.sId, "--yes", "--json"]))).toEqual({
      success: true,
    });
  });

  it("reads secrets from standard input, which the shop gets and nobody else", async () => {
    const args = ["create", shop().url, "--name", "guarded", "--bearer", "--header", "X-Shop-Key"];
    const shown = await succeed(args, { input: `a-token\n${SECRET}\n` });
    expect(shown).toContain("  headers: Authorization, X-Shop-Key\n");
    expect(shown).not.toMatch(/a-token|open-sesame/);
    expect(shop().key).toBe(SECRET);
    const missing = await fail(args, { input: "a-token\n" });
    expect(missing).toBe(
      "Pipe 2 lines to standard input, or run this in a terminal: the bearer token, the value of X-Shop-Key\n",
    );
    const bad = await fail(["update", "guarded", "--header", "X-Shop-Key"], {
      input: `${SECRET}\u0007\n`,
    });
    expect(bad).toBe("headers.X-Shop-Key: must be printable ASCII\n");
    await succeed(["update", "guarded", "--header", "X-Shop-Key"], { input: "another\n" });
    expect(await succeed(["refresh", "guarded"])).toContain("  headers: X-Shop-Key\n");
    expect(shop().key).toBe("another");
    expect(server().output.stderr).not.toMatch(/a-token|open-sesame/);
  });

  it.skipIf(!hasScript)("asks a terminal for secrets, and does not show them", async () => {
    const words = [process.execPath, builtFile("parley.js"), "tools", "create", shop().url];
    const command = [...words, "--name", "asked", "--header", "X-Shop-Key"].join(" ");
    const terminal = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
      env: settings(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    endWithThisProcess(terminal);
    const exited = once(terminal, "close");
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      if (text.includes("the value of X-Shop-Key: ")) terminal.stdin.write(`${SECRET}\r`);
    });
    await exited;
    expect(shown).toContain("asked (msv_");
    expect(shown).not.toContain(SECRET);
    expect(shop().key).toBe(SECRET);
  });

  it("says in one line what is wrong, and what to do", async () => {
    const { tool } = await register("twin");
    const { tool: second } = await register("twin");
    expect(await fail(["get", "twin"])).toBe(
      `2 tools are named "twin"; use an id: ${tool.sId}, ${second.sId}\n`,
    );
    const cases: readonly (readonly [args: string[], says: string])[] = [
      [["create", "http://10.0.0.1/mcp"], "PARLEY_PRIVATE_HOSTS"],
      [["create", "nowhere"], "url: must be an https URL"],
      [["create", shop().url, "--space", "vlt_none"], 'No space named "vlt_none"'],
      [["create", shop().url, "--stake", "find"], "--stake find=never_ask"],
      [["create", shop().url, "--stake", "find=often"], "stakes.find: "],
      [["create", shop().url, "--timeout-ms", "soon"], "timeoutMs: "],
      [["create", shop().url, "--oauth-scope", "all"], "--oauth-client"],
      [["create"], "missing required argument 'url'"],
      [["create", shop().url, "--token", "x"], "--token"],
      [["update", tool.sId], "name at least one option to change"],
      [["get", "msv_none"], "parley tools list"],
      [["drop"], "unknown command 'drop'"],
    ];
    for (const [args, says] of cases) expect(await fail(args), args.join(" ")).toContain(says);
    const { userKey } = server().demo;
    expect(await fail(["list"], { PARLEY_API_KEY: userKey })).toContain("needs");
    expect(await fail(["list"], { PARLEY_API_KEY: "sk-nobody" })).toContain("parley login");
    expect(await fail(["list", "--workspace", "none"])).toContain("--workspace");
    const noParley = new URL(shop().url).origin;
    expect(await fail(["list", "--url", noParley])).toMatch(/start the server|PARLEY_URL/);
    await using refusing = await holdRefusingPort();
    const { port } = refusing;
    const gone = await fail(["list", "--url", `http://127.0.0.1:${port}`]);
    expect(gone).toContain(`ECONNREFUSED 127.0.0.1:${port}): start it`);
  });
});
