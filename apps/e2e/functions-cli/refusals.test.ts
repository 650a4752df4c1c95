import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { holdRefusingPort } from "@parley/mcp/testing";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { type FunctionsCli, openCli } from "./cli.ts";

/** A command for each, after `init hello`. */
const calls: readonly (readonly string[])[] = [
  ["push", "hello"],
  ["invoke", "add"],
  ["logs", "add"],
  ["list"],
  ["get", "add"],
  ["secret", "put", "TOKEN"],
  ["secret", "list"],
  ["secret", "remove", "TOKEN", "--yes"],
];

describe("functions from a terminal say in one line what is wrong, and what to do", () => {
  const server = shareServer();
  const oneLine = async (cli: FunctionsCli, ...[args, given]: Parameters<FunctionsCli["fail"]>) => {
    const said = await cli.fail(args, given);
    expect(said).toMatch(/^[^\n]+\n$/);
    return said;
  };

  it("without a server", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "hello"], { settings: { PARLEY_URL: "" } });
    await using refusing = await holdRefusingPort();
    const { port } = refusing;
    for (const call of calls) {
      const settings = { PARLEY_URL: `http://127.0.0.1:${port}` };
      const said = await oneLine(cli, call, { settings, input: "a-secret\n" });
      expect(said, call.join(" ")).toContain(`ECONNREFUSED 127.0.0.1:${port}): start it`);
    }
    const unset = await oneLine(cli, ["list"], { settings: { PARLEY_URL: "" } });
    expect(unset).toContain("PARLEY_API_KEY is set, but PARLEY_URL is not");
  });

  it("with a key of nobody, of a user, or of another workspace", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "hello"]);
    const { userKey } = server().demo;
    for (const call of calls) {
      const nobody = { settings: { PARLEY_API_KEY: "sk-nobody" }, input: "a-secret\n" };
      expect(await oneLine(cli, call, nobody), call.join(" ")).toContain("PARLEY_API_KEY");
      // Users invoke functions and see how that went.
      const asUser = { settings: { PARLEY_API_KEY: userKey }, input: "a-secret\n" };
      if (["invoke", "logs", "list"].includes(call[0] ?? "")) continue;
      expect(await oneLine(cli, call, asUser), call.join(" ")).toContain(
        "This needs a key of role builder",
      );
    }
    for (const call of [
      ["push", "hello"],
      ["invoke", "add"],
    ]) {
      expect(await oneLine(cli, [...call, "--workspace", "none"])).toContain("--workspace");
    }
    const asUser = { settings: { PARLEY_API_KEY: userKey } };
    const invoked = await cli.run(["invoke", "add", "--input", "-"], {
      ...asUser,
      input: '{"a": 1, "b": 2}',
    });
    expect(invoked.stdout).toBe('{"sum":3}\n');
    expect((await cli.run(["logs", "add"], asUser)).stdout).toContain('succeeded {"sum":3}\n');
  });

  it("in a folder that holds no function", async () => {
    const cli = await openCli(server());
    await cli.run(["init", "hello"]);
    const push = async () => oneLine(cli, ["push", "hello"]);
    expect(await oneLine(cli, ["init", "hello"])).toBe(
      "hello: already has context.d.ts; choose a new or empty folder\n",
    );
    expect(await oneLine(cli, ["push", "nowhere"])).toContain("ENOENT");
    expect(await oneLine(cli, ["push", "hello/index.ts"])).toContain("is not a folder");
    await mkdir(path.join(cli.folder, "empty"));
    expect(await oneLine(cli, ["push", "empty"])).toContain("parley functions init");

    const right = await cli.read("hello/function.json");
    const files: readonly (readonly [text: string, says: string])[] = [
      ['{"slug": "hello",}', "function.json: Expected double-quoted property name"],
      ["{}", "function.json: slug: "],
      ['{"slug": "Hello"}', "function.json: slug: must be lowercase letters"],
      [
        '{"slug": "hello", "timeout": 1}',
        "function.json: timeout: unknown field: did you mean timeoutMs?",
      ],
      ['{"slug": "hello", "timeoutMs": 1}', "function.json: timeoutMs: "],
      ['{"slug": "hello", "cpuMs": "1 s"}', "function.json: cpuMs: "],
      ['{"slug": "hello", "secrets": [{"name": "1"}]}', "function.json: secrets[0].name: "],
      ['{"slug": "hello", "allowedHosts": ["https://a.b"]}', "function.json: allowedHosts[0]: "],
      ['{"slug": "hello", "inputSchema": {"type": "thing"}}', "inputSchema"],
    ];
    for (const [text, says] of files) {
      await cli.write("hello/function.json", text);
      expect(await push(), text).toContain(says);
    }
    await cli.write("hello/function.json", right);
    await cli.write("hello/my notes.ts", "");
    expect(await push()).toMatch(/^hello: my notes\.ts: must be a relative path/);
  });

  it("if the source is not text, too much, or elsewhere", async () => {
    const cli = await openCli(server());
    const make = async (name: string, file: string, content: string | Buffer) => {
      await cli.run(["init", name]);
      await cli.write(`${name}/${file}`, content as string);
      return oneLine(cli, ["push", name]);
    };
    expect(await make("bytes", "logo.png", Buffer.from([0x89, 0x50, 0xff]))).toContain("UTF-8");
    expect(await make("long", "long.ts", "x".repeat(1_048_577))).toContain("1048576");
    expect(await make("longer", "longer.ts", "x".repeat(2_097_153))).toContain("bytes in total");
    await cli.run(["init", "many"]);
    const names = Array.from({ length: 200 }, (_, index) => `many/file-${index}.ts`);
    await Promise.all(names.map(async (name) => cli.write(name, "")));
    expect(await oneLine(cli, ["push", "many"])).toContain("more than 200 source files");
    await cli.run(["init", "linked"]);
    await symlink("/etc/hosts", path.join(cli.folder, "linked/hosts.txt"));
    expect(await oneLine(cli, ["push", "linked"])).toContain("hosts.txt: symbolic links");
    const { stdout } = await cli.run(["list"]);
    expect(stdout).not.toMatch(/ (?:bytes|long|longer|many|linked) /);
  });

  it("if the words are others", async () => {
    const cli = await openCli(server());
    const cases: readonly (readonly [args: string[], says: string])[] = [
      [["drop"], "unknown command 'drop'"],
      [["secret", "show"], "unknown command 'show'"],
      [["init"], "missing required argument 'folder'"],
      [["push", "a", "b"], "too many arguments"],
      [["invoke"], "missing required argument 'function'"],
      [["invoke", "add", "--input", "{"], "--input must be JSON"],
      [["invoke", "add", "--inputs", "1"], "--inputs"],
      [["invoke", "missing"], "parley functions list"],
      [["invoke", "add", "--input", '{"a": "1"}'], "threw: "],
      [["logs", "missing"], "parley functions list"],
      [["logs", "word-count"], "word-count has no invocation"],
      [["logs", "add", "sfi_none"], "parley functions logs"],
      [["secret", "put", "1st"], "name: must be letters"],
    ];
    for (const [args, says] of cases) {
      expect(await oneLine(cli, args), args.join(" ")).toContain(says);
    }
    const put = ["secret", "put", "TOKEN"];
    const said = await oneLine(cli, put, { input: "a\nb\n" });
    expect(said).toBe(
      "Pipe one line to standard input, or run this in a terminal: the value of TOKEN\n",
    );
    expect(await oneLine(cli, put, { input: "geheim-ä\n" })).toBe(
      "value: must be printable ASCII\n",
    );
  });
});
