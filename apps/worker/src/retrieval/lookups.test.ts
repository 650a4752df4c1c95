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
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker } from "../worker.ts";

type CoreContext = Awaited<ReturnType<typeof openTestContext>>;
type Call = { name: string; params: Record<string, unknown> };

// An agent whose model is simulated looks things up, for whoever asks.

const REFUND = "Customers who return goods get a refund within two weeks.";

describe("an agent that looks things up", () => {
  let test: TestCore;
  let builder: CoreContext;
  let wId: string;
  let openId: string;
  let secretId: string;
  let secretSpace: string;
  const steps = (calls: Call[]) => ({
    steps: [...calls.map((call) => ({ toolCalls: [call] })), { text: "See [1]." }],
    tokenDelayMs: 0,
  });
  const search = (query: string, more = {}) => ({
    name: "knowledge__search",
    params: { query, ...more },
  });
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    await clearRuns(test.core);
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    builder = await openTestContext(test.core, workspace, "builder");
    const admin = await openTestContext(test.core, workspace, "admin");
    const addSpace = async (name: string, more = {}) => {
      const input = parseInput(endpoints["spaces.create"], { wId, name, ...more });
      return (await implementations["spaces.create"](admin, input)).space.sId;
    };
    const keyIds = [builder.caller.apiKey.sid];
    secretSpace = await addSpace("Secret", { isRestricted: true, keyIds });
    const addSource = async (spaceId: string, name: string) => {
      const input = parseInput(endpoints["dataSourceViews.create"], { wId, spaceId, name });
      const made = await implementations["dataSourceViews.create"](builder, input);
      return made.dataSourceView.dataSourceId;
    };
    openId = await addSource(await addSpace("Open"), "Handbook");
    secretId = await addSource(secretSpace, "Ledger");
    await upload(openId, "refunds", { title: "Refunds", text: REFUND, tags: ["public"] });
    await upload(secretId, "fraud", { title: "Fraud", text: "A refund is refused after fraud." });
  });
  const upload = (dsId: string, documentId: string, body: object) =>
    implementations["documents.upsert"].make(
      builder,
      parseInput(endpoints["documents.upsert"], { wId, dsId, documentId, ...body }),
    );
  const addAgent = async (knowledge: object, calls: Call[]) => {
    const { workspace } = builder.caller;
    await insertTestAgent(test.core, workspace, { sid: "ann", knowledge, script: steps(calls) });
  };
  const startWorker = () => {
    const settings = WorkerSettings.parse({});
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    worker.start();
    onTestFinished(() => worker.close(0));
  };
  /** Waits until the worker has divided all documents. */
  const divided = async () => {
    await expect.poll(() => countUndivided(test.core), { timeout: 20_000 }).toBe(0);
  };
  const ask = async (by: CoreContext, more: object = {}, context: object = {}) => {
    const mentions = [{ configurationId: "ann" }];
    const given = { username: "ada", timezone: "UTC", ...context };
    const body = { message: { content: "How?", mentions, context: given }, ...more };
    const { conversation } = await createTestConversation(by, ["ann"], body);
    const logId = conversation.content.at(-1)![0]!.sId;
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some(({ type }) => ["agent_message_success", "agent_error"].includes(type))) break;
    }
    const log = (await readTestLog(test.core, logId)) as MessageEvent[];
    const end = log.at(-1);
    if (end?.type !== "agent_message_success") throw new Error(JSON.stringify(end));
    return { log, message: end.message };
  };
  const outputOf = ({ message }: Awaited<ReturnType<typeof ask>>, nth = 0) =>
    (message.actions[nth]?.output?.[0] as { text: string } | undefined)?.text;
  const titles = ({ message }: Awaited<ReturnType<typeof ask>>) =>
    (message.citations ?? []).map(({ title }) => title).toSorted();

  it("cites what it finds in events, the message and the call, with one number each", async () => {
    const read = {
      name: "knowledge__read",
      params: { dataSourceId: openId, documentId: "refunds" },
    };
    await addAgent({ dataSourceIds: [openId] }, [
      search("refunds"),
      search("returned goods"),
      read,
    ]);
    startWorker();
    await divided();
    const answer = await ask(builder);
    const citation = {
      reference: 1,
      dataSourceId: openId,
      dataSourceName: "Handbook",
      documentId: "refunds",
      title: "Refunds",
      headings: [],
      sourceUrl: null,
      start: 0,
      end: REFUND.length,
    };
    expect(answer.message.citations).toEqual([citation]);
    expect(answer.message.actions.map((one) => one.citationsAllocated)).toEqual([1, 1, 1]);
    const events = answer.log.filter(({ type }) => type === "agent_message_citations");
    expect(events).toMatchObject(
      answer.message.actions.map(({ sId }) => ({ callId: sId, citations: [citation] })),
    );
    expect(outputOf(answer)).toBe(
      `[1] Refunds\ndataSourceId "${openId}" (Handbook), documentId "refunds", characters 0 to ${REFUND.length}, ` +
        `changed ${new Date(test.clock.now).toISOString().slice(0, 10)}\n${REFUND}`,
    );
    expect(outputOf(answer, 2)).toContain(REFUND);
  });

  it("finds what whoever asks reaches, not what its maker does", async () => {
    await addAgent({ everything: true }, [search("refund")]);
    startWorker();
    await divided();
    const user = await openTestContext(test.core, builder.caller.workspace);
    const tokenOf = (spaceIds: readonly number[] | undefined): CoreContext => {
      const userToken = {
        sid: "tok_x",
        scopes: new Set(["conversations:write"] as const),
        spaceIds,
        keyRole: "builder",
        expiresAt: Infinity,
      };
      const caller = { ...builder.caller, userToken };
      return Object.assign(Object.create(builder) as CoreContext, { caller });
    };
    expect(titles(await ask(builder))).toEqual(["Fraud", "Refunds"]);
    expect(titles(await ask(user))).toEqual(["Refunds"]);
    expect(titles(await ask(tokenOf([])))).toEqual(["Refunds"]);
    expect(titles(await ask(tokenOf(undefined)))).toEqual(["Fraud", "Refunds"]);
    // In a space, its own documents alone.
    expect(titles(await ask(builder, { spaceId: secretSpace }))).toEqual(["Fraud"]);
  });

  it("leaves out the tags that the message excludes, and shows no restricted document where others read", async () => {
    await addAgent({ dataSourceIds: [openId, secretId] }, [search("refund")]);
    startWorker();
    await divided();
    expect(titles(await ask(builder, {}, { excludedRetrievalTags: ["public"] }))).toEqual([
      "Fraud",
    ]);
    const { spaces } = await implementations["spaces.list"](
      builder,
      parseInput(endpoints["spaces.list"], { wId }),
    );
    const open = spaces.find(({ name }) => name === "Open")!.sId;
    expect(titles(await ask(builder, { spaceId: open }))).toEqual(["Refunds"]);
  });

  it("reads and lists no document that it may not search", async () => {
    const read = (dataSourceId: string, documentId: string) => ({
      name: "knowledge__read",
      params: { dataSourceId, documentId },
    });
    const list = (params: Record<string, unknown>) => ({ name: "knowledge__list", params });
    await addAgent({ dataSourceIds: [openId] }, [
      read(secretId, "fraud"),
      read("dts_unknown", "x"),
      list({}),
      list({ dataSourceId: openId }),
      list({ dataSourceId: secretId }),
      search("fraud"),
      search("!!"),
      { name: "knowledge__search", params: { query: 7, after: "soon" } },
    ]);
    startWorker();
    await divided();
    const answer = await ask(builder);
    const outputs = answer.message.actions.map((_, nth) => outputOf(answer, nth));
    expect(outputs[0]).toBe(outputs[1]);
    expect(outputs.slice(2)).toEqual([
      `- dataSourceId "${openId}": Handbook`,
      '- documentId "refunds": Refunds',
      "There is nothing to list",
      "Nothing was found",
      "Nothing was found",
      "query must be a text",
    ]);
    expect(answer.message.citations).toBeUndefined();
  });

  it("is offered no tool without anything that it may look up", async () => {
    await addAgent({}, [search("refund")]);
    startWorker();
    const answer = await ask(builder);
    expect(outputOf(answer)).toContain("No tool named knowledge__search");
  });
});
