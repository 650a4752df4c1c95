import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace, readFiles } from "./workspace-folder.ts";

const model = "model:\n  providerId: simulated\n  modelId: simulated-1\n";
const files = {
  "parley.yaml": "",
  // Agents that are asked are created first, whatever their names.
  "agents/clerk.yaml": `${model}team:\n  - { agent: researcher, name: research }\n  - { agent: shipper, name: shipping, mode: handover }\n`,
  "agents/researcher.yaml": model,
  "agents/shipper.yaml": model,
};

describe("teams in folders", () => {
  const server = shareServer();

  it("are applied after the agents that they name, and written back", async () => {
    const workspace = await openWorkspace(server(), "Teams");
    const { rpc, wId } = workspace;
    const folder = await openFolder(files);
    const planned = await workspace.succeed(["apply", folder, "--yes"]);
    expect(planned).toMatch(/\+ agent researcher\n\+ agent shipper\n\+ agent clerk\n/);
    const { agentConfigurations } = await rpc.agents.listAll.query({ wId });
    const idOf = (name: string) => agentConfigurations.find((one) => one.name === name)?.sId ?? "";
    const { team } = await rpc.agents.getDefinition.query({ wId, agentId: idOf("clerk") });
    expect(team).toEqual([
      { agentId: idOf("researcher"), name: "research", mode: "ask" },
      { agentId: idOf("shipper"), name: "shipping", mode: "handover" },
    ]);
    const again = await workspace.succeed(["apply", folder]);
    expect(again).toContain("Nothing to change");
    const copy = await openFolder({});
    await workspace.succeed(["pull", copy]);
    const pulled = Buffer.from((await readFiles(copy))["agents/clerk.yaml"] ?? "", "hex");
    expect(pulled.toString()).toContain("agent: researcher");
    expect(await workspace.succeed(["apply", copy])).toContain("Nothing to change");
  });

  it("are made at once of agents that hand over to each other", async () => {
    const workspace = await openWorkspace(server(), "Circles");
    const { rpc, wId } = workspace;
    const handing = (other: string) =>
      `${model}team:\n  - { agent: ${other}, name: other, mode: handover }\n`;
    const folder = await openFolder({
      "parley.yaml": "",
      "agents/ann.yaml": handing("bob"),
      "agents/bob.yaml": handing("ann"),
    });
    await workspace.succeed(["apply", folder, "--yes"]);
    const { agentConfigurations } = await rpc.agents.listAll.query({ wId });
    const idOf = (name: string) => agentConfigurations.find((one) => one.name === name)?.sId ?? "";
    for (const [name, other] of [
      ["ann", "bob"],
      ["bob", "ann"],
    ] as const) {
      const { team } = await rpc.agents.getDefinition.query({ wId, agentId: idOf(name) });
      expect(team).toEqual([{ agentId: idOf(other), name: "other", mode: "handover" }]);
    }
    expect(await workspace.succeed(["apply", folder])).toContain("Nothing to change");
  });

  it("are refused with a name that no tool may have, or that two have", async () => {
    const workspace = await openWorkspace(server(), "Faulty teams");
    const folder = await openFolder({
      ...files,
      "agents/clerk.yaml": `${model}team:\n  - { agent: researcher, name: Nö }\n  - { agent: researcher, name: user }\n`,
    });
    const refused = await workspace.fail(["apply", folder, "--yes"]);
    expect(refused).toContain("team[0].name");
    expect(refused).toContain("team[1].name: the name of the tool ask_user is taken");
  });
});
