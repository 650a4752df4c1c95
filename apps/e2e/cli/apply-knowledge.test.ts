import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace } from "./workspace-folder.ts";

const agentFile = (knowledge: string) => `name: Clerk
model: { providerId: simulated, modelId: simulated-1 }
knowledge: ${knowledge}
`;

describe("parley apply and pull", () => {
  const server = shareServer();

  it("name the data sources of an agent, and those whose names are not unique by their ids", async () => {
    const workspace = await openWorkspace(server(), "Knowing");
    const { wId, rpc } = workspace;
    const { space } = await rpc.spaces.create.mutate({ wId, name: "Shelf" });
    const add = async (name: string) => {
      const view = { wId, spaceId: space.sId, name };
      return (await rpc.dataSourceViews.create.mutate(view)).dataSourceView.dataSourceId;
    };
    const [handbook, ledger, twin] = [
      await add("Handbook"),
      await add("Ledger"),
      await add("Twin"),
    ];
    await add("Twin");
    const wrong = await openFolder({
      "parley.yaml": "",
      "agents/clerk.yaml": agentFile("{ dataSources: [Nowhere, Twin] }"),
    });
    const said = await workspace.fail(["apply", wrong, "--yes"]);
    expect(said).toContain(
      "agents/clerk.yaml: knowledge: the workspace has no data source Nowhere",
    );
    expect(said).toContain("several data sources named Twin");
    const named = `{ dataSources: [Ledger, Handbook], dataSourceIds: [${twin}], folders: [{ dataSource: Handbook, folderId: shops }] }`;
    const folder = await openFolder({ "parley.yaml": "", "agents/clerk.yaml": agentFile(named) });
    await workspace.succeed(["apply", folder, "--yes"]);
    const agents = await rpc.agents.listAll.query({ wId });
    const agentId = agents.agentConfigurations.find(({ name }) => name === "Clerk")?.sId ?? "";
    const { knowledge } = await rpc.agents.getDefinition.query({ wId, agentId });
    expect(knowledge.dataSourceIds?.toSorted()).toEqual([handbook, ledger, twin].toSorted());
    expect(knowledge.folders).toEqual([{ dataSourceId: handbook, folderId: "shops" }]);
    await workspace.succeed(["apply", folder, "--check"]);
    const pulled = await openFolder({});
    await workspace.succeed(["pull", pulled]);
    const file = await readFile(path.join(pulled, "agents/clerk.yaml"), "utf8");
    expect(file).toContain("- Handbook\n");
    expect(file).toContain("dataSource: Handbook\n");
    expect(file).toContain(twin);
    expect(file).not.toContain(handbook);
    await workspace.succeed(["apply", pulled, "--check"]);
    // Files of before name ids.
    const ids = `{ dataSourceIds: [${[handbook, ledger, twin].join(", ")}], folders: [{ dataSourceId: ${handbook}, folderId: shops }] }`;
    const older = await openFolder({ "parley.yaml": "", "agents/clerk.yaml": agentFile(ids) });
    await workspace.succeed(["apply", older, "--check"]);
  });
});
