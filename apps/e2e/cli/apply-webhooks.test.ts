import { createRpcClient } from "parley-client";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace, readFiles, writeFiles } from "./workspace-folder.ts";

const url = "https://shop.example/events";
const agent = `description: ""\nmodel: {providerId: simulated, modelId: simulated-1}\n`;
const webhook = `url: ${url}
events: [message.succeeded]
description: The shop
agents: [Clerk]
functions: []
isOrdered: true
`;

describe("webhooks in a workspace's folder", () => {
  const server = shareServer();

  it("are created, changed, pulled and pruned, and their secret is printed once", async () => {
    const workspace = await openWorkspace(server(), "Told");
    const { wId, rpc } = workspace;
    const folder = await openFolder({
      "parley.yaml": "",
      "agents/Clerk.yaml": agent,
      "webhooks/shop.yaml": webhook,
    });
    const applied = await workspace.run(["apply", folder, "--yes"]);
    expect(applied.stdout).toContain(`+ webhook ${url}`);
    expect(applied.stderr).toMatch(/the secret of webhook \S+ is shown only once: whsec_\S+$/m);
    const only = async () => (await rpc.webhooks.list.query({ wId })).webhooks;
    const [made] = await only();
    const { agentConfigurations } = await rpc.agents.listAll.query({ wId });
    const clerk = agentConfigurations.find(({ name }) => name === "Clerk")?.sId;
    expect(made).toMatchObject({ url, isOrdered: true, functionIds: null });
    expect(made?.agentIds).toEqual([clerk]);
    expect(await workspace.succeed(["apply", folder])).toMatch(/Nothing to change\n$/);

    await writeFiles(folder, { "webhooks/shop.yaml": webhook.replace("The shop", "Ours") });
    const changed = await workspace.run(["apply", folder, "--yes"]);
    expect(changed.stdout).toContain(`~ webhook ${url}: description`);
    expect(changed.stderr).not.toContain("whsec_");
    expect(await only()).toMatchObject([{ sId: made?.sId, description: "Ours" }]);

    // What listens from somebody's machine is declared by nobody.
    const listening = { url: "http://localhost:1/x", events: ["message.failed" as const] };
    await rpc.webhooks.create.mutate({ wId, ...listening, isPulled: true });
    const copy = await openFolder();
    await workspace.succeed(["pull", copy]);
    const text = Buffer.from(
      (await readFiles(copy))["webhooks/https-shop-example-events.yaml"]!,
      "hex",
    );
    expect(text.toString()).toBe(
      webhook
        .replace("The shop", "Ours")
        .replace("functions: []\n", "")
        .replace(" [message.succeeded]", "\n  - message.succeeded")
        .replace(" [Clerk]", "\n  - Clerk"),
    );
    expect(await workspace.succeed(["apply", copy])).toMatch(/Nothing to change\n$/);

    const bare = await openFolder({ "parley.yaml": "" });
    expect(await workspace.succeed(["apply", bare, "--prune", "--yes"])).toContain(
      `- webhook ${url}`,
    );
    expect((await only()).map(({ isPulled }) => isPulled)).toEqual([true]);
  });

  it("name what there is, and need an admin key", async () => {
    const workspace = await openWorkspace(server(), "Refused");
    const folder = await openFolder({ "parley.yaml": "", "webhooks/shop.yaml": webhook });
    expect(await workspace.fail(["apply", folder, "--yes"])).toContain(
      "webhooks/shop.yaml: agents: neither the folder nor the workspace has the agent Clerk",
    );
    const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
    const { wId } = workspace;
    const builder = await operator.apiKeys.create.mutate({ wId, name: "b", role: "builder" });
    const own = await openFolder({
      "parley.yaml": "",
      "webhooks/shop.yaml": webhook.replace("Clerk", ""),
    });
    const refused = await workspace.run(["apply", own, "--yes"], "", builder.secret);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("webhooks/shop.yaml: webhooks need an admin key"),
    ]);
    const wrong = await openFolder({
      "parley.yaml": "",
      "webhooks/shop.yaml": "url: x\nevent: y\n",
    });
    expect(await workspace.fail(["apply", wrong, "--yes"])).toMatch(
      /shop\.yaml:2:1: event: [^]*url: /,
    );
  });
});
