import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeService, startFakeService } from "@parley/agent/testing";
import { shareServer } from "../server.ts";
import { clock, createToolAsker, weather } from "./ask-with-tools.ts";

// Over the whole path of a real model: REST, run, turn, HTTP to the service, and back.

const models = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  openai_compatible: "my/own-model",
};
const secret = "sk-not-logged";
const settings: Record<string, string> = { PARLEY_MODEL_RETRIES: "0" };
let service: FakeService;
beforeAll(async () => {
  service = await startFakeService({ apiKey: secret });
  for (const name of ["OPENAI", "ANTHROPIC", "GOOGLE_AI_STUDIO", "OPENAI_COMPATIBLE"]) {
    settings[`PARLEY_${name}_API_KEY`] = secret;
    const setting = name === "OPENAI_COMPATIBLE" ? "URL" : "BASE_URL";
    settings[`PARLEY_${name}_${setting}`] = `${service.url}/v1`;
  }
});
afterAll(() => service.close());
const server = shareServer(settings);
const { calls, ask, callsOf, send, endOf } = createToolAsker(server);

test.each(Object.entries(models))(
  "a model of %s calls the application's tools",
  async (...pair) => {
    const [providerId, modelId] = pair;
    const wId = server().demo.workspaceId;
    const model = { providerId, modelId };
    await calls.rpc().workspaces.update.mutate({ wId, models: [model] });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: `Of ${providerId}`,
      description: "",
      model,
    });
    const params = { city: "Oslo" };
    const toolCalls = [
      { name: "get_weather", params },
      { name: "get_time", params: {} },
    ];
    service.requests.length = 0;
    service.script = { steps: [{ toolCalls }, { text: "So: {{result}}" }], tokenDelayMs: 0 };
    const asked = await ask(agentConfiguration.sId, {
      toolChoice: { name: "get_weather" },
      temperature: 0.25,
      maxOutputTokens: 99,
    });
    const found = await callsOf(asked, 2);
    expect(found.map(({ data }) => [data["functionName"], data["inputs"]])).toEqual([
      ["get_weather", params],
      ["get_time", {}],
    ]);
    const [first, second] = found.map(({ data }) => String(data["actionId"]));
    await send(asked, [
      { actionId: second!, output: "Noon" },
      { actionId: first!, output: "Rain" },
    ]);
    const { answer } = await endOf(asked);
    expect(answer).toMatchObject({ status: "succeeded", content: "So: Noon" });
    const [, again] = service.requests;
    expect(service.requests).toHaveLength(2);
    for (const { json } of service.requests) {
      expect(json).toContain(weather.description);
      expect(json).toContain(clock.description);
      expect(json).toContain("99");
      // In the order in which they were sent, and after a claim too.
      expect(json.indexOf('"get_weather"')).toBeLessThan(json.indexOf('"get_time"'));
    }
    expect(again?.json).toContain("Rain");
    // A later turn is given what was called before.
    service.script = { steps: [{ text: "Bye" }], tokenDelayMs: 0 };
    const mentions = [{ configurationId: agentConfiguration.sId }];
    const tools = { functionTools: [weather], toolChoice: "auto" };
    const { agentMessages } = await calls.post(asked.cId, { content: "And?", mentions, ...tools });
    const later = await endOf({ cId: asked.cId, mId: agentMessages[0]!.sId });
    expect(later.answer?.content).toBe("Bye");
    expect(service.requests.at(-1)?.json).toContain("Rain");
    // A message that lets nothing be called offers nothing.
    const none = { content: "Well?", mentions, functionTools: [weather], toolChoice: "none" };
    const posted = await calls.post(asked.cId, none);
    await endOf({ cId: asked.cId, mId: posted.agentMessages[0]!.sId });
    expect(service.requests.at(-1)?.body).not.toHaveProperty("tools");
  },
);
