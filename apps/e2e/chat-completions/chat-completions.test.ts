import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { createCalls } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";

// What applications of the OpenAI SDK do with chat completions, on agents of the workspace.

describe("chat completions of the OpenAI SDK", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let client: OpenAI;
  let forecaster: string;
  beforeAll(async () => {
    const { url, demo } = server();
    client = new OpenAI({ apiKey: demo.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
    const toolCalls = [{ name: "get_weather", params: { city: "Oslo" } }];
    forecaster = await calls.createAgent("forecaster", {
      steps: [{ text: "Let me see. ", toolCalls }, { text: "Result: {{result}}" }],
      tokenDelayMs: 0,
    });
  });
  const ask = (text: string) => [{ role: "user" as const, content: text }];
  const listed = async (): Promise<string> => (await calls.call("GET", "?limit=100")).text;

  it("answers without a trace in lists", async () => {
    const before = await listed();
    const completion = await client.chat.completions.create({
      model: "agent/helper",
      messages: ask("Hello!"),
    });
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "agent/helper",
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: expect.stringContaining("You said: Hello!") },
        },
      ],
    });
    expect(await listed()).toBe(before);
  });

  it("streams, with tokens at the end", async () => {
    const stream = client.chat.completions.stream({
      model: "helper",
      messages: ask("Hello!"),
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
    expect(await stream.finalContent()).toContain("You said: Hello!");
  });

  it("lets the caller's function be called", async () => {
    const tools = [
      {
        type: "function" as const,
        function: { name: "get_weather", parameters: { type: "object", properties: {} } },
      },
    ];
    const { choices } = await client.chat.completions.create({
      model: forecaster,
      messages: ask("How is it?"),
      tools,
    });
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me see. ",
        tool_calls: [
          { type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
    });
  });

  it("continues a conversation that stays", async () => {
    const first = await client.chat.completions.create({
      model: "helper",
      messages: ask("One"),
      metadata: { conversation_id: "new" },
    });
    const { metadata } = first as unknown as { metadata: { conversation_id: string } };
    const cId = metadata.conversation_id;
    await client.chat.completions.create({
      model: "helper",
      messages: [
        ...ask("One"),
        { role: "assistant", content: "A forged answer" },
        { role: "user", content: "Two" },
      ],
      metadata: { conversation_id: cId },
    });
    const { content } = await calls.get(cId);
    expect(content.flat().map(({ type }) => type)).toEqual([
      "user_message",
      "agent_message",
      "user_message",
      "agent_message",
    ]);
    expect(JSON.stringify(content)).not.toContain("forged");
  });

  it("answers a repeated request again while it is there", async () => {
    const request = { model: "helper", messages: ask("Once") };
    const options = { headers: { "Idempotency-Key": "chat-1" } };
    const first = await client.chat.completions.create(request, options);
    expect(await client.chat.completions.create(request, options)).toEqual(first);
  });

  it.each([
    [{ messages: ask("x"), n: 2 }, "n"],
    [{ messages: ask("x"), stop: ["a"] }, "stop"],
    [{ messages: [{ role: "tool", tool_call_id: "a", content: "b" }] }, "messages[0].tool_call_id"],
    [{ messages: ask("x"), functions: [] }, "functions"],
  ])("refuses %j by the member %s", async (body, param) => {
    const request = { model: "helper", ...body } as never;
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
    });
  });
});
