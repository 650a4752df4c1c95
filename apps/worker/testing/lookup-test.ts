import { followLog, implementations } from "@parley/core";
import {
  clearRuns,
  countUndivided,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, type MessageEvent, parseInput } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { WorkerSettings } from "../src/config.ts";
import { createWorker } from "../src/worker.ts";

export type CoreContext = Awaited<ReturnType<typeof openTestContext>>;
type Call = { name: string; params: Record<string, unknown> };

export const REFUND = "Customers who return goods get a refund within two weeks.";

/** A script that makes these calls, one after the other. */
export const steps = (calls: Call[]) => ({
  steps: [...calls.map((call) => ({ toolCalls: [call] })), { text: "See [1]." }],
  tokenDelayMs: 0,
});

/** A workspace with an open and a restricted space, each with a data source. */
interface Filled extends TestCore {
  readonly wId: string;
  /** A key that reaches both. */
  readonly builder: CoreContext;
  readonly openId: string;
  readonly secretId: string;
  readonly secretSpace: string;
}

/** What an agent answered. */
type Asked = Awaited<ReturnType<ReturnType<typeof lookupTest>["ask"]>>;

/** The text that a call gave. */
export const outputOf = ({ message }: Asked, nth = 0) =>
  (message.actions[nth]?.output?.[0] as { text: string } | undefined)?.text;

/** Opens a core before the tests of a suite; each has a workspace of its own, and an agent that looks things up. */
export function lookupTest() {
  const opened = {} as Filled;
  beforeAll(async () => {
    Object.assign(opened, await openTestCore({ safetyPollMs: 60_000 }));
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await clearRuns(opened.core);
    const workspace = await insertTestWorkspace(opened.core);
    const wId = workspace.sid;
    const builder = await openTestContext(opened.core, workspace, "builder");
    const admin = await openTestContext(opened.core, workspace, "admin");
    const addSpace = async (name: string, more = {}) => {
      const input = parseInput(endpoints["spaces.create"], { wId, name, ...more });
      return (await implementations["spaces.create"](admin, input)).space.sId;
    };
    const keyIds = [builder.caller.apiKey.sid];
    const secretSpace = await addSpace("Secret", { isRestricted: true, keyIds });
    const addSource = async (spaceId: string, name: string) => {
      const input = parseInput(endpoints["dataSourceViews.create"], { wId, spaceId, name });
      const made = await implementations["dataSourceViews.create"](builder, input);
      return made.dataSourceView.dataSourceId;
    };
    const openId = await addSource(await addSpace("Open"), "Handbook");
    const secretId = await addSource(secretSpace, "Ledger");
    Object.assign(opened, { wId, builder, openId, secretId, secretSpace });
    await upload(openId, "refunds", { title: "Refunds", text: REFUND, tags: ["public"] });
    await upload(secretId, "fraud", { title: "Fraud", text: "A refund is refused after fraud." });
  });
  const upload = (dsId: string, documentId: string, body: object) =>
    implementations["documents.upsert"].make(
      opened.builder,
      parseInput(endpoints["documents.upsert"], { wId: opened.wId, dsId, documentId, ...body }),
    );
  const uploadTable = (dsId: string, name: string, csv: string, more = {}) =>
    implementations["tables.uploadCsv"].make(
      opened.builder,
      parseInput(endpoints["tables.uploadCsv"], { wId: opened.wId, dsId, name, csv, ...more }),
    );
  const addAgent = async (knowledge: object, calls: Call[]) => {
    const { workspace } = opened.builder.caller;
    await insertTestAgent(opened.core, workspace, { sid: "ann", knowledge, script: steps(calls) });
  };
  const startWorker = () => {
    const settings = WorkerSettings.parse({});
    const logger = pino({ level: "silent" });
    const worker = createWorker({ core: opened.core, settings, logger, mostPauseMs: 50 });
    worker.start();
    onTestFinished(() => worker.close(0));
  };
  /** Waits until the worker has divided all documents. */
  const divided = async () => {
    await expect.poll(() => countUndivided(opened.core)).toBe(0);
  };
  const ask = async (by: CoreContext, more: object = {}, context: object = {}) => {
    const mentions = [{ configurationId: "ann" }];
    const given = { username: "ada", timezone: "UTC", ...context };
    const body = { message: { content: "How?", mentions, context: given }, ...more };
    const { conversation } = await createTestConversation(by, ["ann"], body);
    const logId = conversation.content.at(-1)![0]!.sId;
    const { signal } = new AbortController();
    for await (const events of followLog(opened.core, { logId, after: 0, signal })) {
      if (events.some(({ type }) => ["agent_message_success", "agent_error"].includes(type))) break;
    }
    const log = (await readTestLog(opened.core, logId)) as MessageEvent[];
    const end = log.at(-1);
    if (end?.type !== "agent_message_success") throw new Error(JSON.stringify(end));
    return { log, message: end.message };
  };
  return { opened, upload, uploadTable, addAgent, startWorker, divided, ask };
}
