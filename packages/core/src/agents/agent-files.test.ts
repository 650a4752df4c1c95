import { agents } from "@parley/db";
import { endpoints, parseInput, type SimulatedScript } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { createSkill } from "../skills/skill-administration.ts";
import { exportAgent, importAgent } from "./agent-files.ts";
import { getAgentDefinition } from "./read-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1", temperature: 0.25 };

describe("agents as files", () => {
  const test = workspaceTest({ per: "suite", role: "builder", keepRuns: true });
  let other: CoreContext;
  beforeAll(async () => {
    other = await openTestContext(test.core, await insertTestWorkspace(test.core), "builder");
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
  });

  const write = async (sId: string, by = test.context) => {
    const file = await exportAgent(by, { sId });
    const [bytes] = await Array.fromAsync(file.read(0, file.sizeBytes));
    return new TextDecoder().decode(bytes);
  };
  const read = (yaml: string, by = test.context) => {
    const raw = { wId: by.caller.workspace.sid, yaml };
    return importAgent(by, parseInput(endpoints["agents.import"], raw));
  };
  const define = async (agentId: string, by = test.context) => {
    const wId = by.caller.workspace.sid;
    const { agentConfiguration, ...more } = await getAgentDefinition(by, { wId, agentId });
    const { id: _id, version: _version, versionCreatedAt: _at, ...agent } = agentConfiguration;
    return { agent, ...more };
  };
  const script: SimulatedScript = {
    tokenDelayMs: 0,
    steps: [{ text: "yes: no # \u2028 @{{x}}" }],
  };
  const createSkilled = async () => {
    const skill = { wId: test.workspaceId, name: "s", agentFacingDescription: "x" };
    const { skill: made } = await createSkill(
      test.context,
      parseInput(endpoints["skills.create"], skill),
    );
    const created = await test.operator.createAgent({
      wId: test.workspaceId,
      name: "null",
      description: "- a: *b\n\ttabs and  trailing \nspaces\r\n\u0085 & é 😀",
      instructions: "Line 1\r\nline 2\n\n  indented\n# no comment\n---\n",
      model: { ...model, reasoningEffort: "medium" },
      fallbackModels: [{ providerId: "noop", modelId: "noop" }],
      scope: "hidden",
      maxStepsPerRun: 3,
      tags: [{ name: "null", kind: "- x" }],
      script,
      skillIds: [made.sId],
      functionIds: ["add"],
    });
    return created.agentConfiguration.sId;
  };

  it("imports what was exported as an equal agent: a new version of the same", async () => {
    const sId = await createSkilled();
    const before = await define(sId);
    const yaml = await write(sId);
    await test.operator.updateAgent({
      wId: test.workspaceId,
      agentId: sId,
      name: "Other",
      instructions: "Other",
      model: { ...model, reasoningEffort: null },
      fallbackModels: [],
      tags: [],
      skillIds: [],
      functionIds: [],
      script: { steps: [{ text: "other" }] },
    });
    const { agentConfiguration, skippedActions } = await read(yaml);
    expect(agentConfiguration).toMatchObject({ sId, version: 2 });
    expect(skippedActions).toEqual([]);
    expect(await define(sId)).toEqual(before);
    expect(await write(sId)).toBe(yaml);
  });

  it("takes what is not in the file from the agent", async () => {
    const sId = await createSkilled();
    const yaml = JSON.stringify({ sId, name: "Short", description: "", model });
    await read(yaml);
    const rows = await test.core.database.db.select().from(agents).where(eq(agents.sid, sId));
    expect(rows.find(({ isCurrent }) => isCurrent)).toMatchObject({
      version: 1,
      name: "Short",
      instructions: null,
      script: null,
      reasoningEffort: null,
      fallbackModels: [],
      tags: [],
    });
  });

  it("creates an agent if there is none, without what the workspace does not have", async () => {
    const sId = await createSkilled();
    const { agentConfiguration, skippedActions } = await read(await write(sId), other);
    expect(agentConfiguration).toMatchObject({ name: "null", version: 0, scope: "hidden" });
    expect(agentConfiguration.sId).not.toBe(sId);
    expect(skippedActions).toMatchObject([
      { reason: "The workspace has no such skill" },
      { name: "add", reason: "The workspace has no such function" },
    ]);
    expect((await define(sId)).agent.name).toBe("null");
  });

  it("leaves a built-in agent what it is, and creates none", async () => {
    await insertTestAgent(test.core, test.workspace, { sid: "builtin", scope: "global" });
    const yaml = await write("builtin");
    expect((await read(yaml)).agentConfiguration).toMatchObject({
      sId: "builtin",
      scope: "global",
    });
    expect((await read(yaml, other)).agentConfiguration).toMatchObject({ scope: "visible" });
  });

  it.each([
    ["[", "yaml"],
    ["name: x\nextra: 1", "yaml"],
    ["a: &a 1\nb: *a", "yaml"],
    [JSON.stringify({ name: "", description: "", model }), "yaml.name"],
    [JSON.stringify({ name: "a\u0000", description: "", model }), "yaml.name"],
    [
      JSON.stringify({ name: "a", description: "", model: { ...model, reasoningEffort: "x" } }),
      "yaml.model.reasoningEffort",
    ],
    [JSON.stringify({ name: "a", description: "", model, tags: [{}] }), "yaml.tags[0].name"],
    [JSON.stringify({ name: "a", description: "", model, script: "{}" }), "yaml.script.steps"],
    [JSON.stringify({ name: "a", description: "", model, script: "{" }), undefined],
  ])("refuses %j, and names the fault", async (yaml, path) => {
    const count = () => test.core.database.db.$count(agents);
    const before = await count();
    const refused = await read(yaml).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: "invalid_request_error" });
    const { issues = [] } = refused as { issues?: { path: string }[] };
    expect([undefined, ...issues.map((issue) => issue.path)]).toContain(path);
    expect(await count()).toBe(before);
  });

  it("refuses a model that the workspace may not use, and an unknown agent", async () => {
    const costly = { providerId: "openai", modelId: "gpt-5" };
    const yaml = JSON.stringify({ name: "x", description: "", model: costly });
    expect(await refusalOf(read(yaml))).toBe("400 model_disabled");
    expect(await refusalOf(write("nobody"))).toBe("404 agent_not_found");
    expect(await refusalOf(write(await createSkilled(), other))).toBe("404 agent_not_found");
  });
});
