import { describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { folderOf } from "./shop-folder.ts";
import { openTerminal } from "./terminal.ts";
import { openFolder, type OpenWorkspace, openWorkspace, writeFiles } from "./workspace-folder.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("parley apply, with others and interruptions", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

  const onTerminal = ({ adminKey }: OpenWorkspace, args: readonly string[]) =>
    openTerminal(args, {
      columns: 160,
      settings: { PARLEY_URL: server().url, PARLEY_API_KEY: adminKey, NO_COLOR: "1" },
    });

  it("removes what the folder lacks only if that is asked for, and restores it", async () => {
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

  it("plans again if somebody else was faster, and asks again", async () => {
    const workspace = await openWorkspace(server(), "Raced");
    const { wId, rpc } = workspace;
    const file = (description: string) =>
      `description: ${description}\nmodel: ${JSON.stringify(model)}\n`;
    const folder = await openFolder({ "parley.yaml": "", "agents/Raced.yaml": file("first") });
    await workspace.succeed(["apply", folder, "--yes"]);
    const [made] = (await rpc.agents.listAll.query({ wId })).agentConfigurations;
    const agentId = made?.sId ?? "";
    await writeFiles(folder, { "agents/Raced.yaml": file("second") });
    const terminal = onTerminal(workspace, ["apply", folder]);
    await terminal.waitFor("Type yes to confirm:");
    // The plan is made, and not yet agreed to.
    const change = { wId, agentId, description: "theirs", instructions: "Theirs" };
    await rpc.agents.update.mutate(change);
    terminal.write("yes\r");
    await terminal.waitFor(/to confirm:[^]*to confirm:/);
    terminal.write("yes\r");
    expect(await terminal.exited).toBe(0);
    const shown = terminal.scrollback();
    expect(shown).toContain("agent Raced has just been changed by somebody else");
    expect(shown).toMatch(/~ agent Raced: description\n {4}-first\n {4}\+second/);
    expect(shown).toMatch(/~ agent Raced: description, instructions\n {4}-theirs\n {4}\+second/);
    expect(await rpc.agents.getDefinition.query({ wId, agentId })).toMatchObject({
      agentConfiguration: { description: "second", version: 2 },
    });
  });

  it("removes what the folder lacks if a person types the name of the workspace", async () => {
    const workspace = await openWorkspace(server(), "Typed");
    const { wId, rpc } = workspace;
    await rpc.agents.create.mutate({ wId, name: "Surplus", description: "", model });
    const folder = await openFolder({ "parley.yaml": "" });
    const names = async () =>
      (await rpc.agents.listAll.query({ wId, status: "active" })).agentConfigurations.map(
        ({ name }) => name,
      );
    const prune = async (typed: string) => {
      const terminal = onTerminal(workspace, ["apply", folder, "--prune"]);
      await terminal.waitFor("Type Typed to confirm:");
      terminal.write(`${typed}\r`);
      return terminal.exited;
    };
    expect(await prune("yes")).toBe(1);
    expect(await names()).toContain("Surplus");
    expect(await prune("Typed")).toBe(0);
    expect(await names()).not.toContain("Surplus");
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
    const counts = /^(\d+) to create, 0 to change, 0 to remove, (\d+) unchanged$/m.exec(rest);
    const [created, unchanged] = [Number(counts?.[1]), Number(counts?.[2])];
    // The server may have finished a creation after its caller was gone.
    expect(unchanged).toBeGreaterThanOrEqual(done);
    expect(created + unchanged).toBe(60);
    expect((await listed()).map(({ name }) => name).toSorted()).toEqual(names);
  });

  it("says what was made and what was not, if a change fails", async () => {
    const workspace = await openWorkspace(server(), "Failing");
    const folder = await openFolder({
      ...folderOf("http://127.0.0.1:1/mcp"),
      "parley.yaml": "workspace: { name: Failed }\n",
    });
    const said = await workspace.fail(["apply", folder, "--yes", "--secrets", "-"], "SHOP_KEY=x\n");
    expect(said).toContain(
      "done: workspace Failing\nnot done: tool orders\nnot done: skill refunds\n",
    );
    expect(said).toMatch(
      /parley: tool orders: .*: 1 of 7 changes were made; run the command again/,
    );
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
      expect(said).toContain("several agents named Twin");
      for (const id of ids) expect(said).toContain(id);
    }
  });
});
