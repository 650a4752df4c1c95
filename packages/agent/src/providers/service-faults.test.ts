import { expect, it, describe, onTestFinished } from "vitest";
import { MAX_ANSWER_CHARACTERS } from "../run-step.ts";
import {
  ask,
  createStart,
  ended,
  errorsOf,
  limits,
  secret,
  textOf,
  wires,
} from "../../testing/called-service.ts";
import { type Fault, startFakeService } from "../../testing/fake-service.ts";
import { run } from "../../testing/played-turn.ts";
import { createServiceProvider } from "./service-provider.ts";
import type { CallLimits } from "./stream-step.ts";

const start = createStart(onTestFinished);

describe.each(wires)("a call of %s", (id, modelId) => {
  const play = async (faults: readonly Fault[], given: Partial<CallLimits> = {}) => {
    const { service, provider } = await start(id, given);
    service.faults.push(...faults);
    const parts = await Array.fromAsync(provider.streamStep(ask({ modelId })));
    return { service, parts };
  };
  const busy: Fault = { kind: "status", status: 429, headers: { "retry-after": "0" } };
  const down: Fault = { kind: "status", status: 500 };

  it("is retried if it failed before its first token", async () => {
    const { service, parts } = await play([busy, down]);
    expect(errorsOf(parts)).toEqual([]);
    expect(parts.slice(0, 2)).toMatchObject([
      { type: "retry", code: "provider_rate_limited", pauseMs: expect.any(Number) },
      { type: "retry", code: "provider_unavailable", pauseMs: expect.any(Number) },
    ]);
    expect(textOf(parts)).toBe("All is well, and has been for long");
    expect(service.requests).toHaveLength(3);
  });

  it("fails as a value with a stable code, without the credential", async () => {
    const cases: [Fault, string, number][] = [
      [busy, "provider_rate_limited", 3],
      [down, "provider_unavailable", 3],
      [{ kind: "status", status: 401, message: `Bad key ${secret}` }, "provider_auth_error", 1],
      [{ kind: "status", status: 403 }, "provider_auth_error", 1],
      [{ kind: "status", status: 400, message: "prompt is too long" }, "context_too_long", 1],
      [{ kind: "status", status: 400, message: "content_filter" }, "content_filtered", 1],
      [{ kind: "status", status: 404, message: "no such model" }, "provider_error", 1],
      [
        { kind: "status", status: 429, message: "You exceeded your quota: insufficient_quota" },
        "provider_rate_limited",
        1,
      ],
      [
        { kind: "status", status: 429, headers: { "retry-after": "3600" } },
        "provider_rate_limited",
        1,
      ],
    ];
    const { service, provider } = await start(id);
    for (const [fault, code, calls] of cases) {
      service.requests.length = 0;
      service.faults.splice(0, Infinity, fault, fault, fault);
      const parts = await Array.fromAsync(provider.streamStep(ask({ modelId })));
      expect(ended(parts)).toEqual([expect.objectContaining({ type: "error", code })]);
      expect(service.requests).toHaveLength(calls);
      const [error] = errorsOf(parts);
      // What is logged of an error: its message, its stack, and what else it has.
      const cause = error?.cause as Error;
      expect(`${error?.message} ${cause.stack}`).not.toContain(secret);
      expect(Object.keys(cause)).toEqual([]);
    }
  });

  it("keeps the text from before the connection broke, and is not retried", async () => {
    const { service, parts } = await play([{ kind: "cut", afterFrames: 4 }]);
    expect(textOf(parts)).not.toBe("");
    expect("All is well, and has been for long").toContain(textOf(parts));
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "provider_unavailable" });
    expect(service.requests).toHaveLength(1);
  });

  it("treats an answer without a finish reason as incomplete", async () => {
    const { parts } = await play([{ kind: "ended", afterFrames: 4 }]);
    expect(textOf(parts)).not.toBe("");
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "provider_unavailable" });
  });

  it("fails when the service reports an error after its text", async () => {
    const { service, parts } = await play([{ kind: "broken off", afterFrames: 4 }]);
    expect(textOf(parts)).not.toBe("");
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "provider_rate_limited" });
    expect(service.requests).toHaveLength(1);
  });

  it("fails at a malformed chunk", async () => {
    const { parts } = await play([{ kind: "malformed", afterFrames: 4 }]);
    expect(textOf(parts)).not.toBe("");
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "provider_unavailable" });
  });

  it("ends when the service is silent for too long", async () => {
    const { service, parts } = await play([{ kind: "silent", afterFrames: 4 }], { idleMs: 500 });
    expect(textOf(parts)).not.toBe("");
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "timed_out" });
    await service.idle();
  });

  const counts = /"(\w*tokens|\w*TokenCount)":\d+/g;
  const usage = /"(usage\w*)":\{(?:[^{}]|\{[^{}]*\})*\}/;
  it.each([
    ["in words", (frame: string) => frame.replaceAll(counts, '"$1":"many"'), true],
    ["missing", (frame: string) => frame.replaceAll(counts, '"$1":null'), false],
    ["a text", (frame: string) => frame.replace(usage, '"$1":"many"'), true],
    ["negative", (frame: string) => frame.replaceAll(counts, '"$1":-1'), true],
    ["numbers", (frame: string) => frame, false],
  ])("does not fail for counts of tokens that are %s", async (_name, rewrite, isUnreadable) => {
    const { service, parts } = await play([{ kind: "rewritten", rewrite }]);
    expect(errorsOf(parts)).toEqual([]);
    expect(textOf(parts)).toBe("All is well, and has been for long");
    expect(parts).toContainEqual({ type: "finish", reason: "stop" });
    const unreadable = parts.filter(({ type }) => type === "unreadable_usage");
    expect(unreadable).toHaveLength(isUnreadable ? 1 : 0);
    expect(service.requests).toHaveLength(1);
  });

  it("says why the model stopped", async () => {
    const cut = (frame: string) =>
      frame
        .replace('"finish_reason":"stop"', '"finish_reason":"length"')
        .replace('"end_turn"', '"max_tokens"')
        .replace('"STOP"', '"MAX_TOKENS"')
        .replaceAll("response.completed", "response.incomplete")
        .replace(
          /"status":"completed","usage"/,
          '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage"',
        );
    const { parts } = await play([{ kind: "rewritten", rewrite: cut }]);
    expect(errorsOf(parts)).toEqual([]);
    expect(parts).toContainEqual({ type: "finish", reason: "length" });
    const { parts: whole } = await play([]);
    expect(whole).toContainEqual({ type: "finish", reason: "stop" });
  });

  it("sends the workspace's credential in place of the deployment's, and the trace", async () => {
    const { service, provider } = await start(id);
    service.apiKey = "sk-of-the-workspace";
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const own = ask({ modelId, apiKey: service.apiKey, traceparent });
    expect(errorsOf(await Array.fromAsync(provider.streamStep(own)))).toEqual([]);
    expect(service.requests[0]?.headers.traceparent).toBe(traceparent);
  });
});

