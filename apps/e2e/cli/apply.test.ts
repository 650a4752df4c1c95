import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { clerk, folderOf, source } from "./shop-folder.ts";
import { openFolder, openWorkspace, writeFiles } from "./workspace-folder.ts";

describe("parley apply and parley pull", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

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
      "Missing values for SHOP_KEY",
    );
    expect(await workspace.fail(["apply", folder, "--check"])).toContain(
      "The workspace differs from",
    );
    expect(await workspace.countMutations()).toBe(before);

    const { code, stdout, stderr } = await workspace.run(all, secrets);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/Done: 7 changed\n$/)]);
    expect(stderr).toContain("API_TOKEN is not set: run parley functions secret put API_TOKEN");
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
      compaction: { enabled: true, startsAtPercent: 30 },
      knowledge: { everything: true, folders: [{ dataSourceId: "dts_1", folderId: "shops" }] },
      responseFormat: { type: "json_schema", schema: { required: ["order"] }, strict: false },
      reasoningEffort: "light",
      tags: [
        { name: "orders", kind: "team" },
        { name: "shop", kind: "standard" },
      ],
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
      "agents/clerk.yaml": clerk.replace(/^(?:compaction:.*\n|script:[^]*)/gm, ""),
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
      "~ agent Clerk: instructions, compaction, script",
      "    -- and kind",
      "    +- and patient",
      '    -{"enabled":true,"startsAtPercent":30}',
      "    +{}",
      expect.stringContaining('-{"steps"'),
      "    +null",
      "0 to create, 4 to change, 0 to remove, 3 unchanged",
      "Done: 4 changed",
    ]);
    const after = await readVersions(workspace);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.toSorted()).toEqual(["Clerk", "add-up", "orders", "refunds"]);
    // Instructions and script change together.
    expect(Number(after["Clerk"])).toBe(Number(before["Clerk"]) + 1);
    await workspace.succeed(["apply", folder, "--check"]);
    // The secret was not asked for, and is sent again if that is asked for.
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
      "agents/d.md": "Not of an agent\n",
      "tools/t.yaml": "url: https://shop.test/mcp\nheaders: { Authorization: Bearer abc }\n",
      "tools/u.yaml": "description: neither\n",
      "skills/one/SKILL.md": "---\nname: two\ndescription: x\n---\n",
      "skills/three.yaml": "icon: x\n",
      "functions/f/function.json": '{"slug": "f", "timeOut": 3}',
    });
    const said = await workspace.fail(["apply", folder, "--yes"]);
    for (const line of [
      "parley.yaml:2:3: workspace.regions: unknown field: did you mean region?",
      "agents/a.yaml:3:1: maxSteps: unknown field",
      "agents/b.yaml:4:3: model.modelId: ",
      "agents/c.yaml:2:1: Missing closing",
      "agents/d.md: does not belong to an agent",
      "tools/t.yaml:2:12: headers.Authorization: must name a secret",
      "tools/u.yaml: must have either url",
      "skills/one/SKILL.md:2:1: front matter: name: must be its folder's name",
      "skills/three.yaml: has no skill folder",
      "functions/f: function.json: timeOut: unknown field: did you mean timeoutMs?",
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
