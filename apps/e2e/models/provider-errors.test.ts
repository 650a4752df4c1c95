import { type FakeService, startFakeService } from "@parley/agent/testing";
import { CreatedConversation } from "@parley/schema";
import { createRpcClient } from "parley-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openUser, settingsOf } from "../cli/user.ts";
import { readFrames } from "../frames.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";

// A service's own words about a failure: which roles read them, and which do not.

const models = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  openai_compatible: "my/own-model",
};
// The server that a test stops throws if it has logged this.
const secret = "sk-not-logged";
let service: FakeService;
const settings: Record<string, string> = {};
beforeAll(async () => {
  service = await startFakeService();
  for (const name of ["OPENAI", "ANTHROPIC", "GOOGLE_AI_STUDIO", "OPENAI_COMPATIBLE"]) {
    settings[`PARLEY_${name}_API_KEY`] = secret;
    const url = name === "OPENAI_COMPATIBLE" ? "URL" : "BASE_URL";
    settings[`PARLEY_${name}_${url}`] = `${service.url}/v1`;
  }
});
afterAll(() => service.close());
const server = shareServer(settings);
const calls = createCalls(server);

/** Creates an agent with the model of a service, and gives a message that mentions it. */
async function messageFor(providerId: string, modelId: string) {
  const { workspaceId: wId } = server().demo;
  const model = { providerId, modelId };
  await calls.rpc().workspaces.update.mutate({ wId, enableModels: [model] });
  const agent = { wId, name: modelId, description: "", model };
  const { agentConfiguration } = await calls.rpc().agents.create.mutate(agent);
  return { content: "Hi", mentions: [{ configurationId: agentConfiguration.sId }] };
}

const follow = async (cId: string, mId: string) =>
  Array.fromAsync(readFrames(await calls.stream(`/${cId}/messages/${mId}/events`)));

test("an answer that was withheld fails, and says why where it is read", async () => {
  service.faults.push({
    kind: "rewritten",
    rewrite: (frame) => frame.replace('"end_turn"', '"refusal"'),
  });
  const message = await messageFor("anthropic", models.anthropic);
  const { text } = await calls.call("POST", "", { json: { message, blocking: true } });
  const { sId } = CreatedConversation.parse(JSON.parse(text)).conversation;
  const [answer] = answersOf(await calls.get(sId));
  const finishReason = "content_filter";
  expect(answer).toMatchObject({ status: "failed", content: "You said: Hi", finishReason });
  const error = { code: "content_filtered" };
  const events = await follow(sId, answer?.sId ?? "");
  expect(events.at(-1)?.data).toMatchObject({ data: { type: "agent_error", error } });
});

test("what a service said of a failure is for builders and admins, and in no answer to users", async () => {
  const { workspaceId: wId, userKey } = server().demo;
  const explained = `No model for ${secret}, or "${secret}"`;
  const user = createRpcClient({ url: server().url, apiKey: userKey });
  const { run } = await openUser();
  for (const [id, modelId] of Object.entries(models)) {
    const name = id === "anthropic" ? "request-id" : "x-request-id";
    const headers = { [name]: "req_42" };
    service.faults.push({ kind: "status", status: 404, message: explained, headers });
    const json = { message: await messageFor(id, modelId), blocking: true };
    const created = await calls.call("POST", "", { json, key: userKey });
    const { conversation } = CreatedConversation.parse(JSON.parse(created.text));
    const runId = conversation.content.at(-1)?.at(-1)?.sId ?? "";
    const providerError = { message: 'No model for [hidden], or "[hidden]"', requestId: "req_42" };
    expect(await calls.rpc().runs.get.query({ wId, runId })).toMatchObject({ providerError });
    const shown = await run(["runs", "get", runId], "", settingsOf(server()));
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(providerError.message),
    });
    const seen = [
      created.text,
      await calls.get(conversation.sId, userKey),
      await follow(conversation.sId, runId),
      await user.runs.get.query({ wId, runId }),
    ];
    expect(JSON.stringify(seen)).toContain("provider_error");
    expect(JSON.stringify(seen)).not.toMatch(/No model for|req_42/);
  }
});
