import { agents } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { importAgent } from "./agent-files.ts";
import { patchAgent } from "./patch-agent.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };
const noop = { providerId: "noop", modelId: "noop" };
const costly = { providerId: "openai", modelId: "gpt-5" };

const test = workspaceTest({ role: "admin" });

const create = async (fallbackModels: readonly object[]) => {
  const draft = { wId: test.workspaceId, name: "Ann", description: "", model };
  return test.operator.createAgent({ ...draft, fallbackModels: [...fallbackModels] as never });
};

it("an agent keeps the models that answer in its place with each version", async () => {
  const { agentConfiguration, fallbackModels } = await create([noop]);
  expect(fallbackModels).toEqual([noop]);
  const { sId: agentId } = agentConfiguration;
  const change = async (changed: object) => {
    const changes = { wId: test.workspaceId, agentId, ...changed };
    return (await test.operator.updateAgent(changes)).fallbackModels;
  };
  expect(await change({ name: "Anna" })).toEqual([noop]);
  // What becomes the agent's own model no longer answers in its place.
  expect(await change({ model: noop })).toEqual([]);
  expect(await change({ fallbackModels: [model] })).toEqual([model]);
  const generation_settings = { provider_id: model.providerId, model_id: model.modelId };
  const patch = { wId: test.workspaceId, sId: agentId, generation_settings };
  await patchAgent(test.context, parseInput(endpoints["agents.patch"], patch));
  const versions = await test.core.database.db
    .select({ fallbackModels: agents.fallbackModels })
    .from(agents)
    .where(and(eq(agents.sid, agentId), eq(agents.workspaceId, test.workspace.id)))
    .orderBy(agents.version);
  expect(versions.map((version) => version.fallbackModels)).toEqual([
    [noop],
    [noop],
    [],
    [model],
    [],
  ]);
});

it("each way to save an agent refuses a model that is not enabled, by its place, and one that is named twice", async () => {
  const { agentConfiguration } = await create([]);
  const { sId: agentId } = agentConfiguration;
  const before = await test.core.database.db.$count(agents);
  const waysOf = (fallbackModels: readonly object[]) => {
    const yaml = { name: "Ann", description: "", model, fallbackModels };
    return [
      () => create(fallbackModels),
      () =>
        test.operator.updateAgent({
          wId: test.workspaceId,
          agentId,
          fallbackModels: [...fallbackModels] as never,
        }),
      () => importAgent(test.context, { yaml: JSON.stringify(yaml) }),
    ];
  };
  const disabled = /fallbackModels\[1\]: The model gpt-5 of openai is not enabled/;
  for (const save of waysOf([noop, costly])) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as people save
    await expect(save()).rejects.toThrow(disabled);
    // oxlint-disable-next-line no-await-in-loop
    expect(await refusalOf(save())).toBe("400 model_disabled");
  }
  const twice = /fallbackModels\[1\]: noop\/noop is named twice/;
  for (const save of waysOf([noop, noop])) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(save()).rejects.toThrow(twice);
  }
  for (const save of waysOf([model])) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(save()).rejects.toThrow(/fallbackModels\[0\]: simulated\/simulated-1 is named/);
  }
  const many = Array.from({ length: 4 }, (_, index) => ({ ...noop, modelId: `noop-${index}` }));
  for (const save of waysOf(many)) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await refusalOf(save())).toBe("400 invalid_request_error");
  }
  expect(await test.core.database.db.$count(agents)).toBe(before);
});
