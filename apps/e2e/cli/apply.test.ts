import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { openWorkspace, writeFiles } from "./workspace-folder.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

const source = {
  "index.ts":
    'import { sum } from "./lib/sum.ts";\n\nexport default ({ a, b }) => ({ sum: sum(a, b) });\n',
  "lib/sum.ts": "export const sum = (a: number, b: number): number => a + b;\n",
};

const clerk = `name: Clerk
description: Answers about orders
model: { providerId: simulated, modelId: simulated-1, temperature: 0.2 }
maxStepsPerRun: 4
asksUser: true
skills: [refunds]
functions: [add-up]
tools: [orders]
script:
  steps:
    - text: "You said: {{message}}"
`;

const folderOf = (shopUrl: string): Record<string, string | Uint8Array> => ({
  "parley.yaml":
    "workspace:\n  region: eu\n  models:\n    - providerId: simulated\n      modelId: simulated-1\n",
  "tools/orders.yaml": `url: ${shopUrl}\nheaders:\n  X-Shop-Key: "{{secrets.SHOP_KEY}}"\nstakes: { find: never_ask }\nretryableTools: [find]\ntimeoutMs: 5000\n`,
  "skills/refunds/SKILL.md":
    "---\nname: refunds\ndescription: How to refund an order\n---\n\n# Refunds\n\nAsk why.\n",
  "skills/refunds/references/limits.md": "At most 50.\n",
  "skills/refunds/picture.bin": new Uint8Array([0, 1, 255, 13, 10]),
  "skills/refunds.yaml": "availability: workspace_users\ntools: [orders]\nicon: BookIcon\n",
  "functions/add-up/function.json": JSON.stringify({
    slug: "add-up",
    description: "Adds",
    secrets: [{ name: "API_TOKEN" }],
  }),
  "functions/add-up/index.ts": source["index.ts"],
  "functions/add-up/lib/sum.ts": source["lib/sum.ts"],
  "functions/add-up/sum.test.ts": "not pushed\n",
  "functions/echo/function.json": JSON.stringify({
    slug: "echo",
    program: { type: "simulated", behaviour: { result: "$" } },
  }),
  "agents/clerk.yaml": clerk,
  "agents/clerk.md": "Be brief.\n\n- and kind\n",
  "agents/Helper.yaml": "model:\n  providerId: simulated\n  modelId: simulated-1\n",
  "README.md": "# Ours\n",
});

