import { createRpcClient } from "parley-client";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace, readFiles, writeFiles } from "./workspace-folder.ts";

const agent = `description: ""\nmodel: {providerId: simulated, modelId: simulated-1}\n`;
const slow = `name: Clerk is slow
measure: whole_p95
threshold: 9000
agent: Clerk
minAnswers: 3
`;
const errors = `builtIn: error-rate
threshold: 30
until: 20
`;
const destination = `name: Collector
url: https://collector.example/v1/traces
headers:
  Authorization: Bearer {{secrets.COLLECTOR_AUTHORIZATION}}
percent: 10
`;
const files = {
  "parley.yaml": "",
  "agents/Clerk.yaml": agent,
  "alerts/slow.yaml": slow,
  "alerts/errors.yaml": errors,
  "trace-destinations/Collector.yaml": destination,
};
const secrets = "COLLECTOR_AUTHORIZATION=key-of-collector\n";

describe("alerts and trace destinations in a workspace's folder", () => {
  const server = shareServer();

  it("are created, changed, pulled and pruned", async () => {
    const workspace = await openWorkspace(server(), "Watched");
    const { wId, rpc } = workspace;
    const folder = await openFolder(files);
    const apply = ["apply", folder, "--yes", "--secrets", "-"];
    const applied = await workspace.run(apply, secrets);
    expect(applied.stdout).toContain("+ alert Clerk is slow");
    expect(applied.stdout).toContain("+ alert built-in error-rate");
    expect(applied.stdout).toContain("+ trace destination Collector");
    const changedAlerts = async () =>
      (await rpc.alerts.list.query({ wId })).alerts.filter(({ updatedAt }) => updatedAt !== null);
    const { agentConfigurations } = await rpc.agents.listAll.query({ wId });
    const clerk = agentConfigurations.find(({ name }) => name === "Clerk")?.sId;
    expect(await changedAlerts()).toMatchObject([
      { sId: "error-rate", name: "Many answers fail", threshold: 30, until: 20, minAnswers: 10 },
      { name: "Clerk is slow", measure: "whole_p95", agentId: clerk, until: 9000, minAnswers: 3 },
    ]);
    const destinations = async () =>
      (await rpc.traceDestinations.list.query({ wId })).traceDestinations;
    expect(await destinations()).toMatchObject([
      { name: "Collector", headerNames: ["Authorization"], percent: 10, encoding: "protobuf" },
    ]);
    expect(await workspace.succeed(["apply", folder])).toMatch(/Nothing to change\n$/);

    await writeFiles(folder, {
      "alerts/slow.yaml": slow.replace("9000", "8000"),
      "alerts/errors.yaml": errors.replace("30", "40"),
      "trace-destinations/Collector.yaml": destination.replace("10", "20"),
    });
    // A secret that does not change is not asked for.
    const changed = await workspace.succeed(["apply", folder, "--yes"]);
    expect(changed).toContain("~ alert Clerk is slow: threshold, until");
    expect(changed).toContain("~ alert built-in error-rate: threshold");
    expect(changed).toContain("~ trace destination Collector: percent");
    expect(await changedAlerts()).toMatchObject([{ threshold: 40 }, { threshold: 8000 }]);
    expect(await destinations()).toMatchObject([{ percent: 20, headerNames: ["Authorization"] }]);

    const copy = await openFolder();
    await workspace.succeed(["pull", copy]);
    const pulled = await readFiles(copy);
    const text = (file: string) => Buffer.from(pulled[file] ?? "", "hex").toString();
    expect(text("alerts/built-in-error-rate.yaml")).toBe(errors.replace("30", "40"));
    expect(text("alerts/clerk-is-slow.yaml").split("\n").toSorted()).toEqual(
      slow.replace("9000", "8000").split("\n").toSorted(),
    );
    expect(text("trace-destinations/collector.yaml").split("\n").toSorted()).toEqual(
      destination
        .replace("10", "20")
        // Which part of a header is the secret is not readable.
        .replace(
          "Bearer {{secrets.COLLECTOR_AUTHORIZATION}}",
          '"{{secrets.COLLECTOR_AUTHORIZATION}}"',
        )
        .split("\n")
        .toSorted(),
    );
    expect(await workspace.succeed(["apply", copy])).toMatch(/Nothing to change\n$/);

    const bare = await openFolder({ "parley.yaml": "" });
    const pruned = await workspace.succeed(["apply", bare, "--prune", "--yes"]);
    expect(pruned).toContain("- alert built-in error-rate");
    expect(await changedAlerts()).toEqual([]);
    expect(await destinations()).toEqual([]);
  });

  it("say what is wrong with a file, and need an admin key", async () => {
    const workspace = await openWorkspace(server(), "Unwatched");
    const { wId } = workspace;
    const wrong = await openFolder({
      "parley.yaml": "",
      "alerts/none.yaml": "measure: error_rate\n",
      "alerts/other.yaml": "builtIn: error-rate\nmeasure: answers\n",
      "alerts/strange.yaml": "builtIn: nothing\n",
      "trace-destinations/open.yaml":
        "url: https://collector.example\nheaders: { Authorization: key-of-collector }\n",
      "trace-destinations/host.yaml":
        'url: https://collector.example\nheaders: { Host: "{{secrets.HOST}}" }\n',
    });
    const said = await workspace.fail(["apply", wrong, "--yes"]);
    expect(said).toContain("alerts/none.yaml: threshold: is required");
    expect(said).toMatch(/alerts\/strange\.yaml:1:1: builtIn: /);
    expect(said).toMatch(
      /trace-destinations\/open\.yaml:2:12: headers\.Authorization: must name a secret/,
    );
    expect(said).toContain("must be the name of a header that clients may set");
    const moved = await openFolder({
      "parley.yaml": "",
      "alerts/other.yaml": "builtIn: error-rate\nmeasure: answers\n",
    });
    expect(await workspace.fail(["apply", moved, "--yes"])).toContain(
      "alerts/other.yaml: measure: cannot be changed from error_rate",
    );
    const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
    const builder = await operator.apiKeys.create.mutate({ wId, name: "b", role: "builder" });
    const refused = await workspace.run(
      ["apply", await openFolder(files), "--yes"],
      "",
      builder.secret,
    );
    expect(refused.stderr).toContain("alerts/slow.yaml: alerts need an admin key");
    expect(refused.stderr).toContain("trace destinations need an admin key");
  });
});
