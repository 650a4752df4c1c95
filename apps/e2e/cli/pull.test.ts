import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { createParley } from "parley-client";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { fillWorkspace } from "./filled-workspace.ts";
import {
  openFolder,
  type OpenWorkspace,
  openWorkspace,
  readFiles,
  writeFiles,
} from "./workspace-folder.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("parley pull", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

  const fill = async (workspace: OpenWorkspace) =>
    fillWorkspace(workspace, { url: server().url, shopUrl: shop().url });

  const findSkill = async ({ wId, rpc, adminKey }: OpenWorkspace, name: string) => {
    const parley = createParley({ baseUrl: server().url, apiKey: adminKey, workspaceId: wId });
    const { skills } = await parley.skills.list({ bypassEditorVisibility: true });
    const skillId = skills.find((one) => one.name === name)?.sId ?? "";
    return rpc.skills.get.query({ wId, skillId });
  };

  it("writes a folder that makes another workspace the same, byte for byte", async () => {
    const first = await openWorkspace(server(), "First");
    await fill(first);
    const folder = await openFolder();
    const pulled = await first.run(["pull", folder]);
    expect([pulled.code, pulled.stderr]).toEqual([0, "left out: 1 archived\n"]);
    const written = await readFiles(folder);
    expect(JSON.stringify(written)).not.toContain(Buffer.from("open-sesame").toString("hex"));
    for (const file of Object.keys(written))
      expect(file).toMatch(
        /^(?:parley\.yaml|(?:agents|tools)\/[a-z0-9-]+\.(?:yaml|md)|(?:skills|functions)\/[a-z0-9-]+(?:\.yaml|\/[\w./-]+))$/,
      );
    const lower = Object.keys(written).map((file) => file.toLowerCase());
    expect(new Set(lower).size).toBe(lower.length);
    const mutations = await first.countMutations();
    expect(await first.succeed(["apply", folder])).toMatch(/Nothing to change\n$/);
    expect(await first.countMutations()).toBe(mutations);

    const second = await openWorkspace(server(), "Second");
    const [secret = ""] =
      /\{\{secrets\.(\w+)\}\}/
        .exec(await readFile(path.join(folder, "tools/orders-returns.yaml"), "utf8"))
        ?.slice(1) ?? [];
    await second.succeed(["apply", folder, "--yes", "--secrets", "-"], `${secret}=open-sesame\n`);
    const copy = await openFolder();
    await second.succeed(["pull", copy]);
    expect(await readFiles(copy)).toEqual(written);
    expect(await second.succeed(["apply", copy])).toMatch(/Nothing to change\n$/);
    expect(await second.succeed(["pull", copy])).toMatch(/^0 written, 0 removed, \d+ unchanged\n$/);
  });

  it("shows what it overwrites and removes, and asks", async () => {
    const workspace = await openWorkspace(server(), "Overwritten");
    const { wId, rpc } = workspace;
    const { refunds } = await fill(workspace);
    const folder = await openFolder();
    await writeFiles(folder, { "notes.txt": "mine" });
    expect(await workspace.fail(["pull", folder])).toContain(
      "has notes.txt and was not created by parley pull",
    );
    await workspace.succeed(["pull", folder, "--force"]);
    await writeFiles(folder, {
      "README.md": "ours",
      "functions/single/a.test.ts": "ours",
      "agents/old.yaml": "gone",
      "agents/clerk.yaml": "changed",
    });
    const { version } = await rpc.skills.get.query({ wId, skillId: refunds });
    await rpc.skills.approve.mutate({ wId, skillId: refunds, version });
    await rpc.sandboxFunctions.archive.mutate({ wId, functionId: "modules" });
    const asked = await workspace.run(["pull", folder]);
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain("Add --yes");
    const lines = asked.stdout.trimEnd().split("\n");
    expect(lines.filter((line) => !line.startsWith("~ agents/"))).toEqual([
      "~ skills/refunds.yaml",
      "- agents/old.yaml",
      "- functions/modules/function.json",
      "- functions/modules/index.ts",
      "- functions/modules/lib/one.ts",
      "- functions/modules/tsconfig.json",
    ]);
    expect(lines).toContain("~ agents/clerk.yaml");
    await workspace.succeed(["pull", folder, "--yes"]);
    const after = await readFiles(folder);
    expect(Object.keys(after)).toEqual(
      expect.arrayContaining(["README.md", "notes.txt", "functions/single/a.test.ts"]),
    );
    expect(Object.keys(after).filter((file) => file.startsWith("functions/modules"))).toEqual([]);
    expect(await workspace.succeed(["apply", folder])).toMatch(/Nothing to change\n$/);
  });

  it("writes through no link", async () => {
    const workspace = await openWorkspace(server(), "Links");
    await workspace.rpc.agents.create.mutate({
      wId: workspace.wId,
      name: "a",
      description: "",
      model,
    });
    const [folder, elsewhere] = [await openFolder(), await openFolder()];
    await writeFiles(folder, { "parley.yaml": "" });
    await symlink(elsewhere, path.join(folder, "agents"));
    expect(await workspace.fail(["pull", folder, "--yes"])).toContain("symbolic links");
    expect(await readFiles(elsewhere)).toEqual({});
  });

  it("works with the key of a builder, without what is for admins", async () => {
    const workspace = await openWorkspace(server(), "Built");
    await fill(workspace);
    const { wId, rpc } = workspace;
    const { secret } = await rpc.apiKeys.create.mutate({ wId, name: "ci", role: "builder" });
    const folder = await openFolder();
    const pulled = await workspace.run(["pull", folder], "", secret);
    expect([pulled.code, pulled.stderr]).toEqual([
      0,
      expect.stringContaining(
        "left out: the workspace's settings, spaces, webhooks, alerts and trace destinations",
      ),
    ]);
    expect(await readFile(path.join(folder, "parley.yaml"), "utf8")).toBe("workspace: {}\n");
    const applied = await workspace.run(["apply", folder], "", secret);
    expect([applied.code, applied.stdout]).toEqual([
      0,
      expect.stringMatching(/Nothing to change\n$/),
    ]);
    await writeFiles(folder, { "parley.yaml": "workspace: { region: us }\n" });
    const refused = await workspace.run(["apply", folder, "--yes"], "", secret);
    expect(refused.stderr).toContain("parley.yaml: workspace: needs an admin key");
    const skill = { "SKILL.md": "---\nname: mine\ndescription: x\n---\n" };
    const ofBuilder = await openFolder();
    await writeFiles(ofBuilder, {
      "parley.yaml": "",
      "skills/mine/SKILL.md": skill["SKILL.md"],
      "skills/theirs/SKILL.md": skill["SKILL.md"].replace("mine", "theirs"),
      "agents/Mine.yaml": `model: ${JSON.stringify(model)}\nskills: [mine, theirs]\n`,
    });
    const apply = async () => workspace.run(["apply", ofBuilder, "--yes"], "", secret);
    const hidden = await rpc.skills.create.mutate({
      wId,
      name: "theirs",
      agentFacingDescription: "x",
    });
    expect((await apply()).stderr).toContain("skill theirs: the workspace has a skill theirs");
    await rpc.skills.update.mutate({
      wId,
      skillId: hidden.skill.sId,
      version: hidden.version,
      name: "another",
    });
    // Nothing that was made before is made twice, unseen as it is.
    expect((await apply()).stderr).toContain("skill mine: the workspace has a skill mine");
    const { skill: known } = await findSkill(workspace, "mine");
    await rpc.skills.publish.mutate({
      wId,
      skillId: known.sId,
      version: 2,
      availability: "workspace_users",
    });
    await writeFiles(ofBuilder, { "skills/mine.yaml": "availability: workspace_users\n" });
    expect(await apply()).toMatchObject({ code: 0 });
    expect((await apply()).stdout).toMatch(/Nothing to change\n$/);
    const { secret: user } = await rpc.apiKeys.create.mutate({ wId, name: "reader", role: "user" });
    expect((await workspace.run(["pull", folder], "", user)).stderr).toContain(
      "set PARLEY_API_KEY to one",
    );
  });
});
