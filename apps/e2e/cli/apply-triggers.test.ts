import { createHmac } from "node:crypto";
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
const issues = `name: New issues
source:
  type: github
agent: clerk
mapping:
  type: jsonata
  filter: body.action = 'opened'
  message: "'Sort this issue: ' & body.issue.title"
`;
const code = `source:
  type: hmac
  header: X-Signature
  prefix: sha256=
function: tally
mapping:
  type: javascript
  source: |
    export default function map({ body }) {
      return { order: body.id };
    }
keyExpression: body.id
eventsPerMinute: 60
`;
const files = {
  "parley.yaml": "spaces:\n  - name: Issues\n",
  "agents/clerk.yaml": agent,
  "functions/tally/function.json": tally,
  "triggers/issues.yaml": `${issues}space: Issues\ntitle: An issue\n`,
  "triggers/orders.yaml": code,
};

describe("triggers in folders", () => {
  const server = shareServer();

  const list = async ({ rpc, wId }: OpenWorkspace) =>
    (await rpc.triggers.listAll.query({ wId })).triggers.toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );

  it("are created after what they start, changed where they differ, and written back", async () => {
    const workspace = await openWorkspace(server(), "Triggered");
    const folder = await openFolder(files);
    const applied = await workspace.run(["apply", folder, "--yes"]);
    expect(applied.stdout).toMatch(/\+ agent clerk\n\+ trigger New issues\n\+ trigger orders\n/);
    const [first, second] = await list(workspace);
    expect(first).toMatchObject({
      name: "New issues",
      source: { type: "github" },
      agent: {
        agentId: expect.any(String),
        title: "An issue",
        spaceId: expect.stringMatching(/^vlt_/),
      },
      mapping: { type: "jsonata", filter: "body.action = 'opened'" },
    });
    expect(second).toMatchObject({
      name: "orders",
      source: { type: "hmac", header: "X-Signature", algorithm: "sha256", prefix: "sha256=" },
      function: { functionVersion: null },
      keyExpression: "body.id",
      eventsPerMinute: 60,
    });
    expect(await workspace.succeed(["apply", folder, "--yes"])).toMatch(/Nothing to change\n$/);

    await workspace.rpc.triggers.update.mutate({
      wId: workspace.wId,
      triggerId: second!.sId,
      version: second!.version,
      isEnabled: false,
    });
    await writeFiles(folder, {
      "triggers/issues.yaml": issues.replace("  filter: body.action = 'opened'", "  filter: null"),
      "triggers/orders.yaml": code.replace("60", "90"),
    });
    const changed = await workspace.run(["apply", folder, "--yes"]);
    expect(changed.stdout).toMatch(
      /~ trigger New issues: title, space, mapping\n[^]*~ trigger orders: eventsPerMinute\n/,
    );
    expect(changed.stderr).not.toMatch(/secret/);
    const [retargeted, limited] = await list(workspace);
    expect(retargeted).toMatchObject({
      sId: first?.sId,
      agent: { agentId: first?.agent?.agentId },
    });
    expect(retargeted?.agent).not.toHaveProperty("spaceId");
    expect(limited).toMatchObject({ eventsPerMinute: 90, disabledFor: "request" });
    expect(await workspace.succeed(["apply", folder, "--yes"])).toMatch(/Nothing to change\n$/);

    await writeFiles(folder, { "triggers/issues.yaml": issues, "triggers/orders.yaml": code });
    await workspace.succeed(["apply", folder, "--yes"]);
    const copy = await openFolder();
    await workspace.succeed(["pull", copy]);
    expect(await readFile(path.join(copy, "triggers/new-issues.yaml"), "utf8")).toBe(issues);
    expect(await readFile(path.join(copy, "triggers/orders.yaml"), "utf8")).toBe(
      `name: orders\n${code.replace("  prefix", "  algorithm: sha256\n  encoding: hex\n  prefix")}`,
    );
    const other = await openWorkspace(server(), "Copied");
    await other.succeed(["apply", copy, "--yes"]);
    const again = await openFolder();
    await other.succeed(["pull", again]);
    expect(await readFiles(again)).toEqual(await readFiles(copy));
  });

  it("show once where events are sent, and what signs them", async () => {
    const workspace = await openWorkspace(server(), "Told once");
    const folder = await openFolder({
      "parley.yaml": "",
      "functions/tally/function.json": tally,
      "triggers/github.yaml": "source: { type: github }\nfunction: tally\n",
      "triggers/stripe.yaml": "source: { type: stripe }\nfunction: tally\n",
      "triggers/url.yaml": "source: { type: url }\nfunction: tally\n",
    });
    const { stdout, stderr } = await workspace.run(["apply", folder, "--yes"]);
    const said = (pattern: RegExp): string => pattern.exec(stderr)?.[1] ?? "";
    const secret = said(/^the secret of trigger github is shown only once: (\S+)$/m);
    const signed = said(/^trigger github receives events at (\S+)$/m);
    const url = said(/^the URL of trigger url is shown only once: (\S+)$/m);
    expect(stdout).not.toContain(secret);
    const body = JSON.stringify({ id: 1 });
    const send = async (place: string, headers: Record<string, string>) => {
      const sent = { "content-type": "application/json", ...headers };
      return (await fetch(place, { method: "POST", headers: sent, body })).status;
    };
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "x-github-event": "issues", "x-github-delivery": "1" };
    expect([
      await send(signed, { ...headers, "x-hub-signature-256": `sha256=${signature}` }),
      await send(signed, { ...headers, "x-hub-signature-256": "sha256=00" }),
      await send(url, {}),
    ]).toEqual([200, 401, 200]);

    const stripe = (await list(workspace)).find(({ name }) => name === "stripe");
    expect(stderr).toContain(`trigger stripe receives events at ${stripe?.url}\n`);
    const rotate = said(/^trigger stripe needs the secret that stripe made: run parley (.*)$/m);
    const words = rotate.replace("<secret>", "whsec_of_stripe").split(" ");
    expect(await workspace.succeed([...words, "--yes"])).toContain("whsec_of_stripe");

    await writeFiles(folder, { "triggers/url.yaml": "source: { type: slack }\nfunction: tally\n" });
    expect(await workspace.fail(["apply", folder, "--yes"])).toMatch(
      /url\.yaml: source: cannot be changed: .* parley triggers remove trg_\w+/,
    );
  });

  it("are removed only if that is asked for", async () => {
    const workspace = await openWorkspace(server(), "Untriggered");
    await workspace.succeed(["apply", await openFolder(files), "--yes"]);
    const less = await openFolder({ "parley.yaml": "" });
    const kept = await workspace.succeed(["apply", less, "--yes"]);
    expect(kept).toContain("? trigger orders: is not in the folder");
    expect(await list(workspace)).toHaveLength(2);
    await workspace.succeed(["apply", less, "--prune", "--yes"]);
    expect(await list(workspace)).toEqual([]);
  });

  it("are checked before anything changes", async () => {
    const workspace = await openWorkspace(server(), "Wrong");
    const url = "source: { type: url }\n";
    const folder = await openFolder({
      "parley.yaml": "",
      "triggers/both.yaml": `${url}agent: helper\nfunction: tally\n`,
      "triggers/mapping.yaml": `${url}agent: helper\nmapping: { type: jsonata, mesage: x }\n`,
      "triggers/none.yaml": url,
      "triggers/notes.txt": "x",
      "triggers/secret.yaml": `${url}agent: helper\nsecret: abcdefgh\n`,
      "triggers/source.yaml": "agent: helper\nsource: { type: gitlab }\n",
    });
    const said = await workspace.fail(["apply", folder, "--yes"]);
    expect(said).toContain("both.yaml: exactly one of agent and function must be there");
    expect(said).toMatch(/mapping\.yaml:3:27: mapping\.mesage: .*did you mean message/);
    expect(said).toContain("none.yaml: exactly one of agent and function must be there");
    expect(said).toContain("notes.txt: is not a trigger: trigger files end in .yaml");
    expect(said).toMatch(/secret\.yaml:3:1: secret: /);
    expect(said).toMatch(/source\.yaml:2:11: source\.type: /);
    const unknown = await openFolder({
      "parley.yaml": "",
      "triggers/x.yaml": `${url}agent: nobody\n`,
    });
    expect(await workspace.fail(["apply", unknown, "--yes"])).toContain(
      "triggers/x.yaml: agents: neither the folder nor the workspace has the agent nobody",
    );
    const broken = await openFolder({
      "parley.yaml": "",
      "functions/tally/function.json": tally,
      "triggers/x.yaml": `${url}function: tally\nmapping: { type: javascript, source: "(" }\n`,
    });
    expect(await workspace.fail(["apply", broken, "--yes"])).toMatch(
      /trigger x: .*mapping\.source: /,
    );
    expect(await list(workspace)).toEqual([]);
  });
});
