import { type FakeService, type Fault, startFakeService } from "@parley/agent/testing";
import { type Context, followLog, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  readTestSteps,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker } from "./worker.ts";

// Turns whose agents name other models, with two services over HTTP: the first is the configured model's.

const first = { providerId: "openai_compatible", modelId: "llama" };
const second = { providerId: "openai", modelId: "gpt-5" };
const third = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };

const busy: Fault = { kind: "status", status: 429, headers: { "retry-after": "0" } };
const down: Fault = { kind: "status", status: 503 };
const silent: Fault = { kind: "silent", afterFrames: 0 };
const always = (fault: Fault) => Array.from({ length: 20 }, () => fault);
const unavailable = "provider_unavailable";

describe("turns with fallback models", () => {
  let test: TestCore;
  let context: Context;
  let enable: (models: readonly (typeof first)[]) => Promise<unknown>;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    const workspace = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, workspace);
    enable = (models) =>
      updateWorkspace(
        admin,
        parseInput(endpoints["workspaces.update"], { wId: workspace.sid, models: [...models] }),
      );
    await enable([first, second, third]);
    const fallbackModels = [second, third];
    await insertTestAgent(test.core, workspace, { sid: "ann", ...first, fallbackModels });
    await insertTestAgent(test.core, workspace, { sid: "alone", ...first });
    context = await openTestContext(test.core, workspace);
  });
  beforeEach(() => clearRuns(test.core));
  beforeEach(() => enable([first, second, third]));
  afterAll(() => test.close());

  const startServices = async () => {
    const start = async (text: string) => {
      const script = { steps: [{ text }], tokenDelayMs: 0 };
      const service = await startFakeService({ script });
      onTestFinished(service.close);
      return service;
    };
    const services = await Promise.all(
      ["one", "two", "three"].map((name) => start(`I am ${name}`)),
    );
    return services as [FakeService, FakeService, FakeService];
  };
  const startWorker = (
    [one, two, three]: readonly [FakeService, FakeService, FakeService],
    changed: Record<string, string> = {},
  ) => {
    const settings = WorkerSettings.parse({
      PARLEY_OPENAI_COMPATIBLE_URL: `${one.url}/v1`,
      PARLEY_OPENAI_BASE_URL: `${two.url}/v1`,
      PARLEY_OPENAI_API_KEY: "sk-two",
      PARLEY_ANTHROPIC_BASE_URL: `${three.url}/v1`,
      PARLEY_ANTHROPIC_API_KEY: "sk-three",
      PARLEY_MODEL_RETRIES: "3",
      ...changed,
    });
    const registry = new Registry();
    const logger = pino({ level: "silent" });
    const worker = createWorker({ core: test.core, settings, logger, registry });
    worker.start();
    onTestFinished(() => worker.close(0));
    return { worker, metrics: () => registry.metrics() };
  };
  const ended = ["agent_message_success", "agent_error"];
  const untilEnd = async (logId: string, types: readonly string[] = ended): Promise<void> => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some(({ type }) => types.includes(type))) return;
    }
  };
  const ask = async (agentId = "ann", message: object = {}) => {
    const mentions = [{ configurationId: agentId }];
    const body = { message: { content: "Hello", mentions, ...message } };
    const { conversation } = await createTestConversation(context, [agentId], body);
    return conversation.content.at(-1)![0]!.sId;
  };
  const play = async (
    faults: readonly (readonly Fault[])[],
    { agentId, message }: { agentId?: string; message?: object } = {},
  ) => {
    const services = await startServices();
    for (const [index, given] of faults.entries()) services[index]!.faults.push(...given);
    // Only silence is waited for: a busy machine is slow to answer too.
    const idleMs = faults.flat().includes(silent) ? "500" : "60000";
    const { metrics } = startWorker(services, { PARLEY_MODEL_IDLE_MS: idleMs });
    const mId = await ask(agentId, message);
    await untilEnd(mId);
    const log = await readTestLog(test.core, mId);
    const requests = services.map((service) => service.requests.length);
    const steps = await readTestSteps(test.core, mId);
    return { log, last: log.at(-1), requests, steps, services, metrics };
  };

  it.each([
    ["503", down, 2],
    ["429", busy, 2, "provider_rate_limited"],
    ["silence", silent, 1, "timed_out"],
    ["an end before the first token", { kind: "ended", afterFrames: 0 } as const, 2],
    ["a break before the first token", { kind: "cut", afterFrames: 0 } as const, 2],
  ])("the second model answers after %s", async (_name, fault, tries, reason = unavailable) => {
    const { last, requests, steps, log } = await play([always(fault)]);
    expect(last).toMatchObject({
      type: "agent_message_success",
      message: { content: "I am two", configuration: { model: first } },
    });
    expect(requests).toEqual([tries, 1, 0]);
    const durationMs = expect.any(Number) as number;
    const timed = { durationMs, startedAt: durationMs, firstTokenMs: durationMs, attempt: 1 };
    const took = { inputTokens: 11, outputTokens: 7, ...timed, amount: "0.00008375" };
    const passedOver = [{ model: first, reason }];
    const retried = expect.objectContaining({ code: reason }) as object;
    const tried = tries > 1 && { retries: [retried] };
    expect(steps).toEqual([{ step: 0, ...took, model: second, passedOver, ...tried }]);
    const told = { configurationId: "ann", step: 0, ...second, passedOver: [{ ...first, reason }] };
    expect(log.filter(({ type }) => type === "agent_message_fallback")).toMatchObject([told]);
  });

  it("the last model answers if those before it are down", async () => {
    const { last, requests, metrics } = await play([always(down), always(busy)]);
    expect(last).toMatchObject({ message: { content: "I am three" } });
    expect(requests).toEqual([2, 2, 1]);
    const counted = await metrics();
    const passedOver = (provider: string, code: string) =>
      `parley_model_fallbacks_total{gen_ai_provider_name="${provider}",error_type="${code}"} 1`;
    expect(counted).toContain(passedOver("openai_compatible", "provider_unavailable"));
    expect(counted).toContain(passedOver("openai", "provider_rate_limited"));
  });

  it("the last model's failure ends the answer, after all of its retries", async () => {
    const { last, requests, steps } = await play([always(down), always(down), always(down)]);
    expect(last).toMatchObject({
      type: "agent_error",
      error: { code: "provider_unavailable", message: expect.stringContaining("anthropic") },
    });
    expect(requests).toEqual([2, 2, 4]);
    expect(steps).toMatchObject([{ step: 0, inputTokens: null, model: third }]);
  });

  it("a break after the first token ends the answer, and keeps its text", async () => {
    const { last, requests, steps } = await play([[{ kind: "cut", afterFrames: 3 }]]);
    expect(last).toMatchObject({ type: "agent_error", error: { code: "provider_unavailable" } });
    expect(requests).toEqual([1, 0, 0]);
    expect(steps?.[0]).not.toHaveProperty("model");
  });

  it.each([
    ["a refused key", { status: 401 }, "provider_auth_error"],
    ["a content filter", { status: 400, message: "content_filter" }, "content_filtered"],
    ["a refused call", { status: 400 }, "provider_error"],
    ["a conflict", { status: 409 }, "provider_unavailable"],
    ["an unknown model", { status: 404 }, "provider_error"],
    ["too long a prompt", { status: 413 }, "context_too_long"],
    ["an empty account", { status: 429, message: "insufficient_quota" }, "provider_rate_limited"],
  ])("no model answers instead after %s", async (_name, fault, code) => {
    const { last, requests } = await play([always({ kind: "status", ...fault })]);
    expect(last).toMatchObject({ type: "agent_error", error: { code } });
    expect(requests.slice(1)).toEqual([0, 0]);
  });

  it("no model answers instead of one that the message selects", async () => {
    const message = { modelSelection: second };
    const { last, requests } = await play([[], always(down)], { message });
    expect(last).toMatchObject({ type: "agent_error", error: { code: "provider_unavailable" } });
    expect(requests).toEqual([0, 4, 0]);
  });

  it("a model that the workspace has disabled since is skipped", async () => {
    await enable([first, third]);
    const { last, requests } = await play([always(down)]);
    expect(last).toMatchObject({ message: { content: "I am three" } });
    expect(requests).toEqual([2, 0, 1]);
  });

  it("without a model that may answer instead, the agent's own is asked as often as ever", async () => {
    await enable([first]);
    const { last, requests } = await play([always(down)]);
    expect(last).toMatchObject({ type: "agent_error", error: { code: "provider_unavailable" } });
    expect(requests).toEqual([4, 0, 0]);
  });

  it("each step begins with the agent's own model, and stores which one answered", async () => {
    const services = await startServices();
    for (const [index, service] of services.entries()) {
      const toolCalls = [{ name: "look", params: {} }];
      const steps = [{ text: `First ${index}. `, toolCalls }, { text: `Then ${index}.` }];
      service.script = { steps, tokenDelayMs: 0 };
    }
    services[0].faults.push(down, down);
    startWorker(services);
    const mId = await ask();
    await untilEnd(mId);
    const log = await readTestLog(test.core, mId);
    expect(log.at(-1)).toMatchObject({ message: { content: "First 1. Then 0." } });
    expect(services.map(({ requests }) => requests.length)).toEqual([3, 1, 0]);
    const took = { inputTokens: 11, outputTokens: 7 };
    const steps = await readTestSteps(test.core, mId);
    expect(steps).toMatchObject([{ step: 0, ...took, model: second }, took]);
    expect(steps?.[1]).not.toHaveProperty("model");
    // Announced once, and committed with its step: before the call that this makes.
    const types = log.map(({ type }) => type).filter((type) => /fallback|params/.test(type));
    expect(types.slice(0, 2)).toEqual(["agent_message_fallback", "tool_params"]);
    expect(types.filter((type) => type === "agent_message_fallback")).toHaveLength(1);
  });

  it("a model that fails again and again is skipped at once, until it answers a probe", async () => {
    const services = await startServices();
    services[0].faults.push(...always(down));
    const { metrics } = startWorker(services);
    for (let turn = 0; turn < 6; turn++) {
      // One after the other: failures in a row open the circuit.
      // oxlint-disable-next-line no-await-in-loop
      const mId = await ask();
      // oxlint-disable-next-line no-await-in-loop
      await untilEnd(mId);
    }
    expect(services.map(({ requests }) => requests.length)).toEqual([10, 6, 0]);
    const shown = await metrics();
    const labels = 'gen_ai_provider_name="openai_compatible"';
    expect(shown).toContain(`parley_model_circuit_trips_total{${labels}} 1`);
    expect(shown).toContain(`parley_model_circuits{${labels},state="open"} 1`);
    expect(shown).toContain(`parley_model_fallbacks_total{${labels},error_type="circuit_open"} 1`);
    // Without another model, it is asked all the same.
    services[0].faults.length = 0;
    const alone = await ask("alone");
    await untilEnd(alone);
    expect((await readTestLog(test.core, alone)).at(-1)).toMatchObject({
      message: { content: "I am one" },
    });
    expect(await metrics()).toContain(`parley_model_circuits{${labels},state="closed"} 1`);
  });

  describe("when their worker stops", () => {
    const asked = (service: FakeService) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      service.onRequest = resolve;
      return promise;
    };

    it.each([
      ["the first model is asked", 0, [2, 0, 0], "I am one"],
      ["the second model is asked", 1, [3, 1, 0], "I am one"],
    ] as const)("while %s, start again", async (_name, index, requests, content) => {
      const services = await startServices();
      if (index === 1) services[0].faults.push(down, down);
      services[index].faults.push({ kind: "silent", afterFrames: 0 });
      const isAsked = asked(services[index]);
      const { worker } = startWorker(services);
      const mId = await ask();
      await isAsked;
      await worker.close(0);
      startWorker(services);
      await untilEnd(mId);
      expect((await readTestLog(test.core, mId)).at(-1)).toMatchObject({ message: { content } });
      expect(services.map((service) => service.requests.length)).toEqual(requests);
      expect(await readTestSteps(test.core, mId)).toHaveLength(1);
    });

    it("after text of the second model, end as interrupted, with that text alone", async () => {
      const services = await startServices();
      services[0].faults.push(down, down);
      services[1].script = { steps: [{ text: "word ".repeat(5000) }], tokenDelayMs: 5 };
      const { worker } = startWorker(services);
      const mId = await ask();
      await untilEnd(mId, ["generation_tokens"]);
      await worker.close(0);
      startWorker(services);
      await untilEnd(mId);
      const log = await readTestLog(test.core, mId);
      expect(log.at(-1)).toMatchObject({ type: "agent_error", error: { code: "interrupted" } });
      const text = log.flatMap((event) => (event.type === "generation_tokens" ? event.text : []));
      expect("word ".repeat(5000).startsWith(text.join(""))).toBe(true);
      expect(services.map((service) => service.requests.length)).toEqual([2, 1, 0]);
    });
  });
});
