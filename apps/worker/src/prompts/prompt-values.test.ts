import { type FakeService, startFakeService } from "@parley/agent/testing";
import { type Context, followLog, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput, type SimulatedScript } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker } from "../worker.ts";

const model = { providerId: "openai_compatible", modelId: "llama" };
const first = Date.parse("2026-11-27T09:30:00Z");
/** The answer to a call of a tool that it does not have is its next step. */
const calls: SimulatedScript["steps"] = [
  { text: "One. ", toolCalls: [{ name: "look", params: { at: "sky" } }] },
  { text: "Two." },
];

describe("values of instructions in requests to models", () => {
  let test: TestCore;
  let context: Context;
  let service: FakeService;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    const workspace = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, workspace);
    const change = { wId: workspace.sid, models: [model], name: "Shop <b>" };
    await updateWorkspace(admin, parseInput(endpoints["workspaces.update"], change));
    const insert = async (
      sid: string,
      agent: { instructions: string; rendersInstructions: boolean },
    ) => insertTestAgent(test.core, workspace, { sid, ...model, ...agent });
    const instructions = "You serve {{workspace.name}}; it is {{now}}. {{{{x}}";
    await insert("ann", { instructions, rendersInstructions: true });
    await insert("old", { instructions, rendersInstructions: false });
    context = await openTestContext(test.core, workspace);
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    test.clock.now = first;
    service = await startFakeService({ script: { steps: calls, tokenDelayMs: 0 } });
    onTestFinished(service.close);
  });
  afterAll(() => test.close());

  const startWorker = () => {
    const settings = WorkerSettings.parse({ PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1` });
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const until = async (logId: string, type: string): Promise<void> => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some((event) => event.type === type)) return;
    }
  };
  /** The messages of each request, each as the bytes that were sent. */
  const sent = () =>
    service.requests.map(({ body }) =>
      (body.messages as object[]).map((message) => JSON.stringify(message)),
    );
  const blockAfter = (hour: string) =>
    `<values>\\n<value name=\\"now\\">Friday, 2026-11-27, after ${hour} (UTC)</value>\\n` +
    `<value name=\\"workspace.name\\">Shop &lt;b&gt;</value>\\n</values>`;

  it("are beside the message, in the same bytes in each step, turn and attempt", async () => {
    // The second step of the first turn says nothing until its worker stops.
    const asked = Promise.withResolvers<void>();
    service.onRequest = () => {
      if (service.requests.length !== 2) return;
      service.faults.push({ kind: "silent", afterFrames: 0 });
      asked.resolve();
    };
    const { conversation } = await createTestConversation(context, ["ann"]);
    const mId = conversation.content.at(-1)![0]!.sId;
    const worker = startWorker();
    await asked.promise;
    await worker.close(0);
    await service.idle();
    test.clock.now = first + 5 * 3_600_000;
    startWorker();
    await until(mId, "agent_message_success");
    const later = await postTestMessage(context, conversation.sId, { agentIds: ["ann"] });
    await until(later.agentMessages[0]!.sId, "agent_message_success");

    const [one, two, again, next, last] = sent();
    expect(one).toEqual([
      expect.stringContaining(
        'You serve <value name=\\"workspace.name\\"/>; it is <value name=\\"now\\"/>. {{x}',
      ),
      expect.stringContaining(blockAfter("09:00")),
    ]);
    expect(one!.at(-1)).toContain("Hello");
    expect(two!.slice(0, 2)).toEqual(one);
    // After the takeover, hours later.
    expect(again).toEqual(two);
    // Nothing that was sent changes in a later turn.
    expect(next!.slice(0, 2)).toEqual(one);
    expect(next!.at(-1)).toContain(blockAfter("14:00"));
    expect(last!.slice(0, next!.length)).toEqual(next);
  });

  it("are none of instructions from before, which are sent as they are", async () => {
    const { conversation } = await createTestConversation(context, ["old"]);
    startWorker();
    await until(conversation.content.at(-1)![0]!.sId, "agent_message_success");
    expect(service.requests[0]!.body.messages).toEqual([
      { role: "system", content: "You serve {{workspace.name}}; it is {{now}}. {{{{x}}" },
      { role: "user", content: "Hello" },
    ]);
  });
});
