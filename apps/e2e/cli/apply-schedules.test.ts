import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import {
  openFolder,
  type OpenWorkspace,
  openWorkspace,
  readFiles,
  writeFiles,
} from "./workspace-folder.ts";

const agent = "model:\n  providerId: simulated\n  modelId: simulated-1\n";
const tally = JSON.stringify({
  slug: "tally",
  program: { type: "simulated", behaviour: { result: "$" } },
});
const report = `name: Daily report
agent: clerk
message: |-
  Write the report.

  - briefly
cron: 0 9 * * MON-FRI
timezone: Europe/Kyiv
`;
const files = {
  "parley.yaml": "spaces:\n  - name: Reports\n",
  "agents/clerk.yaml": agent,
  "functions/tally/function.json": tally,
  "schedules/report.yaml": `${report}space: Reports\ntitle: Reports\njitter: 60s\noverlap: wait\n`,
  "schedules/tally.yaml": "function: tally\ninput: { days: [1, 2] }\nevery: 120m\nisPaused: true\n",
};

describe("schedules in folders", () => {
  const server = shareServer();

  const list = async ({ rpc, wId }: OpenWorkspace) =>
    (await rpc.schedules.list.query({ wId })).schedules.toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );

  it("are created after what they start, changed where they differ, and written back", async () => {
    const workspace = await openWorkspace(server(), "Scheduled");
    const folder = await openFolder(files);
    const planned = await workspace.succeed(["apply", folder, "--yes"]);
    expect(planned).toMatch(/\+ agent clerk\n\+ schedule Daily report\n\+ schedule tally\n/);
    const [first, second] = await list(workspace);
    expect(first).toMatchObject({
      name: "Daily report",
      timezone: "Europe/Kiev",
      overlap: "wait",
      jitterSeconds: 60,
      agent: {
        agentId: expect.any(String),
        message: "Write the report.\n\n- briefly",
        title: "Reports",
        spaceId: expect.stringMatching(/^vlt_/),
      },
    });
    expect(second).toMatchObject({
      name: "tally",
      everySeconds: 7200,
      pausedFor: "request",
      function: { input: { days: [1, 2] } },
    });
    expect(await workspace.succeed(["apply", folder, "--yes"])).toMatch(/Nothing to change\n$/);

    await writeFiles(folder, {
      "schedules/report.yaml": `${report}email: nobody@shop.example\n`,
      "schedules/tally.yaml": "function: tally\nevery: 2h\n",
    });
    const said = await workspace.fail(["apply", folder, "--yes"]);
    expect(said).toContain("agent.email: the workspace has no member");
    await writeFiles(folder, { "schedules/report.yaml": report });
    expect(await workspace.succeed(["apply", folder, "--yes"])).toMatch(
      /~ schedule Daily report: title, space, overlap, jitter\n[^]*~ schedule tally: input, isPaused\n/,
    );
    const [changed, resumed] = await list(workspace);
    expect(changed).toMatchObject({ overlap: "skip", jitterSeconds: 0, nextSlot: first?.nextSlot });
    expect(changed?.agent).not.toHaveProperty("spaceId");
    expect(resumed).toMatchObject({ pausedFor: null, function: { input: null } });

    const copy = await openFolder();
    await workspace.succeed(["pull", copy]);
    expect(await readFile(path.join(copy, "schedules/daily-report.yaml"), "utf8")).toBe(
      report.replace("Kyiv", "Kiev"),
    );
    const other = await openWorkspace(server(), "Copied");
    await other.succeed(["apply", copy, "--yes"]);
    const again = await openFolder();
    await other.succeed(["pull", again]);
    expect(await readFiles(again)).toEqual(await readFiles(copy));
  });

  it("are removed only if that is asked for", async () => {
    const workspace = await openWorkspace(server(), "Unscheduled");
    await workspace.succeed(["apply", await openFolder(files), "--yes"]);
    const less = await openFolder({ "parley.yaml": "", "agents/clerk.yaml": agent });
    const kept = await workspace.succeed(["apply", less, "--yes"]);
    expect(kept).toContain("? schedule tally: is not in the folder");
    expect(await list(workspace)).toHaveLength(2);
    await workspace.succeed(["apply", less, "--prune", "--yes"]);
    expect(await list(workspace)).toEqual([]);
  });

  it("are checked before anything changes", async () => {
    const workspace = await openWorkspace(server(), "Wrong");
    const folder = await openFolder({
      "parley.yaml": "",
      "schedules/both.yaml": "agent: helper\nfunction: tally\nevery: 1h\n",
      "schedules/cron.yaml": "agent: helper\nmessage: x\ncron: 0 0 30 2 *\n",
      "schedules/every.yaml": "agent: helper\nmessage: x\nevery: soon\n",
      "schedules/never.yaml": "agent: helper\nmessage: x\n",
      "schedules/notes.txt": "x",
      "schedules/slug.yaml": "agent: helper\nmesage: x\nevery: 1h\n",
    });
    const said = await workspace.fail(["apply", folder, "--yes"]);
    expect(said).toContain("both.yaml: exactly one of agent and function must be there");
    expect(said).toContain("cron.yaml: cron: day of month: never fires");
    expect(said).toContain("every.yaml:3:1: every: must be a number of s, m, h or d");
    expect(said).toContain("never.yaml: exactly one of cron and every must be there");
    expect(said).toContain("notes.txt: does not belong to a schedule");
    expect(said).toMatch(/slug\.yaml:2:1: mesage: .*did you mean message/);
    const unknown = await openFolder({
      "parley.yaml": "",
      "schedules/x.yaml": "agent: nobody\nmessage: x\nevery: 1h\n",
    });
    expect(await workspace.fail(["apply", unknown, "--yes"])).toContain(
      "schedules/x.yaml: agents: neither the folder nor the workspace has the agent nobody",
    );
    expect(await list(workspace)).toEqual([]);
  });
});
