import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { openUser, settingsOf } from "./user.ts";

describe("nouns on the command line", () => {
  const server = shareServer({ PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") });
  const open = async (key?: "operatorKey" | "userKey") => {
    const { start, run, file } = await openUser();
    const settings = {
      ...settingsOf(server()),
      ...(key !== undefined && { PARLEY_API_KEY: server().demo[key] }),
    };
    const succeed = async (args: readonly string[], input?: string) => {
      const { code, stdout, stderr } = await run(args, input, settings);
      expect([code, args], stderr).toEqual([0, args]);
      return stdout;
    };
    const fail = async (args: readonly string[], input?: string) => {
      const { code, stdout, stderr } = await run(args, input, settings);
      expect([code === 0, stdout, args]).toEqual([false, "", args]);
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return { code, said: stderr };
    };
    const read = async (args: readonly string[]) =>
      JSON.parse(await succeed([...args, "--json"])) as Record<string, unknown>;
    const folder = path.dirname(path.dirname(file));
    return {
      start: (args: readonly string[]) => start(args, "", settings),
      run,
      succeed,
      fail,
      read,
      folder,
    };
  };

  it.for([
    {
      many: "spaces",
      create: ["Support", "--is-restricted"],
      made: /^created: space Support \(vlt_\w+\)\n$/,
      shows: "  isRestricted: true\n",
      update: ["--no-is-restricted"],
      later: "  isRestricted: false\n",
      removed: /^removed: space Support \(/,
    },
    {
      many: "agents",
      create: ["Clerk", "--description", "Orders", "--model", "simulated/simulated-1"],
      made: /^created: agent Clerk \(\w+\)\n$/,
      shows: "  maxStepsPerRun: 8\n",
      update: ["--max-steps-per-run", "3"],
      later: "  maxStepsPerRun: 3\n",
      removed: /^archived: agent Clerk \(/,
    },
    {
      many: "skills",
      create: ["Packing", "--agent-facing-description", "How to pack"],
      made: /^created: skill Packing \(skl_\w+\)\n$/,
      shows: "  icon: null\n",
      update: ["--icon", "Box"],
      later: "  icon: Box\n",
      removed: /^archived: skill Packing \(/,
    },
    {
      many: "functions",
      create: ["twice", "--timeout-ms", "500"],
      made: /^created: function twice \(sfn_\w+\)\n$/,
      shows: "timeout: 500 ms",
      update: ["--timeout-ms", "700"],
      later: "timeout: 700 ms",
      removed: /^archived: function twice \(/,
    },
  ])("$many are created, shown, changed, removed", async (noun) => {
    const { succeed, fail } = await open();
    const [name = ""] = noun.create;
    expect(await succeed([noun.many, "create", ...noun.create])).toMatch(noun.made);
    expect(await succeed([noun.many, "list"])).toMatch(new RegExp(`^\\S+ +${name} `, "m"));
    expect(await succeed([noun.many, "get", name])).toContain(noun.shows);
    expect(await succeed([noun.many, "update", name, ...noun.update])).toMatch(/^updated: /);
    expect(await succeed([noun.many, "get", name])).toContain(noun.later);
    const nothing = await fail([noun.many, "update", name]);
    expect(nothing).toEqual({
      code: 2,
      said: `parley: name at least one option to change; see parley ${noun.many} update --help\n`,
    });
    // There is no terminal to ask, so nothing is removed.
    const unasked = await fail([noun.many, "remove", name]);
    expect(unasked.said).toMatch(/^parley: This would (?:permanently )?\w+ the .* Add --yes/);
    expect(await succeed([noun.many, "list"])).toContain(name);
    expect(await succeed([noun.many, "remove", name, "--yes"])).toMatch(noun.removed);
    expect(await succeed([noun.many, "list"])).not.toMatch(new RegExp(`^\\S+ +${name} `, "m"));
    const one = noun.many.slice(0, -1);
    expect((await fail([noun.many, "get", "nobody"])).said).toMatch(
      new RegExp(`No ${one} named "nobody".*see parley ${noun.many} list|not found|no such`),
    );
  });

  it("archived things are restored", async () => {
    const { succeed } = await open();
    const model = ["--description", "", "--model", "simulated/simulated-1"];
    await succeed(["agents", "create", "Phoenix", ...model]);
    await succeed(["agents", "remove", "Phoenix", "--yes"]);
    expect(await succeed(["agents", "list", "--status", "archived"])).toContain("Phoenix");
    expect(await succeed(["agents", "restore", "Phoenix"])).toMatch(/^restored: agent Phoenix/);
    await succeed(["functions", "create", "phoenix"]);
    await succeed(["functions", "remove", "phoenix", "--yes"]);
    await succeed(["functions", "restore", "phoenix"]);
    await succeed(["skills", "create", "Rising", "--agent-facing-description", "x"]);
    await succeed(["skills", "publish", "Rising", "--availability", "workspace_users"]);
    await succeed(["skills", "remove", "Rising", "--yes"]);
    await succeed(["skills", "restore", "Rising"]);
    expect(await succeed(["skills", "get", "Rising"])).toContain("availability: workspace_users\n");
  });

  it("definitions come from files, which options change", async () => {
    const { succeed, fail, read, folder } = await open();
    await writeFile(path.join(folder, "agent.yaml"), "name: Filed\ndescription: From a file\n");
    await writeFile(path.join(folder, "long.md"), "# Be brief\n");
    const args = ["agents", "create", "--file", "agent.yaml", "--instructions", "@long.md"];
    const model = '{"providerId": "simulated", "modelId": "simulated-1", "temperature": 0.1}';
    await succeed([...args, "--model", model, "--skill-id", ""]);
    expect(await read(["agents", "get", "Filed"])).toMatchObject({
      agentConfiguration: {
        description: "From a file",
        instructions: "# Be brief\n",
        model: { temperature: 0.1 },
      },
      skillIds: [],
    });
    await succeed(["agents", "update", "Filed", "--file", "-"], '{"name": "Refiled"}');
    expect((await fail(["agents", "create", "--file", "-"], "- a list")).said).toContain(
      "has no fields",
    );
    expect((await fail(["agents", "create", "--file", "-"], "a: [")).said).toContain(
      "neither JSON",
    );
    const missing = await fail(["agents", "create"]);
    expect(missing.said).toContain("name: is required; description: is required");
    const unknown = await fail(
      ["agents", "update", "Refiled", "--file", "-"],
      '{"decription": "x"}',
    );
    expect(unknown.said).toMatch(
      /decription: unknown field: did you mean description\? \[request /,
    );
  });

  it("keys print their secret once, alone on standard output", async () => {
    const { succeed, run, read, fail } = await open();
    const made = await run(["keys", "create", "ci", "--role", "user"], "", settingsOf(server()));
    expect(made.stdout).toMatch(/^sk-\w+\n$/);
    expect(made.stderr).toMatch(/^created: key ci \(key_\w+\); its secret is shown only once\n$/);
    const { apiKey } = await read(["keys", "get", "ci"]);
    expect(apiKey).toMatchObject({ name: "ci", role: "user" });
    const rotated = await succeed(["keys", "rotate", "ci", "--overlap-seconds", "60", "--yes"]);
    expect(rotated).toMatch(/^sk-\w+\n$/);
    await succeed(["keys", "update", "ci", "--disabled", "--expires-at", "2040-01-01"]);
    const listed = await succeed(["keys", "list"]);
    expect(listed).toMatch(/ ci +user +0 +2040-01-01 00:00 +disabled$/m);
    expect(listed).not.toContain("sk-");
    expect((await fail(["keys", "update", "ci", "--expires-at", "soon"])).code).toBe(2);
    await succeed(["keys", "remove", "ci", "--yes"]);
    expect((await read(["keys", "list"]))["apiKeys"]).not.toContainEqual(
      expect.objectContaining({ name: "ci" }),
    );
  });

  it("credentials are read from standard input, and shown to nobody", async () => {
    const { succeed, fail } = await open();
    expect((await fail(["credentials", "update", "openai"], "sk-x\n")).said).toContain(
      "set one with parley credentials create openai",
    );
    const created = await succeed(["credentials", "create", "openai"], "sk-geheim\n");
    expect(created).toBe("created: credential openai\n");
    expect((await fail(["credentials", "create", "openai"], "sk-x\n")).said).toContain(
      "parley credentials update openai replaces it",
    );
    await succeed(["credentials", "update", "openai"], "sk-geheimer\n");
    const shown =
      (await succeed(["credentials", "list"])) + (await succeed(["credentials", "get", "openai"]));
    expect(shown).toContain("openai");
    expect(shown + server().output.stderr).not.toContain("geheim");
    await succeed(["credentials", "remove", "openai", "--yes"]);
  });

  it("conversations are named by their ids", async () => {
    const { succeed, run, fail, read } = await open();
    const { conversationId: id = "" } = (await read(["ask", "Hello", "--agent", "helper"])) as {
      conversationId?: string;
    };
    expect(await succeed(["conversations", "list"])).toMatch(new RegExp(`^${id} .* Hello$`, "m"));
    await succeed(["conversations", "update", id, "--title", "Greetings"]);
    const get = ["conversations", "get", id];
    const newest = await run([...get, "--limit", "1"], "", settingsOf(server()));
    expect(newest.stdout).toMatch(/^Greetings .*\n\nhelper {2}.* {2}\w+\n {2}You said/);
    const [, before = ""] = /; --before (\S+) shows them\n$/.exec(newest.stderr) ?? [];
    const earlier = await succeed([...get, "--before", before]);
    expect(earlier).toMatch(/^Greetings .*\n\ndemo admin {2}[^\n]+\n {2}Hello\n$/);
    await succeed(["conversations", "remove", id, "--yes"]);
    expect((await fail(["conversations", "get", id])).said).toContain("parley conversations list");
  });

  it("summaries are listed of a conversation, and named by their numbers", async () => {
    const { succeed, fail, read } = await open();
    const { conversationId: id = "" } = (await read(["ask", "Hello", "--agent", "helper"])) as {
      conversationId?: string;
    };
    const summaries = ["conversations", "summaries"];
    for (const list of [summaries, [...summaries, "list"]]) {
      expect(await succeed([...list, id])).toBe("");
      expect(await read([...list, id])).toEqual({ summaries: [], hasMore: false });
    }
    expect((await fail([...summaries, "get", id, "7"])).said).toBe(
      `parley: The conversation has no summary 7; see parley conversations summaries ${id}\n`,
    );
    expect((await fail([...summaries, "undo", id, "7"])).said).toContain("has no such summary");
    for (const number of ["0", "x", "1.5"]) {
      const { code, said } = await fail([...summaries, "redo", id, number]);
      expect([code, said]).toEqual([2, expect.stringContaining("whole number of at least 1")]);
    }
    expect((await fail([...summaries, "gone"])).said).toContain("parley conversations list");
  });

  it("members and files", async () => {
    const { succeed, run, folder } = await open();
    await succeed(["members", "create", "ada@example.com", "--first-name", "Ada"]);
    expect(await succeed(["members", "list"])).toContain("ada@example.com  Ada   ada");
    expect(await succeed(["members", "get", "ada@example.com"])).toContain("  firstName: Ada\n");
    await succeed(["members", "remove", "ada@example.com", "--yes"]);
    await writeFile(path.join(folder, "hours.txt"), "9 to 5\n");
    expect(await succeed(["files", "create", "hours.txt"])).toMatch(/^created: file hours.txt/);
    expect(await succeed(["files", "list"])).toMatch(/ hours\.txt +text\/plain +7 +ready /);
    expect(await succeed(["files", "get", "hours.txt"])).toBe("9 to 5\n");
    const again = ["files", "get", "hours.txt", "--output", "hours.txt"];
    const { code, stderr } = await run(again, "", settingsOf(server()));
    expect([code, stderr]).toEqual([1, "parley: hours.txt: file already exists (EEXIST)\n"]);
    await succeed(["files", "get", "hours.txt", "--output", "copy.txt"]);
    await succeed(["files", "remove", "hours.txt", "--yes"]);
    expect(await succeed(["files", "list"])).toBe("");
  });

  it("operators administer workspaces and their own keys", async () => {
    const { succeed, run, fail, read } = await open("operatorKey");
    const settings = { ...settingsOf(server()), PARLEY_API_KEY: server().demo.operatorKey };
    const made = await run(["workspaces", "create", "Shop"], "", settings);
    expect(made.stdout).toMatch(/^sk-\w+\n$/);
    await succeed(["workspaces", "update", "Shop", "--region", "eu"]);
    expect(await succeed(["workspaces", "get", "Shop"])).toContain("region: eu\n");
    expect(await read(["workspaces", "usage", "Shop"])).toMatchObject({ conversations: 0 });
    await succeed(["workspaces", "suspend", "Shop", "--yes"]);
    expect(await succeed(["workspaces", "list"])).toMatch(/ Shop +\d{4}-.* +\d{4}-/);
    await succeed(["workspaces", "resume", "Shop"]);
    await succeed(["workspaces", "remove", "Shop", "--yes"]);
    expect(await succeed(["operator-keys", "create", "Ada"])).toMatch(/^sk-\w+\n$/);
    await succeed(["operator-keys", "rotate", "Ada", "--yes"]);
    await succeed(["operator-keys", "remove", "Ada", "--yes"]);
    const { auditEvents, hasMore } = await read(["audit", "list", "--limit", "2"]);
    expect([(auditEvents as unknown[]).length, hasMore]).toEqual([2, true]);
    const chosen = ["audit", "list", "--action", "workspaces.suspend", "--since", "2026-01-01"];
    expect(await succeed(chosen)).toMatch(/ workspaces\.suspend +succeeded +operator /);
    expect((await fail(["audit", "list", "--since", "yesterday"])).code).toBe(2);
  });

  it("lists are watched: what is new is a line", async () => {
    const { start, succeed } = await open();
    const program = start(["spaces", "list", "--watch", "--json"]);
    const printed = async (text: string) =>
      eventually(async () => (program.output.stdout.includes(text) ? { value: true } : {}), 30_000);
    await printed("global");
    await succeed(["spaces", "create", "Watched"]);
    await printed('"name":"Watched"');
    program.signal("SIGINT");
    await program.exited;
    const names = program.output.stdout.trimEnd().split("\n");
    const seen = names.map((line) => (JSON.parse(line) as { name: string }).name);
    expect(seen.filter((name) => name === "Watched")).toHaveLength(1);
  });

  it("users see what is theirs, and are told what needs another key", async () => {
    const { succeed, fail } = await open("userKey");
    expect(await succeed(["agents", "list"])).toContain("helper");
    expect(await succeed(["agents", "get", "helper"])).toContain("name: helper\n");
    expect(await succeed(["functions", "list"])).toContain("add");
    for (const args of [
      ["keys", "list"],
      ["audit", "list"],
      ["usage"],
      ["workspaces", "get", "Demo"],
      ["tools", "list"],
    ]) {
      const { said } = await fail(args);
      expect(said, args.join(" ")).toMatch(/\(choose another key with .*\[request [\w-]+\]\n$/);
    }
  });
});
