import { expect, test } from "vitest";
import { city, format, good, shareAnsweringServer, tokensOf } from "./answering-server.ts";

// Answers in a format, over the whole path of a real model: REST, run, turn, HTTP to the service, log, stream.

const { calls, createAgent, agentOf, ask, tokensUsed, service } = shareAnsweringServer();

test("a service that enforces the schema streams the answer live, and its value stands beside it", async () => {
  service().pieceSize = 4;
  const { answers, events } = await ask([agentOf("openai"), agentOf("anthropic")]);
  for (const [index, answer] of answers.entries()) {
    expect(answer).toMatchObject({ status: "succeeded", content: good, finishReason: "stop" });
    expect(answer.structuredOutput).toEqual({ city: "Oslo" });
    expect(tokensOf(events[index]).length).toBeGreaterThan(1);
    expect(tokensOf(events[index]).join("")).toBe(good);
    expect(events[index]?.at(-1)?.data).toMatchObject({
      type: "agent_message_success",
      message: { content: good, structuredOutput: { city: "Oslo" } },
    });
  }
  expect(service().requests.map(({ answerFormat }) => answerFormat)).toEqual([city, city]);
});

test("elsewhere the text is held back, repaired once and published whole; both steps are billed", async () => {
  service().script.steps = [{ text: "It is Oslo." }, { text: `\`\`\`json\n${good}\n\`\`\`` }];
  const { cId, answers, events } = await ask([agentOf("openai_compatible")]);
  expect(await tokensUsed(cId)).toMatchObject({ steps: 2, inputTokens: 22, outputTokens: 14 });
  expect(answers[0]).toMatchObject({
    content: good,
    structuredOutput: { city: "Oslo" },
    rawContents: [
      { step: 0, content: "" },
      { step: 1, content: good },
    ],
  });
  expect(tokensOf(events[0])).toEqual([good]);
  expect(service().requests).toHaveLength(2);
  const [first, second] = service().requests.map(({ body }) => JSON.stringify(body));
  expect(first).toContain("JSON Schema");
  expect(second).toContain("It is Oslo.");
  expect(second).toContain("it is not JSON");
});

test("an answer that two repairs did not mend fails, and nothing of it was shown", async () => {
  service().script.steps = [{ text: "Oslo" }, { text: '{"town": 1}' }, { text: '{"city": 1}' }];
  const { answers, events } = await ask([agentOf("openai_compatible")]);
  expect(answers[0]).toMatchObject({ status: "failed", content: "" });
  expect(answers[0]).not.toHaveProperty("structuredOutput");
  expect(tokensOf(events[0])).toEqual([]);
  const error = {
    code: "invalid_structured_output",
    message: expect.stringContaining("answer.city: must be string"),
  };
  expect(events[0]?.at(-1)?.data).toMatchObject({ type: "agent_error", error });
  expect(service().requests).toHaveLength(3);
  expect(JSON.stringify(service().requests[2]?.body)).toContain(
    "must have required property 'city'",
  );
});

test("an enforced answer that fails is not repaired", async () => {
  service().script.steps = [{ text: '{"town":"Oslo"}' }, { text: good }];
  const { answers, events } = await ask([agentOf("openai")]);
  expect(answers[0]).toMatchObject({ status: "failed", content: '{"town":"Oslo"}' });
  expect(events[0]?.at(-1)?.data).toMatchObject({ error: { code: "invalid_structured_output" } });
  expect(service().requests).toHaveLength(1);
});

test("a refusal and a cut-off end as such, and never as JSON", async () => {
  for (const id of ["openai", "anthropic", "google_ai_studio", "openai_compatible"] as const) {
    service().faults.push({ kind: "withheld" });
    service().script.steps = [{ text: "I cannot say that." }];
    const { answers, events } = await ask([agentOf(id)]);
    expect(answers[0], id).toMatchObject({
      status: "failed",
      finishReason: "content_filter",
      content: "",
    });
    expect(events[0]?.at(-1)?.data).toMatchObject({ error: { code: "content_filtered" } });
  }
  const rewrite = (frame: string) =>
    frame
      .replace('"finish_reason":"stop"', '"finish_reason":"length"')
      .replace('"end_turn"', '"max_tokens"');
  for (const [id, content] of [
    ["openai_compatible", ""],
    ["anthropic", '{"city": "Os'],
  ] as const) {
    service().faults.push({ kind: "rewritten", rewrite });
    service().script.steps = [{ text: '{"city": "Os' }];
    const { answers } = await ask([agentOf(id)]);
    expect(answers[0]).toMatchObject({ status: "succeeded", finishReason: "length", content });
    expect(answers[0]).not.toHaveProperty("structuredOutput");
  }
});

test("tools are called before the answer, and what is said beside calls is not shown", async () => {
  service().script.steps = [
    { text: "I look it up.", toolCalls: [{ name: "find-city", params: {} }] },
    { text: "{{result}}" },
  ];
  for (const id of ["openai", "google_ai_studio", "openai_compatible"] as const) {
    service().requests.length = 0;
    const agent = await createAgent(id, { responseFormat: format(), functionIds: ["find-city"] });
    const { answers, events } = await ask([agent]);
    expect(answers[0]).toMatchObject({
      content: '{"city":"Oslo"}',
      structuredOutput: { city: "Oslo" },
      actions: [{ toolName: "find-city" }],
    });
    expect(tokensOf(events[0]).join("")).toBe('{"city":"Oslo"}');
    expect(service().requests).toHaveLength(2);
    expect(JSON.stringify(service().requests[1]?.body)).toContain("I look it up.");
    // This service takes a schema or tools.
    expect(service().requests[0]?.answerFormat).toEqual(id === "openai" ? city : undefined);
  }
});

test("a message's format wins over its agents', holds for each of them, and stays when it is retried", async () => {
  const responseFormat = format({ type: "array", items: { type: "integer" } });
  const plain = await createAgent("openai_compatible");
  const simulated = await calls.createAgent("counts", {
    steps: [{ text: " [1] " }],
    tokenDelayMs: 0,
  });
  service().script.steps = [{ text: "[1, 2]" }];
  const { answers } = await ask([agentOf("openai"), plain, simulated], { responseFormat });
  expect(answers.map(({ structuredOutput }) => structuredOutput)).toEqual([[1, 2], [1, 2], [1]]);
  expect(answers.map(({ content }) => content)).toEqual(["[1, 2]", "[1, 2]", "[1]"]);
});

test("an answer may be any JSON, also null", async () => {
  service().script.steps = [{ text: "null" }];
  const { answers } = await ask([agentOf("openai_compatible")], {
    responseFormat: format({ type: "null" }),
  });
  expect(answers[0]).toMatchObject({ content: "null", structuredOutput: null });
});

test("a long schema, which does not come with the claim, holds as well", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`p${index}-${"x".repeat(60)}`, { type: "string" }]),
  );
  const schema = { ...city, properties: { ...city.properties, ...properties } };
  const agent = await createAgent("openai_compatible", { responseFormat: format(schema) });
  service().script.steps = [{ text: "{}" }, { text: good }];
  const { answers } = await ask([agent]);
  expect(answers[0]).toMatchObject({ content: good, structuredOutput: { city: "Oslo" } });
});
