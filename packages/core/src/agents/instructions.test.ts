import { agents } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestAgent, insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { exportAgent, importAgent } from "./agent-files.ts";
import { createGenericAgent } from "./generic-agents.ts";
import { patchAgent } from "./patch-agent.ts";
import { getAgent, getAgentDefinition } from "./read-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };
const wrong = "Greet {{user.nmae}}";
const why =
  'instructions: line 1, column 7: "user.nmae" is not the name of a value. Values are now, ' +
  "user.name, user.email, workspace.name, conversation.id; write {{{{ for {{ as text";

describe("instructions of an agent", () => {
  const test = workspaceTest({ per: "suite", role: "admin", keepRuns: true });

  const patch = async (sId: string, body: object) =>
    patchAgent(
      test.context,
      parseInput(endpoints["agents.patch"], { wId: test.workspaceId, sId, ...body }),
    );
  const importYaml = async (yaml: string, by = test.context) =>
    importAgent(by, parseInput(endpoints["agents.import"], { wId: by.caller.workspace.sid, yaml }));
  const create = async (more: Partial<InputOf<(typeof endpoints)["agents.create"]>> = {}) => {
    const draft = { wId: test.workspaceId, name: "a", description: "", model, ...more };
    return (await test.operator.createAgent(draft)).agentConfiguration.sId;
  };
  const update = async (agentId: string, more: object) =>
    test.operator.updateAgent({ wId: test.workspaceId, agentId, ...more });
  const generic = async (more: object) => {
    const body = { wId: test.workspaceId, name: "g", description: "", instructions: "x", ...more };
    return createGenericAgent(test.context, parseInput(endpoints["agents.createGeneric"], body));
  };
  const stored = async (sid: string) => {
    const { instructions, rendersInstructions } = agents;
    const [row] = await test.core.database.db
      .select({ instructions, rendersInstructions })
      .from(agents)
      .where(and(eq(agents.sid, sid), eq(agents.isCurrent, true)));
    return row;
  };
  /** As versions from before values are stored. */
  const insertOld = async (sid: string, instructions: string) =>
    void (await insertTestAgent(test.core, test.workspace, { sid, instructions }));
  const exported = async (sId: string, by = test.context) => {
    const file = await exportAgent(by, { sId });
    return new TextDecoder().decode((await Array.fromAsync(file.read(0, file.sizeBytes)))[0]);
  };
  const messageOf = async (request: Promise<unknown>): Promise<string> =>
    request.then(
      () => "accepted",
      (error: { status?: number; message: string }) => `${error.status} ${error.message}`,
    );

  it("are refused with an unknown name, however they are saved, and nothing is written", async () => {
    const sId = await create();
    const yaml = `name: y\ndescription: d\nmodel: {providerId: simulated, modelId: simulated-1}\n`;
    const refusals = await Promise.all(
      [
        create({ instructions: wrong }),
        update(sId, { instructions: wrong }),
        patch(sId, { instructions: wrong }),
        importYaml(`${yaml}instructions: ${JSON.stringify(wrong)}`),
        generic({ instructions: wrong }),
        generic({ subAgentName: "s", subAgentInstructions: wrong }),
      ].map(messageOf),
    );
    for (const refusal of refusals) {
      expect(refusal.startsWith("400 ")).toBe(true);
      expect(refusal.replace("subAgentI", "i").replace("yaml.", "")).toContain(why);
    }
    expect(await messageOf(update(sId, { instructions: "{{now" }))).toContain(
      "instructions: line 1, column 1: {{ has no }} after it.",
    );
    const { agentConfiguration } = await getAgent(test.context, { sId });
    expect(agentConfiguration.version).toBe(0);
  });

  it("have values from the version on that is saved with them, however it is saved", async () => {
    const named = { instructions: "Hi {{user.name}}", rendersInstructions: true };
    const created = await create({ instructions: named.instructions });
    expect(await stored(created)).toEqual(named);
    await update(created, { instructions: "Hi" });
    expect(await stored(created)).toEqual({ instructions: "Hi", rendersInstructions: false });
    await patch(created, { instructions: named.instructions });
    expect(await stored(created)).toEqual(named);
    await update(created, { name: "b" });
    expect(await stored(created)).toEqual(named);
    const { agentConfiguration } = await importYaml(
      (await exported(created)).replace(/^sId: .*\n/, ""),
    );
    expect(await stored(agentConfiguration.sId)).toEqual(named);
  });

  const text = "{{user.name}} {{x}} {{{ {{{{now}} }}";
  const escaped = "{{{{user.name}} {{{{x}} {{{{{ {{{{{{{{now}} }}";

  it("of an old version keep braces as text in changes of others, and are shown as they can be saved", async () => {
    await insertOld("old", text);
    const old = { instructions: text, rendersInstructions: false };
    const { agentConfiguration } = await getAgent(test.context, { sId: "old" });
    expect(agentConfiguration.instructions).toBe(escaped);
    await update("old", { name: "b" });
    expect(await stored("old")).toEqual(old);
    await patch("old", { agent: { description: "c" } });
    expect(await stored("old")).toEqual(old);
    // As a form sends all of what it was shown.
    await update("old", { name: "c", instructions: escaped });
    expect(await stored("old")).toEqual(old);
    await patch("old", { instructions: escaped });
    expect(await stored("old")).toEqual(old);
    expect(await messageOf(update("old", { instructions: text }))).toContain('"x" is not the name');
    await update("old", { instructions: `${escaped}{{now}}` });
    expect(await stored("old")).toEqual({
      instructions: `${escaped}{{now}}`,
      rendersInstructions: true,
    });
  });

  it("of an old version mean the same where they are imported, and copied", async () => {
    await insertOld("moved", text);
    const yaml = await exported("moved");
    await importYaml(yaml);
    expect(await stored("moved")).toEqual({ instructions: text, rendersInstructions: false });
    const elsewhere = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const { agentConfiguration } = await importYaml(yaml, elsewhere);
    const copied = { instructions: escaped, rendersInstructions: true };
    expect(await stored(agentConfiguration.sId)).toEqual(copied);
    const again = await exported(agentConfiguration.sId, elsewhere);
    expect(again.replace(/^sId: .*/, "")).toBe(yaml.replace(/^sId: .*/, ""));
    const { agentConfiguration: shown } = await getAgentDefinition(test.context, {
      wId: test.workspaceId,
      agentId: "moved",
    });
    const copy = await create({ instructions: shown.instructions ?? undefined });
    expect(await stored(copy)).toEqual(copied);
  });
});
