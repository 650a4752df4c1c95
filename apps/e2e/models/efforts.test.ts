import { type FakeService, startFakeService } from "@parley/agent/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

let service: FakeService;
const settings: Record<string, string> = {
  PARLEY_ANTHROPIC_API_KEY: "sk-anthropic",
  PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: "4000",
};
beforeAll(async () => {
  service = await startFakeService();
  service.apiKey = settings["PARLEY_ANTHROPIC_API_KEY"]!;
  settings["PARLEY_OPENAI_COMPATIBLE_API_KEY"] = service.apiKey;
  settings["PARLEY_ANTHROPIC_BASE_URL"] = `${service.url}/v1`;
  settings["PARLEY_OPENAI_COMPATIBLE_URL"] = `${service.url}/v1`;
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);

test("an agent's own effort is passed on unless a message chooses one or the model supports none", async () => {
  const { workspaceId: wId } = server().demo;
  const rpc = calls.rpc();
  const own = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
  const without = { providerId: "openai_compatible", modelId: "my/own-model" };
  await rpc.workspaces.update.mutate({ wId, models: [own, without] });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Thinker",
    description: "d",
    model: { ...own, reasoningEffort: "high" },
  });
  const mentions = [{ configurationId: agentConfiguration.sId }];
  for (const modelSelection of [undefined, own, { ...own, reasoningEffort: "none" }, without]) {
    const message = { content: "Hi", mentions, modelSelection };
    // One after the other: they are compared in their order.
    // oxlint-disable-next-line no-await-in-loop
    await calls.call("POST", "", { json: { message, blocking: true } });
  }
  const sent = service.requests.map(({ body }) => JSON.stringify(body));
  expect(sent.map((body) => /"type":"enabled"|"reasoning/.test(body))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
