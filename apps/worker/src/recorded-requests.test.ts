import { createHash } from "node:crypto";
import { type FakeService, startFakeService } from "@parley/agent/testing";
import { type Context, followLog, implementations, updateWorkspace } from "@parley/core";
import {
  addTestEditor,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  readTestRequests,
  type TestCore,
  uploadTestFile,
} from "@parley/core/testing";
import { endpoints, hostedServices, parseInput, ParleyError } from "@parley/schema";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker } from "./worker.ts";

// What is sent to the services of models, over HTTP to a service that plays all of them, and read as callers read it.

const models: Record<string, string> = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  openai_compatible: "llama",
  deepseek: "deepseek-chat",
  fireworks: "accounts/fireworks/models/kimi-k2-instruct",
  mistral: "mistral-large-latest",
  xai: "grok-4",
};
const instructions =
  'Be kind. \u2028 "Quote" nobody, and answer in the language of the question. '.repeat(20);
const long =
  "I have seen things you people would not believe: \u{1F600} attack ships on fire.\n".repeat(30);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("recorded requests", () => {
  let test: TestCore;
  let wId: string;
  let context: Context;
  let service: FakeService;
  let agentIds: Map<string, number>;
  const change = (input: object) =>
    updateWorkspace(context, parseInput(endpoints["workspaces.update"], { wId, ...input }));
  beforeAll(async () => {
    service = await startFakeService();
    test = await openTestCore({ safetyPollMs: 60_000 });
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace, "admin");
    const pairs = Object.entries(models).map(([providerId, modelId]) => ({ providerId, modelId }));
    await change({ enableModels: pairs });
    // Callers come with their workspace as it was.
    context = await openTestContext(test.core, workspace, "admin");
    const rows = await Promise.all(
      pairs.map((model) =>
        insertTestAgent(test.core, workspace, { sid: model.providerId, ...model, instructions }),
      ),
    );
    agentIds = new Map(rows.map(({ sid, id }) => [sid, id]));
    await insertTestAgent(test.core, workspace, { sid: "simulated" });
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    service.requests.length = 0;
    service.faults.length = 0;
    service.script = { steps: [{ text: long }], tokenDelayMs: 0 };
  });
  afterAll(async () => {
    await test.close();
    await service.close();
  });

  const startWorker = () => {
    const urls = [...hostedServices, "openai_compatible"].map((id) => {
      const name = id === "openai_compatible" ? "URL" : "BASE_URL";
      return [`PARLEY_${id.toUpperCase()}_${name}`, `${service.url}/${id}/v1`];
    });
    const keys = hostedServices.map((id) => [`PARLEY_${id.toUpperCase()}_API_KEY`, "sk-fake"]);
    const settings = WorkerSettings.parse(Object.fromEntries([...urls, ...keys]));
    const registry = new Registry();
    const logger = pino({ level: "silent" });
    const worker = createWorker({ core: test.core, settings, logger, registry });
    worker.start();
    onTestFinished(() => worker.close(0));
    return { ...worker, registry };
  };
  const until = async (logId: string): Promise<void> => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some(({ type }) => /^agent_(message_success|error)$/.test(type))) return;
    }
  };
  /** Asks an agent, waits for its answer, and until what was sent is recorded. */
  const ask = async (agent: string, body: object = {}) => {
    const worker = startWorker();
    const { conversation } = await createTestConversation(context, [agent], body);
    const mId = conversation.content.at(-1)![0]!.sId;
    await until(mId);
    await worker.close(1000);
    return { cId: conversation.sId, mId, registry: worker.registry };
  };
  const read = async (at: { cId: string; mId: string }, n = 0, as = context) =>
    (await implementations["messages.getRequest"](as, { n, ...at })).request;
  const refusal = async (reading: Promise<unknown>) =>
    reading.then(
      () => "read",
      (error: unknown) => (error instanceof ParleyError ? error.type : String(error)),
    );
  const stored = async () => readTestRequests(test.core);
  const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

  it.each(Object.keys(models))(
    "are the bytes that %s has received, kept without what rows hold",
    async (agent) => {
      const file = await uploadTestFile(context, png, {
        contentType: "image/png",
        fileName: "cat.png",
      });
      const content = `Look at this. ${long}`;
      const { cId, mId: firstId } = await ask(agent, {
        message: { content, mentions: [{ configurationId: agent }] },
        contentFragments: [{ title: "A cat", fileId: file.sId }],
      });
      const worker = startWorker();
      const { agentMessages } = await postTestMessage(context, cId, { agentIds: [agent] });
      const mId = agentMessages[0]!.sId;
      await until(mId);
      await worker.close(1000);

      expect(service.requests).toHaveLength(2);
      const sent = [...service.requests];
      for (const [index, at] of [
        { cId, mId: firstId },
        { cId, mId },
      ].entries()) {
        const { json, files: seen } = sent[index]!;
        // oxlint-disable-next-line no-await-in-loop
        const request = await read(at);
        expect(request).toMatchObject({
          messageId: at.mId,
          step: 0,
          attempt: 1,
          model: { providerId: agent, modelId: models[agent] },
          sizeBytes: Buffer.byteLength(json),
          sha256: sha256Of(json),
          matches: true,
          missing: [],
        });
        const base64 = png.toString("base64");
        expect(request.body!.replaceAll(`{{file:${file.sId}}}`, base64)).toBe(json);
        expect(request.body).not.toContain("sk-fake");
        expect(request.body!.includes(`{{file:${file.sId}}}`)).toBe(seen.length > 0);
        const parts = request.tokensByPart.map(({ part }) => part);
        expect(parts).toEqual(expect.arrayContaining(["instructions", "messages"]));
        expect(parts.includes("files")).toBe(seen.length > 0);
      }
      const { requests, pieces } = await stored();
      expect(requests).toHaveLength(2);
      const own = [...requests.map((row) => row.template!), ...pieces.map((row) => row.text)];
      for (const one of own) {
        expect(one).not.toContain("Be kind.");
        expect(one).not.toContain("I have seen things");
      }
      expect(requests[1]!.template).toContain(`{"instructions":${agentIds.get(agent)}}`);
    },
  );

  it("are of the last request of a step, and of those that failed", async () => {
    service.faults.push({ kind: "status", status: 503 });
    const retried = await ask("openai_compatible");
    expect(service.requests).toHaveLength(2);
    expect(await read(retried)).toMatchObject({ matches: true });
    service.faults.push({ kind: "status", status: 400, message: "No" });
    const failed = await ask("openai_compatible");
    expect(await read(failed)).toMatchObject({ matches: true, step: 0 });
    expect((await stored()).requests).toHaveLength(2);
  });

  it("are none of simulated models, of workspaces that record none, and of other steps", async () => {
    const simulated = await ask("simulated");
    expect(await refusal(read(simulated))).toBe("request_not_recorded");
    await change({ recordsRequests: false });
    const { registry, ...unrecorded } = await ask("openai");
    await change({ recordsRequests: true });
    expect(await refusal(read(unrecorded))).toBe("request_not_recorded");
    expect(await registry.metrics()).toContain(
      'parley_requests_recorded_total{outcome="not_kept"} 1',
    );
    const recorded = await ask("openai");
    expect(await refusal(read(recorded, 1))).toBe("request_not_recorded");
    expect(await refusal(read({ ...recorded, mId: "nobody" }))).toBe("message_not_found");
    expect(await refusal(read({ ...recorded, cId: unrecorded.cId }))).toBe("message_not_found");
    expect((await stored()).requests).toHaveLength(1);
  });

  it("say what is no longer there, and show the rest", async () => {
    const file = await uploadTestFile(context, png, {
      contentType: "image/png",
      fileName: "cat.png",
    });
    const at = await ask("openai", { contentFragments: [{ title: "A cat", fileId: file.sId }] });
    await implementations["files.delete"](context, { fileId: file.sId });
    const request = await read(at);
    expect(request).toMatchObject({ matches: false, missing: [{ kind: "file", id: file.sId }] });
    expect(request.body).toContain(`{{missing:${file.sId}}}`);
    expect(request.body).toContain("Hello");
  });

  it("go with their conversation", async () => {
    const { cId } = await ask("anthropic", {
      message: { content: "x".repeat(5000), mentions: [{ configurationId: "anthropic" }] },
    });
    expect((await stored()).requests).toHaveLength(1);
    await implementations["conversations.delete"](context, { cId });
    expect(await stored()).toEqual({ requests: [], pieces: [] });
  });

  it("are read by admins, and by builders that are editors of the agent", async () => {
    const at = await ask("openai");
    const { workspace } = context.caller;
    const builder = await openTestContext(test.core, workspace, "builder");
    expect(await refusal(read(at, 0, builder))).toBe("app_auth_error");
    await addTestEditor(builder, "openai");
    expect(await read(at, 0, builder)).toMatchObject({ matches: true });
    const other = await insertTestWorkspace(test.core);
    const foreign = await openTestContext(test.core, other, "admin");
    expect(await refusal(read(at, 0, foreign))).toBe("conversation_not_found");
  });
});