describe("parley apply and parley pull", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

  const openFolder = async (files: Record<string, string | Uint8Array> = {}) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-folder-"));
    onTestFinished(async () => rm(folder, { recursive: true }));
    await writeFiles(folder, files);
    return folder;
  };

  it("makes a workspace what its folder declares, and a second time nothing", async () => {
    const workspace = await openWorkspace(server(), "Shop");
    const folder = await openFolder(folderOf(shop().url));
    const secrets = "# of the shop\nSHOP_KEY=open-sesame=\n";
    const all = ["apply", folder, "--secrets", "-", "--yes"];
    const planned = await workspace.succeed(["apply", folder, "--dry-run"]);
    expect(planned.split("\n")).toEqual([
      "~ workspace Shop: region, models",
      "    -us",
      "    +eu",
      expect.stringContaining('-[{"providerId":"noop"'),
      expect.stringContaining("+[{"),
      "+ tool orders (needs SHOP_KEY)",
      "+ skill refunds",
      "+ function add-up",
      "+ function echo",
      "+ agent Helper",
      "+ agent Clerk",
      "6 to create, 1 to change, 0 to remove, 0 unchanged",
      "",
    ]);
    const before = await workspace.countMutations();
    expect(await workspace.fail(["apply", folder])).toContain("Add --yes");
    expect(await workspace.fail(["apply", folder, "--yes"])).toContain(
      "SHOP_KEY must have a value",
    );
    expect(await workspace.fail(["apply", folder, "--check"])).toContain("is not what");
    expect(await workspace.countMutations()).toBe(before);

    const { code, stdout, stderr } = await workspace.run(all, secrets);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/Done: 7 changed\n$/)]);
    expect(stderr).toContain("API_TOKEN is not set: parley functions secret put API_TOKEN");
    expect(shop().key).toBe("open-sesame=");
    const { wId, rpc } = workspace;
    const agents = await rpc.agents.listAll.query({ wId });
    const [found] = agents.agentConfigurations.filter(({ name }) => name === "Clerk");
    const shown = await rpc.agents.getDefinition.query({ wId, agentId: found?.sId ?? "" });
    expect(shown).toMatchObject({
      agentConfiguration: {
        instructions: "Be brief.\n\n- and kind",
        maxStepsPerRun: 4,
        version: 0,
      },
      asksUser: true,
      script: { steps: [{ text: "You said: {{message}}" }] },
      skillIds: [expect.any(String)],
      functionIds: [expect.any(String)],
      toolIds: [expect.any(String)],
    });
    const skill = await rpc.skills.get.query({ wId, skillId: shown.skillIds[0] ?? "" });
    expect(skill.skill).toMatchObject({
      status: "active",
      availability: "workspace_users",
      icon: "BookIcon",
      fileAttachments: [{ fileName: "picture.bin" }, { fileName: "references/limits.md" }],
      tools: [{ name: "orders" }],
    });
    const call = ["functions", "invoke", "add-up", "--input", '{"a":1,"b":2}'];
    expect(JSON.parse(await workspace.succeed(call))).toEqual({ sum: 3 });

    const made = await workspace.countMutations();
    const again = await workspace.run(all, secrets);
    expect([again.code, again.stdout]).toEqual([
      0,
      "0 to create, 0 to change, 0 to remove, 7 unchanged\nNothing to change\n",
    ]);
    expect(JSON.parse(await workspace.succeed([...all, "--json"], secrets))).toMatchObject({
      workspaceId: wId,
      changes: 0,
      isApplied: false,
      unsetFunctionSecrets: ["API_TOKEN"],
    });
    await workspace.succeed(["apply", folder, "--check"]);
    expect(await workspace.countMutations()).toBe(made);
    expect(await rpc.agents.getDefinition.query({ wId, agentId: found?.sId ?? "" })).toEqual(shown);
    expect(await rpc.skills.get.query({ wId, skillId: skill.skill.sId })).toEqual(skill);
  });

  it("changes what differs and nothing else, and says how", async () => {
    const workspace = await openWorkspace(server(), "Changes");
    const { wId, rpc } = workspace;
    const folder = await openFolder(folderOf(shop().url));
    await workspace.succeed(["apply", folder, "--secrets", "-", "--yes"], "SHOP_KEY=one\n");
    const before = await readVersions(workspace);
    await writeFiles(folder, {
      "agents/clerk.md": "Be brief.\n\n- and patient\n",
      "agents/clerk.yaml": clerk.replace(/^script:[^]*/m, ""),
      "skills/refunds/references/limits.md": "At most 60.\n",
      "skills/refunds.yaml": "tools: []\n",
      "functions/add-up/lib/sum.ts": `${source["lib/sum.ts"]}// Sums\n`,
      "tools/orders.yaml": `url: ${shop().url}\nheaders:\n  X-Shop-Key: "{{secrets.SHOP_KEY}}"\n`,
    });
    const { stdout } = await workspace.run(["apply", folder, "--yes"]);
    expect(stdout.split("\n").filter((line) => /^\S|^ {4}[-+~]/.test(line))).toEqual([
      "~ tool orders: stakes, retryableTools, timeoutMs",
      '    -{"find":"never_ask"}',
      "    +{}",
      '    -["find"]',
      "    +[]",
      "    -5000",
      "    +60000",
      "~ skill refunds: icon, availability, tools, files",
      "    -BookIcon",
      "    +",
      "    -workspace_users",
      "    +editors",
      '    -["orders"]',
      "    +[]",
      "    ~ references/limits.md",
      "~ function add-up: files",
      "    ~ lib/sum.ts",
      "~ agent Clerk: instructions, script",
      "    -- and kind",
      "    +- and patient",
      expect.stringContaining('-{"steps"'),
      "    +null",
      "0 to create, 4 to change, 0 to remove, 3 unchanged",
      "Done: 4 changed",
    ]);
    const after = await readVersions(workspace);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.toSorted()).toEqual(["Clerk", "add-up", "orders", "refunds"]);
    await workspace.succeed(["apply", folder, "--check"]);
    // The secret was not asked for, and is sent again where that is asked for.
    await workspace.succeed(["apply", folder, "--yes", "--secrets", "-"], "SHOP_KEY=two\n");
    await workspace.succeed(
      ["apply", folder, "--yes", "--secrets", "-", "--renew-secrets"],
      "SHOP_KEY=two\n",
    );
    const tools = await rpc.tools.list.query({ wId });
    await rpc.tools.refresh.mutate({ wId, toolId: tools.tools[0]?.tool.sId ?? "" });
    expect(shop().key).toBe("two");
  });

  it("names all faults of all files, and does nothing", async () => {
    const workspace = await openWorkspace(server(), "Faults");
    const folder = await openFolder({
      "parley.yaml": "workspace:\n  regions: eu\n",
      "agents/a.yaml":
        "name: Same\nmodel: { providerId: simulated, modelId: simulated-1 }\nmaxSteps: 3\n",
      "agents/b.yaml": "description: x\nmodel:\n  providerId: simulated\n  modelId: 7\n",
      "agents/c.yaml": "name: 'Same\n",
      "agents/d.md": "of no agent\n",
      "tools/t.yaml": "url: https://shop.test/mcp\nheaders: { Authorization: Bearer abc }\n",
      "tools/u.yaml": "description: neither\n",
      "skills/one/SKILL.md": "---\nname: two\ndescription: x\n---\n",
      "skills/three.yaml": "icon: x\n",
      "functions/f/function.json": '{"slug": "f", "timeOut": 3}',
    });
    const said = await workspace.fail(["apply", folder, "--yes"]);
    for (const line of [
      "parley.yaml:2: workspace.regions: there is no such member: did you mean region?",
      "agents/a.yaml:3: maxSteps: there is no such member",
      "agents/b.yaml:4: model.modelId: ",
      "agents/c.yaml:2: Missing closing",
      "agents/d.md: is of no agent",
      "tools/t.yaml:2: headers.Authorization: must name a secret",
      "tools/u.yaml: must have one of url",
      "skills/one/SKILL.md: front matter: name: must be its folder's name",
      "skills/three.yaml: is beside no folder",
      "functions/f: function.json: timeOut: there is no such member: did you mean timeoutMs?",
    ]) {
      expect(said).toContain(`\n  ${line}`);
    }
    expect(said).not.toContain("abc");
    const unknown = await openFolder({
      "parley.yaml": "",
      "agents/a.yaml":
        "model: { providerId: simulated, modelId: simulated-1 }\nskills: [none]\ntools: [gone]\n",
    });
    const refused = await workspace.fail(["apply", unknown, "--yes"]);
    expect(refused).toContain(
      "agents/a.yaml: skills: neither the folder nor the workspace has the skill none",
    );
    expect(refused).toContain(
      "agents/a.yaml: tools: neither the folder nor the workspace has the tool gone",
    );
    expect(await workspace.fail(["apply", await openFolder(), "--yes"])).toContain(
      "has no parley.yaml",
    );
    expect(await workspace.countMutations()).toBe(1);
  });

  it("removes what the folder lacks only where that is asked for, and restores it", async () => {
    const workspace = await openWorkspace(server(), "Pruned");
    const { wId, rpc } = workspace;
    const files = folderOf(shop().url);
    const folder = await openFolder(files);
    await workspace.succeed(["apply", folder, "--secrets", "-", "--yes"], "SHOP_KEY=one\n");
    const less = await openFolder({
      "parley.yaml": "",
      "agents/Helper.yaml": files["agents/Helper.yaml"] ?? "",
    });
    const kept = await workspace.succeed(["apply", less, "--yes"]);
    expect(kept).toContain("? agent Clerk: is not in the folder");
    expect(await workspace.fail(["apply", less, "--prune"])).toContain("Add --yes");
    const pruned = await workspace.succeed(["apply", less, "--prune", "--yes"]);
    expect(pruned).toContain("5 to remove, 1 unchanged");
    expect((await rpc.tools.list.query({ wId })).tools).toEqual([]);
    await workspace.succeed(["apply", less, "--prune", "--check"]);
    const back = await workspace.succeed(
      ["apply", folder, "--secrets", "-", "--yes"],
      "SHOP_KEY=one\n",
    );
    expect(back).toMatch(/^\^ agent Clerk/m);
    expect(back).toMatch(/^\^ skill refunds/m);
    await workspace.succeed(["apply", folder, "--check"]);
    const agents = await rpc.agents.listAll.query({ wId });
    expect(agents.agentConfigurations.map(({ name }) => name).toSorted()).toEqual([
      "Clerk",
      "Helper",
    ]);
  });

  it("finishes what was interrupted", async () => {
    const workspace = await openWorkspace(server(), "Interrupted");
    const { wId, rpc } = workspace;
    const names = Array.from(
      { length: 60 },
      (_, index) => `Agent ${String(index).padStart(2, "0")}`,
    );
    const folder = await openFolder({
      "parley.yaml": "",
      ...Object.fromEntries(
        names.map((name, index) => [
          `agents/${index}.yaml`,
          `name: ${name}\nmodel: { providerId: simulated, modelId: simulated-1 }\n`,
        ]),
      ),
    });
    const program = workspace.start(["apply", folder, "--yes"]);
    const listed = async () =>
      (await rpc.agents.listAll.query({ wId, limit: 100 })).agentConfigurations;
    await eventually(async () => ((await listed()).length >= 3 ? { value: true } : {}), 30_000);
    program.signal("SIGKILL");
    await program.exited;
    const done = (await listed()).length;
    expect(done).toBeLessThan(60);
    const rest = await workspace.succeed(["apply", folder, "--yes"]);
    expect(rest).toMatch(
      new RegExp(`${60 - done} to create, 0 to change, 0 to remove, ${done} unchanged`),
    );
    expect((await listed()).map(({ name }) => name).toSorted()).toEqual(names);
  });

  it("says what was made and what was not, where a change fails", async () => {
    const workspace = await openWorkspace(server(), "Failing");
    const folder = await openFolder({
      ...folderOf("http://127.0.0.1:1/mcp"),
      "parley.yaml": "workspace: { name: Failed }\n",
    });
    const said = await workspace.fail(["apply", folder, "--yes", "--secrets", "-"], "SHOP_KEY=x\n");
    expect(said).toContain(
      "done: workspace Failing\nnot done: tool orders\nnot done: skill refunds\n",
    );
    expect(said).toMatch(/parley: tool orders: .*: 1 of 7 changes are made; run the command again/);
  });

  it("refuses names that tell two things apart no longer", async () => {
    const workspace = await openWorkspace(server(), "Namesakes");
    const { wId, rpc } = workspace;
    const create = async () =>
      rpc.agents.create.mutate({ wId, name: "Twin", description: "", model });
    const ids = [await create(), await create()].map((made) => made.agentConfiguration.sId);
    const folder = await openFolder({
      "parley.yaml": "",
      "agents/Twin.yaml": `model: ${JSON.stringify(model)}\n`,
    });
    for (const args of [
      ["apply", folder, "--yes"],
      ["pull", await openFolder()],
    ]) {
      const said = await workspace.fail(args);
      expect(said).toContain("several agents Twin");
      for (const id of ids) expect(said).toContain(id);
    }
  });

  async function readVersions({ wId, rpc }: Awaited<ReturnType<typeof openWorkspace>>) {
    const agents = await rpc.agents.listAll.query({ wId });
    const functions = await rpc.sandboxFunctions.listAll.query({ wId });
    const { tools } = await rpc.tools.list.query({ wId });
    const clerkId = agents.agentConfigurations.find(({ name }) => name === "Clerk")?.sId ?? "";
    const { skillIds } = await rpc.agents.getDefinition.query({ wId, agentId: clerkId });
    const skill = await rpc.skills.get.query({ wId, skillId: skillIds[0] ?? "" });
    return Object.fromEntries<number>([
      ...agents.agentConfigurations.map(({ name, version }) => [name, version] as const),
      ...functions.sandboxFunctions.map(({ slug, version }) => [slug, version] as const),
      ...tools.map(({ tool, version }) => [tool.name, version] as const),
      [skill.skill.name, skill.version] as const,
    ]);
  }
});
