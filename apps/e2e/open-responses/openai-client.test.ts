import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { approvingAgent } from "../client/approving-agent.ts";
import { createCalls } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";

// What applications of the OpenAI SDK do with the Responses interface, on agents of the workspace.

describe("the Responses interface of the OpenAI SDK", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let client: OpenAI;
  const call = { name: "get_weather", params: { city: "Oslo" } };
  const tools = [
    {
      type: "function" as const,
      name: "get_weather",
      description: "Tells the weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
      strict: false,
    },
  ];
  let forecaster: string;
  beforeAll(async () => {
    const { url, demo } = server();
    client = new OpenAI({ apiKey: demo.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
    forecaster = await calls.createAgent("forecaster", {
      steps: [{ text: "Let me see. ", toolCalls: [call] }, { text: "Result: {{result}}" }],
      tokenDelayMs: 0,
    });
  });

  it("answers, and gives the response again", async () => {
    const response = await client.responses.create({
      model: "agent/helper",
      input: "Hello!",
      metadata: { ticket: "1042" },
    });
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "agent/helper",
      error: null,
      metadata: { ticket: "1042" },
      output_text: expect.stringContaining("You said: Hello!"),
    });
    expect(response.id).toMatch(/^resp_\w{20}$/);
    expect(await client.responses.retrieve(response.id)).toMatchObject({
      ...response,
      output_text: response.output_text,
    });
    const items = await client.responses.inputItems.list(response.id);
    expect(items.data).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello!" }] },
    ]);
    const models = await Array.fromAsync(client.models.list());
    expect(models.map(({ id }) => id)).toContain("agent/helper");
  });

  it("streams, and continues a stream after an event", async () => {
    const stream = client.responses.stream({ model: "helper", input: "Hello!" });
    const events = await Array.fromAsync(stream);
    const final = await stream.finalResponse();
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.map(({ type }) => type).filter((type) => !type.endsWith("delta"))).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(final.output_text).toContain("You said: Hello!");
    const rest = await client.responses.retrieve(final.id, { stream: true, starting_after: 3 });
    expect(await Array.fromAsync(rest)).toEqual(events.slice(4).map(withoutSnapshot));
    const past = { stream: true, starting_after: events.length } as const;
    await expect(client.responses.retrieve(final.id, past)).rejects.toMatchObject({
      status: 400,
      param: "starting_after",
    });
  });

  it("lets the caller's function be called, and continues with its output", async () => {
    const first = await client.responses.create({
      model: `agent/${forecaster}`,
      input: "How is it?",
      tools,
    });
    const called = first.output.find((item) => item.type === "function_call");
    expect(first.output.map(({ type }) => type)).toEqual(["message", "function_call"]);
    expect(called).toMatchObject({ name: "get_weather", arguments: '{"city":"Oslo"}' });
    const second = await client.responses.create({
      model: `agent/${forecaster}`,
      previous_response_id: first.id,
      tools,
      input: [{ type: "function_call_output", call_id: called!.call_id, output: "Rain" }],
    });
    expect(second).toMatchObject({
      status: "completed",
      previous_response_id: first.id,
      output_text: "Result: Rain",
    });
    expect((await client.responses.retrieve(first.id)).output).toEqual(first.output);
    expect((await client.responses.retrieve(second.id)).output).toEqual(second.output);
  });

  it.each([
    [true, "completed"],
    [false, "failed"],
  ])("asks for an approval, and goes on with %s", async (approve, status) => {
    const model = `agent/${await approvingAgent(server())}`;
    const first = await client.responses.create({ model, input: "Buy it" });
    const request = first.output.find((item) => item.type === "mcp_approval_request");
    expect(first.status).toBe("completed");
    expect(first.output.map(({ type }) => type)).toEqual(["message", "mcp_approval_request"]);
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: "mcp_approval_response", approval_request_id: request?.id ?? "", approve }],
    });
    expect(second).toMatchObject({ status: "completed", previous_response_id: first.id });
    expect(second.output).toContainEqual(expect.objectContaining({ type: "mcp_call", status }));
  });

  it("takes up what was said elsewhere, with calls and their outputs", async () => {
    const response = await client.responses.create({
      model: "helper",
      input: [
        { role: "user", content: "My name is Alice." },
        { role: "assistant", content: "Hello Alice!" },
        { role: "user", content: "What is my name?" },
      ],
    });
    expect(response.output_text).toContain("What is my name?");
    const further = await client.responses.create({
      model: "helper",
      previous_response_id: response.id,
      input: "And now?",
    });
    expect(further.conversation).toEqual(response.conversation);
  });

  it("forks where two responses continue the same one", async () => {
    const first = await client.responses.create({ model: "helper", input: "One" });
    const further = { model: "helper", previous_response_id: first.id };
    const [left, right] = await Promise.all(
      ["Left", "Right"].map((input) => client.responses.create({ ...further, input })),
    );
    expect(new Set([left, right].map((one) => one?.conversation?.id)).size).toBe(2);
    const texts = [left, right].map((one) => one?.output_text);
    expect(texts).toEqual([
      expect.stringContaining("You said: Left"),
      expect.stringContaining("You said: Right"),
    ]);
  });

  it("erases what is not stored, and lists it nowhere", { timeout: 90_000 }, async () => {
    const ids = /"sId":"[^"]*"/g;
    const lists = async () => (await calls.call("GET", "?limit=100")).text.match(ids);
    const before = await lists();
    const headers = { "Idempotency-Key": "unstored" };
    const request = { model: "helper", input: "Forget it", store: false };
    const response = await client.responses.create(request, { headers });
    expect(response).toMatchObject({ status: "completed", store: false });
    expect(await lists()).toEqual(before);
    const retrieve = () => client.responses.retrieve(response.id);
    await expect
      .poll(() => retrieve().catch(({ status }: { status: number }) => status), {
        timeout: 60_000,
      })
      .toBe(404);
    await expect(client.responses.create(request, { headers })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining("is erased"),
    });
    const wId = server().demo.workspaceId;
    const asked = { wId, action: "conversations.erase" };
    const { auditEvents } = await calls.rpc().audit.list.query(asked);
    expect(auditEvents.map(({ subjectId }) => `conv_${subjectId}`)).toContain(
      response.conversation?.id,
    );
  });

  it("works in the background, and cancels", async () => {
    const queued = await client.responses.create({
      model: "slowpoke",
      input: "Take your time",
      background: true,
    });
    expect(queued).toMatchObject({ status: "in_progress", background: true });
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: "cancelled" });
    await client.responses.delete(queued.id);
    await expect(client.responses.retrieve(queued.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    [{ model: "nobody", input: "x" }, "model", "no agent nobody"],
    [{ model: "helper", input: "x", store: false, background: true }, "background", "is stored"],
    [{ model: "helper", input: "x", top_p: 0.5 }, "top_p", "must be 1"],
    [{ model: "helper", input: "x", colour: "red" }, "colour", "unknown field"],
    [
      { model: "helper", input: "x", tools: [{ type: "web_search" }] },
      "tools[0].type",
      "hosted tool",
    ],
    [
      { model: "helper", input: "x", previous_response_id: "resp_x" },
      "previous_response_id",
      "no response",
    ],
    [{ model: "helper", input: [{ type: "computer_call" }] }, "input[0].type", "item type"],
    [
      { model: "helper", input: [{ type: "function_call_output", call_id: "a", output: "b" }] },
      "input[0].call_id",
      "no function_call",
    ],
  ])("refuses %j by the member %s", async (body, param, message) => {
    await expect(client.responses.create(body as never)).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
      message: expect.stringContaining(message),
    });
  });

  it("gives a response to nobody who cannot read its conversation", async () => {
    const { id, output } = await client.responses.create({ model: "helper", input: "Mine" });
    const wId = server().demo.workspaceId;
    const created = await calls.rpc().apiKeys.create.mutate({ wId, name: "other", role: "user" });
    const baseURL = `${server().url}/v1`;
    const other = new OpenAI({ apiKey: created.secret, baseURL, maxRetries: 0 });
    const items = [
      { type: "item_reference" as const, id: output[0]?.id ?? "" },
      { role: "user" as const, content: "And?" },
    ];
    const attempts = [
      other.responses.retrieve(id),
      other.responses.retrieve(id, { stream: true }),
      other.responses.cancel(id),
      other.responses.delete(id),
      other.responses.inputItems.list(id),
      other.responses.create({ model: "helper", input: "x", previous_response_id: id }),
      other.responses.create({ model: "helper", input: items }),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      expect(attempt).toMatchObject({ status: "rejected", reason: { status: 404 } });
    }
    expect(await client.responses.retrieve(id)).toMatchObject({ status: "completed" });
  });

  it("refuses a wrong key in the interface's own words", async () => {
    const stranger = new OpenAI({ apiKey: "sk-x", baseURL: `${server().url}/v1`, maxRetries: 0 });
    await expect(stranger.responses.create({ model: "helper", input: "x" })).rejects.toMatchObject({
      status: 401,
      type: "authentication_error",
    });
  });

  it("parses structured answers", async () => {
    const city = z.object({ city: z.string() });
    const agent = await calls.createAgent("city", {
      steps: [{ text: '{"city":"Oslo"}' }],
      tokenDelayMs: 0,
    });
    const response = await client.responses.parse({
      model: agent,
      input: "Which city?",
      text: { format: zodTextFormat(city, "city") },
    });
    expect(response.output_parsed).toEqual({ city: "Oslo" });
  });
});

/** The SDK's stream adds to snapshots what the wire does not have. */
function withoutSnapshot(event: object): object {
  return JSON.parse(JSON.stringify(event)) as object;
}