describe("a service provider", () => {
  it("ends a call that takes too long in all", async () => {
    const { service, provider } = await start("openai_compatible", { callMs: 60 });
    service.script = { steps: [{ text: "word ".repeat(5000) }], tokenDelayMs: 5 };
    const parts = await Array.fromAsync(provider.streamStep(ask()));
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "timed_out" });
    await service.idle();
  });

  it("aborts an answer of 10 MB, and keeps the text that fits", async () => {
    const { service, provider } = await start("openai_compatible");
    service.pieceSize = 64 * 1024;
    service.script.steps = [{ text: "x".repeat(10 * 1024 * 1024) }];
    const last = (await run(provider, { prompt: ask().prompt })).at(-1);
    expect(last).toMatchObject({ type: "finished", error: { code: "output_too_large" } });
    expect(last).toHaveProperty("content.length", MAX_ANSWER_CHARACTERS);
    await service.idle();
  });

  it("sends back OpenAI's encrypted reasoning, which is not stored there", async () => {
    const { service, provider } = await start("openai");
    service.script.steps = [{ reasoning: "Hm", toolCalls: [{ name: "look", params: {} }] }, {}];
    const tools = [{ name: "look", description: "", inputSchema: { type: "object" } }];
    const request = ask({ modelId: "gpt-5", tools });
    const parts = await Array.fromAsync(provider.streamStep(request));
    const replay = parts.find((part) => part.type === "replay")?.replay;
    const finishedSteps = [{ step: 0, content: "", replay }];
    const finishedCalls = [{ id: "call_0_0", name: "look", params: {}, output: "x", step: 0 }];
    await Array.fromAsync(
      provider.streamStep({ ...request, step: 1, finishedSteps, finishedCalls }),
    );
    expect(service.requests[0]?.body).toMatchObject({ store: false });
    expect(JSON.stringify(service.requests[1]?.body)).toContain("encrypted_0");
  });

  it("calls no service without a credential, unless none is needed", async () => {
    const none = createServiceProvider("openai", {}, limits);
    const [part] = await Array.fromAsync(none.streamStep(ask()));
    expect(part).toMatchObject({ type: "error", code: "provider_auth_error" });
    const service = await startFakeService();
    onTestFinished(service.close);
    const access = { baseUrl: `${service.url}/v1` };
    const own = createServiceProvider("openai_compatible", access, limits);
    expect(textOf(await Array.fromAsync(own.streamStep(ask())))).toBe("You said: Hi");
    expect(service.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("does not follow a redirect with its credential", async () => {
    const { service, provider } = await start("anthropic");
    const location = `${service.url}/v1/messages`;
    service.faults.push({ kind: "status", status: 307, headers: { location } });
    service.faults.push({ kind: "status", status: 307, headers: { location } });
    service.faults.push({ kind: "status", status: 307, headers: { location } });
    const parts = await Array.fromAsync(provider.streamStep(ask({ modelId: "claude" })));
    expect(ended(parts)).toMatchObject([{ type: "error", code: "provider_unavailable" }]);
    expect(service.faults).toEqual([]);
  });

  it("sends back the signatures that a service requires", async () => {
    const { service, provider } = await start("anthropic");
    service.script.steps = [{ reasoning: "Hm", toolCalls: [{ name: "look", params: {} }] }, {}];
    const tools = [{ name: "look", description: "", inputSchema: { type: "object" } }];
    const request = ask({ modelId: "claude-sonnet-4-5", tools, reasoningEffort: "light" });
    const parts = await Array.fromAsync(provider.streamStep(request));
    const replay = parts.find(({ type }) => type === "replay") as { replay: unknown };
    const finishedSteps = [
      { step: 0, content: "", replay: JSON.parse(JSON.stringify(replay.replay)) },
    ];
    const finishedCalls = [{ id: "toolu_0_0", name: "look", params: {}, output: "x", step: 0 }];
    await Array.fromAsync(
      provider.streamStep({ ...request, step: 1, finishedSteps, finishedCalls }),
    );
    expect(JSON.stringify(service.requests[1]?.body)).toContain('"signature":"signed_0"');
    expect(service.requests[0]?.body).toMatchObject({ thinking: { type: expect.any(String) } });
  });

  it("tells the model that the parameters of a call must be a JSON object", async () => {
    const { service, provider } = await start("openai_compatible");
    // Models send values that the type forbids.
    service.script.steps = [{ toolCalls: [{ name: "look", params: [1] as never }] }];
    const parts = await Array.fromAsync(provider.streamStep(ask()));
    expect(parts.find(({ type }) => type === "call")).toMatchObject({
      call: { name: "look", params: {}, isError: true, output: expect.stringContaining("JSON") },
    });
  });

  it("shortens long names of tools, and makes any schema an object's", async () => {
    const { service, provider } = await start("openai_compatible");
    const long = "a-very-long-name-of-a-function".repeat(5);
    const tools = ["x", "y"].map((end) => ({
      name: long + end,
      description: "",
      inputSchema: { required: ["a"] },
    }));
    await Array.fromAsync(provider.streamStep(ask({ tools })));
    const sent = service.requests[0]?.body["tools"] as { function: { name: string } }[];
    const [{ function: first }] = sent as [(typeof sent)[number]];
    expect(first).toMatchObject({
      name: expect.stringMatching(/^a-very-[a-z0-9-]{57}$/),
      parameters: { type: "object", properties: {}, required: ["a"] },
    });
    service.script.steps = [{ toolCalls: [{ name: first.name, params: {} }] }];
    const parts = await Array.fromAsync(provider.streamStep(ask({ tools })));
    expect(parts.find(({ type }) => type === "call")).toMatchObject({ call: { name: `${long}x` } });
  });

  it("bounds the parameters of the calls of a step", async () => {
    const { service, provider } = await start("openai_compatible");
    service.pieceSize = 1_000_000;
    const params = { a: "x".repeat(1024 * 1024) };
    service.script.steps = [{ toolCalls: [{ name: "look", params }] }];
    const parts = await Array.fromAsync(provider.streamStep(ask()));
    expect(parts.at(-1)).toMatchObject({ type: "error", code: "output_too_large" });
    await service.idle();
  });
});
