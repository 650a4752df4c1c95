import { CreatedConversation } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// The interface: which models a workspace may use, and what is done about others.

const server = shareServer();
const calls = createCalls(server);

const simulated = { providerId: "simulated", modelId: "simulated-1" };
const american = { providerId: "simulated", modelId: "simulated-us" };
const noop = { providerId: "noop", modelId: "noop" };

type Settings = Omit<
  Parameters<ReturnType<typeof calls.rpc>["workspaces"]["update"]["mutate"]>[0],
  "wId"
>;

/** A workspace of its own, with an agent of each model. */
async function openWorkspace() {
  const operator = calls.operator();
  const { workspace, adminKey: key } = await operator.workspaces.create.mutate({ name: "Models" });
  const workspaceId = workspace.sId;
  const root = `/api/v1/w/${workspaceId}/assistant/conversations`;
  const createAgent = async (model: typeof simulated) => {
    const agent = { wId: workspaceId, name: model.modelId, description: "", model };
    return (await operator.agents.create.mutate(agent)).agentConfiguration.sId;
  };
  return {
    agents: { simulated: await createAgent(simulated), american: await createAgent(american) },
    configure: (settings: Settings) =>
      operator.workspaces.update.mutate({ wId: workspaceId, ...settings }),
    create: (agents: string[], modelSelection?: object | null) =>
      send(server(), {
        path: root,
        key,
        json: {
          message: { content: "x", mentions: mentionOf(...agents), modelSelection },
          blocking: true,
        },
      }),
    send: (tail: string, json?: unknown) =>
      send(server(), { method: json === undefined ? "GET" : "POST", path: root + tail, key, json }),
  };
}

/** The agent message of an answer, which must have succeeded. */
function answerIn(answer: Answer) {
  const { conversation } = jsonOf(answer, CreatedConversation).parsed;
  const message = conversation.content[1]?.[0];
  expect(message).toMatchObject({ type: "agent_message", status: "succeeded" });
  return message;
}

const refused = [
  { name: "an unknown provider", selection: { providerId: "nobody", modelId: "gpt-5" } },
  { name: "an unknown model", selection: { providerId: "openai", modelId: "gpt-0" } },
  { name: "a model that is not enabled", selection: { providerId: "openai", modelId: "gpt-5" } },
  { name: "another provider's model", selection: { providerId: "noop", modelId: "simulated-1" } },
  {
    name: "a pair in another case",
    selection: { providerId: "Simulated", modelId: "simulated-1" },
  },
  {
    name: "a pair cut elsewhere",
    selection: { providerId: "simulated/simulated-1", modelId: "x" },
  },
  { name: "__proto__", selection: { providerId: "__proto__", modelId: "constructor" } },
];

test("a model that the workspace may not use is refused, whichever agent is mentioned", async () => {
  const { agents, create, send: ask } = await openWorkspace();
  for (const { name, selection } of refused) {
    for (const mentioned of [[], ["nobody"], [agents.simulated], Object.values(agents)]) {
      const answer = await create(mentioned, selection);
      expectError(answer, "model_disabled");
      expect(answer.text, name).toContain(selection.modelId);
    }
  }
  // A refused request leaves no trace.
  expect((await ask("")).text).toContain('"conversations":[]');
});

test("a model outside the region is refused when only the region's are usable", async () => {
  const { agents, configure, create } = await openWorkspace();
  await configure({ region: "eu" });
  answerIn(await create([agents.american]));
  answerIn(await create([agents.simulated], american));
  await configure({ regionalModelsOnly: true });
  expectError(await create([], american), "model_disabled");
  expectError(await create([agents.american]), "model_disabled");
  expectError(await create(Object.values(agents)), "model_disabled");
  answerIn(await create([agents.simulated]));
  await configure({ region: "us" });
  const { conversation } = jsonOf(await create([], american), CreatedConversation).parsed;
  expect(conversation.owner.regionalModelsOnly).toBe(true);
  answerIn(await create([agents.american]));
});

