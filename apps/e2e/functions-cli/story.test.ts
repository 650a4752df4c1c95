import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, type Program, root, shareServer } from "../server.ts";
import { openCli } from "./cli.ts";

const SECRET = "open-sesame";

describe("a function with code, from a terminal", () => {
  const server = shareServer({ PARLEY_SANDBOX_PRIVATE_HOSTS: "127.0.0.1" });
  const url = (slug: string) =>
    `${server().url}/api/w/${server().demo.workspaceId}/sandbox-functions/${slug}/invocations`;
  const withoutIds = (text: string) =>
    text.replaceAll(/sf[ni]_\w+/g, "id").replaceAll(/\d{4}-\S+Z/g, "time");
  const invoke = ["invoke", "greet", "--input", '{"name": "Ada"}'];

  it("is written, pushed, invoked, read, broken and fixed", async () => {
    const cli = await openCli(server());
    expect(await cli.run(["init", "greet"])).toMatchObject({
      stdout:
        "created: greet/function.json\ncreated: greet/index.ts\ncreated: greet/context.d.ts\n" +
        "created: greet/schema.d.ts\ncreated: greet/tsconfig.json\n",
    });
    const pushed = await cli.run(["push", "greet"]);
    expect(withoutIds(pushed.stdout)).toBe(
      `created: greet (id), version 1\n  invoke: POST ${url("greet")}\n`,
    );
    expect(await cli.run(invoke)).toEqual({
      stdout: '{"greeting":"Hello, Ada!"}\n',
      stderr: "Greeting Ada\n",
    });
    const logs = await cli.run(["logs", "greet"]);
    expect(withoutIds(logs.stdout)).toBe(
      'time created id\ntime stdout Greeting Ada\ntime succeeded {"greeting":"Hello, Ada!"}\n',
    );
    expect(logs.stderr).toBe("");

    const right = await cli.read("greet/index.ts");
    await cli.write("greet/index.ts", right.replace("return {", "\treturn ["));
    expect(await cli.fail(["push", "greet"])).toBe(
      [
        "Push failed: 1 error in your code",
        'index.ts:7:21: Expected "]" but found ":"',
        "    \treturn [ greeting: `Hello, ${name}!` };",
        "    \t                 ^",
        "",
      ].join("\n"),
    );
    await cli.write("greet/index.ts", "const either: string | number = ;\n");
    expect(await cli.fail(["push", "greet"])).toBe(
      [
        "Push failed: 1 error in your code",
        'index.ts:1:33: Unexpected ";"',
        "  const either: string | number = ;",
        "                                  ^",
        "",
      ].join("\n"),
    );
    expect((await cli.run(invoke)).stdout).toContain("Hello, Ada!");
    await cli.write("greet/index.ts", right.replace("Hello", "Goodbye"));
    expect((await cli.run(["push", "greet"])).stdout).toMatch(/^updated: .*, version 2\n/);
    expect((await cli.run(invoke)).stdout).toBe('{"greeting":"Goodbye, Ada!"}\n');
  });

  it("is no new version if nothing differs, and one if any member does", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "Twice Over!", "--javascript"]);
    const place = "Twice Over!";
    const push = async () => {
      const { stdout } = await cli.run(["push", place, "--json"]);
      return JSON.parse(stdout) as {
        change: string;
        invokeUrl: string;
        sandboxFunction: { slug: string; version: number; timeoutMs: number };
      };
    };
    expect(await push()).toMatchObject({
      change: "created",
      invokeUrl: url("twice-over"),
      sandboxFunction: { slug: "twice-over", version: 1, timeoutMs: 10_000 },
    });
    // Neither is of the program.
    await cli.write(`${place}/README.md`, "A greeting");
    await cli.write(`${place}/index.test.js`, "}");
    await mkdir(path.join(cli.folder, place, "node_modules/left-pad"), { recursive: true });
    await cli.write(`${place}/node_modules/left-pad/index.js`, "}");
    expect(await push()).toMatchObject({ change: "unchanged", sandboxFunction: { version: 1 } });
    const members = [
      { description: "Greets twice" },
      // What is left out has its default again.
      { timeoutMs: undefined },
      { outputSchema: undefined },
      { allowedHosts: ["api.example.com"] },
      { memoryBytes: 8_388_608 },
      { requiresApproval: true },
    ];
    for (const [index, changed] of members.entries()) {
      await cli.configure(place, changed);
      const version = index + 2;
      expect(await push()).toMatchObject({ change: "updated", sandboxFunction: { version } });
      expect(await push()).toMatchObject({ change: "unchanged", sandboxFunction: { version } });
    }
    expect((await push()).sandboxFunction.timeoutMs).toBe(60_000);
    const shown = await cli.run(["get", "twice-over"]);
    expect(withoutIds(shown.stdout)).toMatch(
      /^twice-over \(id\): javascript, version 7, active\n {2}description: Greets twice\n/,
    );
    expect(shown.stdout).toContain("  hosts: api.example.com\n  - index.js: ");
    expect((await cli.run(["list"])).stdout).toContain(" Greets twice\n");
  });

  it("is made once by pushes at the same time", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "raced"]);
    const pushes = Array.from({ length: 4 }, async () => cli.run(["push", "raced", "--json"]));
    const changes = (await Promise.all(pushes)).map(
      ({ stdout }) => (JSON.parse(stdout) as { change: string }).change,
    );
    expect(changes.toSorted()).toEqual(["created", "unchanged", "unchanged", "unchanged"]);
    expect((await cli.run(["get", "raced"])).stdout).toContain("version 1,");
  });

  it("has several files, whose faults are located", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "parted"]);
    await mkdir(path.join(cli.folder, "parted/lib"));
    await cli.write("parted/lib/words.json", '{"hello": "Bonjour"}');
    await cli.write("parted/lib/say.ts", 'export { hello } from "./words.json";\n');
    const call = 'import { hello } from "./lib/say.ts";\nexport default () => hello;\n';
    await cli.write("parted/index.ts", call);
    await cli.configure("parted", { inputSchema: {}, outputSchema: {} });
    await cli.run(["push", "parted"]);
    expect((await cli.run(["invoke", "parted"])).stdout).toBe('"Bonjour"\n');
    await cli.write("parted/lib/say.ts", 'import x from "left-pad";\nexport const hello = x;\n');
    expect(await cli.fail(["push", "parted"])).toContain(
      [
        'lib/say.ts:1:15: "left-pad" is not a file of the program: the package left-pad is not installed',
        '  import x from "left-pad";',
        "                ^",
      ].join("\n"),
    );
  });

  it("is given a secret for its headers, which nothing shows", async () => {
    const asked: (string | undefined)[] = [];
    const shop = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(`You sent ${request.headers.authorization}`);
    }).listen(0, "127.0.0.1");
    await once(shop, "listening");
    onTestFinished(() => {
      shop.close();
      shop.closeAllConnections();
    });
    const { port } = shop.address() as AddressInfo;
    const cli = await openCli(server());
    await cli.run(["init", "shopper"]);
    await cli.configure("shopper", {
      inputSchema: {},
      outputSchema: {},
      allowedHosts: [`127.0.0.1:${port}`],
      secrets: [{ name: "SHOP_TOKEN" }],
    });
    await cli.write(
      "shopper/index.ts",
      `export default async (_input: unknown, { fetch }) => {
        const headers = { authorization: "Bearer {{secrets.SHOP_TOKEN}}" };
        return (await fetch("http://127.0.0.1:${port}/", { headers })).text();
      };`,
    );
    const missing = "SHOP_TOKEN is not set: run parley functions secret put SHOP_TOKEN\n";
    expect((await cli.run(["push", "shopper"])).stderr).toBe(missing);
    expect(await cli.fail(["invoke", "shopper"])).toMatch(/^secret_refused: .*SHOP_TOKEN/);
    const put = await cli.run(["secret", "put", "SHOP_TOKEN"], { input: `${SECRET}\n` });
    expect(put).toEqual({ stdout: "set: SHOP_TOKEN\n", stderr: "" });
    const { stdout } = await cli.run(["secret", "list"]);
    expect(withoutIds(stdout)).toBe("SHOP_TOKEN: set time\n");
    expect((await cli.run(["push", "shopper"])).stderr).toBe("");
    const told = await cli.run(["invoke", "shopper"]);
    expect(asked).toEqual([`Bearer ${SECRET}`]);
    expect(told.stdout).toMatch(/^"You sent /);
    const shown = await cli.run(["get", "shopper", "--json"]);
    expect(told.stdout + told.stderr + shown.stdout).not.toContain(SECRET);
    expect(await cli.run(["secret", "remove", "SHOP_TOKEN", "--yes", "--json"])).toMatchObject({
      stdout: '{"success":true}\n',
    });
    expect(await cli.fail(["secret", "remove", "SHOP_TOKEN", "--yes"])).toContain(
      "functions secret list",
    );
    expect(server().output.stderr).not.toContain(SECRET);
  });

  it("is cancelled once by Ctrl-C, and followed to its end", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "waiting"]);
    await cli.configure("waiting", { inputSchema: {}, outputSchema: {} });
    await cli.write(
      "waiting/index.ts",
      `export default (_input: unknown, { log, progress }) => {
        log("warn", "begun\\u001b[2J");
        progress(0.5, "half");
        return new Promise((resolve) => setTimeout(resolve, 9000));
      };`,
    );
    await cli.run(["push", "waiting"]);
    const printed = async (program: Program, what: string) =>
      eventually(async () => {
        const { stdout, stderr } = program.output;
        return (stdout + stderr).includes(what) ? { value: true } : {};
      }, 10_000);
    const invoked = cli.start(["invoke", "waiting", "--json"]);
    await printed(invoked, "progress 0.5/1 half\n");
    const sofar = await cli.run(["logs", "waiting"]);
    expect(withoutIds(sofar.stdout)).toBe(
      "time created id\ntime stderr begun[2J\ntime progress 0.5/1 half\n",
    );
    expect(sofar.stderr).toBe("Still running; --follow prints the rest too\n");
    const followed = cli.start(["logs", "waiting", "--follow"]);
    await printed(followed, "half");
    invoked.signal("SIGINT");
    expect(await invoked.exited).toBe(1);
    expect(JSON.parse(invoked.output.stdout)).toMatchObject({
      invocation: { status: "errored" },
      outcome: { error: { code: "cancelled" } },
    });
    expect(invoked.output.stderr).toBe(
      "begun[2J\nprogress 0.5/1 half\nparley: cancelled: The invocation was cancelled\n",
    );
    expect(await followed.exited).toBe(0);
    expect(followed.output.stdout).toContain("errored cancelled: The invocation was cancelled\n");

    const { stdout } = await cli.run(["invoke", "waiting", "--no-wait"]);
    expect(stdout).toMatch(/^sfi_\w+\n$/);
    const other = cli.start(["logs", "waiting", stdout.trim(), "--json"]);
    expect(await other.exited).toBe(0);
    expect(other.output.stdout).toContain(`"sId":"${stdout.trim()}"`);
  });

  it("is written so that a compiler finds nothing wrong in it", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "typed"]);
    await cli.run(["init", "scripted", "--javascript"]);
    const options = ["--strict", "--noEmit", "--allowJs", "--checkJs", "--target", "es2023"];
    const files = ["typed/index.ts", "scripted/index.js"];
    const tsc = path.join(root, "node_modules/.bin/tsc");
    const modules = ["--module", "preserve", "--types", "", "--allowImportingTsExtensions"];
    const checked = promisify(execFile)(tsc, [...options, ...modules, ...files], {
      cwd: cli.folder,
    });
    await expect(checked).resolves.toMatchObject({ stdout: "" });
  });
});
