import { createOpenResponses } from "@ai-sdk/open-responses";
import { createOpenAI } from "@ai-sdk/openai";
import { startFakeService } from "@parley/agent/testing";
import { generateText, isStepCount, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createCalls } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";

// Clients of the AI SDK, on an agent whose model is a service: what the service is asked is what was sent.

const secret = "sk-fake";
const heart =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("the AI SDK's providers", () => {
  let service: Awaited<ReturnType<typeof startFakeService>>;
  const settings: Record<string, string> = { PARLEY_OPENAI_API_KEY: secret };
  beforeAll(async () => {
    service = await startFakeService({ apiKey: secret });
    settings["PARLEY_OPENAI_BASE_URL"] = `${service.url}/v1`;
  });
  afterAll(() => service.close());
  const server = shareServer(settings);
  const calls = createCalls(server);
  let agentId: string;
  beforeAll(async () => {
    const wId = server().demo.workspaceId;
    const models = [
      { providerId: "simulated", modelId: "simulated-1" },
      { providerId: "openai", modelId: "gpt-5" },
    ];
    await calls.rpc().workspaces.update.mutate({ wId, models });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: "seer",
      description: "",
      instructions: "Be kind",
      model: { providerId: "openai", modelId: "gpt-5" },
    });
    agentId = agentConfiguration.sId;
  });
  beforeEach(() => {
    service.requests.length = 0;
  });

  const weather = tool({
    description: "Tells the weather",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `Rain in ${city}`,
  });
  const script = {
    steps: [
      { toolCalls: [{ name: "weather", params: { city: "Oslo" } }] },
      { text: "So it is {{result}}" },
    ],
    tokenDelayMs: 0,
  };
  const providers = {
    "Open Responses": () =>
      createOpenResponses({
        name: "parley",
        url: `${server().url}/v1/responses`,
        apiKey: server().demo.userKey,
      })(`agent/${agentId}`),
    "OpenAI's responses": () =>
      createOpenAI({ baseURL: `${server().url}/v1`, apiKey: server().demo.userKey })(
        `agent/${agentId}`,
      ),
    "OpenAI's chat completions": () =>
      createOpenAI({ baseURL: `${server().url}/v1`, apiKey: server().demo.userKey }).chat(
        `agent/${agentId}`,
      ),
  };

  it.each(Object.entries(providers))(
    "of %s call a tool of the application",
    async (_name, model) => {
      service.script = script;
      const { text, steps } = await generateText({
        model: model(),
        prompt: "How is the weather?",
        tools: { weather },
        stopWhen: isStepCount(3),
        maxRetries: 0,
      });
      expect(text).toBe("So it is Rain in Oslo");
      expect(steps).toHaveLength(2);
      const last = JSON.stringify(service.requests.at(-1)?.body);
      expect(last).toContain("Be kind");
      expect(last).toContain("How is the weather?");
      expect(last).toContain("Rain in Oslo");
    },
  );

  it.each(Object.entries(providers))("of %s stream, with an image", async (_name, model) => {
    service.script = { steps: [{ text: "A heart." }], tokenDelayMs: 0 };
    const result = streamText({
      model: model(),
      maxRetries: 0,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image", image: Buffer.from(heart, "base64"), mediaType: "image/png" },
          ],
        },
      ],
    });
    expect(await result.text).toBe("A heart.");
    expect(JSON.stringify(service.requests[0]?.body)).toContain(heart);
    const { inputTokens } = await result.usage;
    expect(inputTokens).toBe(11);
  });

  it.each(Object.entries(providers))("of %s give what was said before", async (_name, model) => {
    service.script = { steps: [{ text: "Alice." }], tokenDelayMs: 0 };
    await generateText({
      model: model(),
      maxRetries: 0,
      messages: [
        { role: "user", content: "My name is Alice." },
        { role: "assistant", content: "Hello Alice!" },
        { role: "user", content: "What is my name?" },
      ],
    });
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    const order = ["Be kind", "My name is Alice.", "Hello Alice!", "What is my name?"];
    expect(order.map((text) => sent.indexOf(text))).toEqual(
      order.map((text) => sent.indexOf(text)).toSorted((a, b) => a - b),
    );
    expect(sent).toMatch(/"role":"assistant"[^{}]*"content":[^{}]*(\{[^{}]*)?Hello Alice!/);
    expect(sent).not.toContain("<attachment");
  });
});