test("an agent's own model is checked if there is no override, and only there", async () => {
  const { agents, configure, create, send: ask } = await openWorkspace();
  const { conversation } = jsonOf(await create([agents.simulated]), CreatedConversation).parsed;
  const { sId } = conversation.content[1]?.[0] ?? {};
  await configure({ models: [noop] });
  expectError(await create([agents.simulated]), "model_disabled");
  expectError(await create(["nobody", agents.simulated], null), "model_disabled");
  expect((await create(["nobody"])).status).toBe(200);
  expect(answerIn(await create([agents.simulated], noop))).toMatchObject({
    configuration: { model: simulated },
  });
  expectError(await create([agents.simulated], simulated), "model_disabled");
  // The same for what is added to a conversation.
  const cId = conversation.sId;
  const post = { content: "x", mentions: mentionOf(agents.simulated) };
  expectError(await ask(`/${cId}/messages`, post), "model_disabled");
  const nobody = { content: "x", mentions: [], modelSelection: simulated };
  expectError(await ask(`/${cId}/messages`, nobody), "model_disabled");
  expectError(await ask(`/${cId}/messages/${sId}/retry`, {}), "model_disabled");
  expect((await ask(`/${cId}/messages`, { ...post, modelSelection: noop })).status).toBe(200);
  await configure({ models: [noop, simulated] });
  expect((await ask(`/${cId}/messages`, post)).status).toBe(200);
  expect((await ask(`/${cId}/messages/${sId}/retry`, {})).status).toBe(200);
});

test.for([noop, simulated, american])(
  "an effort is honoured or ignored, never refused: $modelId",
  async (model) => {
    const { agents, create } = await openWorkspace();
    for (const reasoningEffort of ["none", "light", "medium", "high", null, undefined]) {
      const answer = answerIn(await create([agents.simulated], { ...model, reasoningEffort }));
      expect(answer).toMatchObject({ configuration: { model: simulated } });
    }
  },
);

const malformed = [
  { selection: {}, field: "providerId" },
  { selection: { providerId: "noop" }, field: "modelId" },
  { selection: { providerId: "", modelId: "noop" }, field: "providerId" },
  { selection: { providerId: "noop", modelId: 1 }, field: "modelId" },
  { selection: { providerId: null, modelId: "noop" }, field: "providerId" },
  { selection: { ...noop, reasoningEffort: "extreme" }, field: "reasoningEffort" },
  { selection: { ...noop, reasoningEffort: "High" }, field: "reasoningEffort" },
  { selection: { ...noop, reasoningEffort: "" }, field: "reasoningEffort" },
  { selection: { ...noop, reasoningEffort: 1 }, field: "reasoningEffort" },
  {
    selection: { providerId: "nobody", modelId: "x", reasoningEffort: "x" },
    field: "reasoningEffort",
  },
];

test("a malformed selection is an invalid request, not a disabled model", async () => {
  const { create, agents } = await openWorkspace();
  for (const { selection, field } of malformed) {
    for (const mentioned of [[], [agents.simulated]]) {
      expectError(await create(mentioned, selection), "invalid_request_error", {
        message: "Invalid request body: ",
        field: `message.modelSelection.${field}`,
      });
    }
  }
  for (const selection of ["noop", [], 1]) {
    const answer = await create([], selection as unknown as object);
    expectError(answer, "invalid_request_error", { field: "message.modelSelection" });
  }
  expect((await create([], null)).status).toBe(200);
});

test("a workspace enables only models that there are", async () => {
  const { configure } = await openWorkspace();
  const models = [{ providerId: "nobody", modelId: "x" }];
  await expect(configure({ models })).rejects.toMatchObject({ data: { type: "model_disabled" } });
  // One whose id holds slashes comes back as it was.
  const kimi = { providerId: "fireworks", modelId: "accounts/fireworks/models/kimi-k2-instruct" };
  expect(await configure({ models: [kimi] })).toMatchObject({ models: [kimi] });
});
