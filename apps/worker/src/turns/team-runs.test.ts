import { cancelMessages, followLog } from "@parley/core";
import {
  answerQuestion,
  createTestConversation,
  deleteConversation,
  getConversation,
  insertTestAgent,
  insertTestWorkspace,
  listBlockedActions,
  listConversations,
  openTestContext,
  openTestCore,
  readRunTrace,
  readTestLog,
  readTestTree,
  type TestCore,
} from "@parley/core/testing";
import type { SimulatedScript, TeamMember } from "@parley/schema";
import { pino } from "pino";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker } from "../worker.ts";

type Context = Awaited<ReturnType<typeof openTestContext>>;

const ask = (name: string, params: Record<string, unknown> = { task: `Go, ${name}` }) => ({
  name: `ask_${name}`,
  params,
});
const asks = (...agentIds: string[]): TeamMember[] =>
  agentIds.map((agentId) => ({ agentId, name: agentId, mode: "ask" }));
const script = (...steps: SimulatedScript["steps"]): SimulatedScript => ({
  steps,
  tokenDelayMs: 0,
});

describe("agents that ask others", () => {
  let test: TestCore;
  let context: Context;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    return () => test.close();
  });
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "admin");
  });

  const insertAgent = async (sid: string, played: SimulatedScript, team: TeamMember[] = []) =>
    insertTestAgent(test.core, context.caller.workspace, { sid, script: played, team });
  const startWorker = (settings = {}) => {
    const worker = createWorker({
      core: test.core,
      settings: WorkerSettings.parse(settings),
      logger: pino({ level: "silent" }),
    });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const create = async (agent: string) => {
    const { conversation } = await createTestConversation(context, [agent]);
    return { cId: conversation.sId, mId: conversation.content.at(-1)![0]!.sId };
  };
  const until = async (logId: string, ...types: string[]) => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some((event) => types.includes(event.type))) return;
    }
  };
  const ended = async (mId: string) =>
    until(mId, "agent_message_success", "agent_error", "agent_generation_cancelled");

  it("are suspended until the tasks have ended, and are given their answers", async () => {
    await insertAgent("bob", script({ text: "Bob says: {{message}}" }));
    await insertAgent("eve", script({ text: "Eve says: {{message}}" }));
    const calls = { text: "", toolCalls: [ask("bob"), ask("eve")] };
    await insertAgent("ann", script(calls, { text: "So: {{result}}" }), asks("bob", "eve"));
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const tree = await readTestTree(test.core, cId);
    expect(tree).toMatchObject([
      { agentSid: "ann", depth: 0, status: "succeeded", content: "So: Eve says: Go, eve" },
      { agentSid: "bob", depth: 1, status: "succeeded", parentLogId: mId },
      { agentSid: "eve", depth: 1, status: "succeeded", parentLogId: mId },
    ]);
    expect(tree[0]?.calls).toEqual(["succeeded", "succeeded"]);
    expect(tree.map(({ run }) => run)).toEqual(["finished", "finished", "finished"]);
  });

  it("refer to the conversations of their tasks in events that come on request", async () => {
    await insertAgent("bob", script({ text: "Done" }));
    await insertAgent("ann", script({ toolCalls: [ask("bob")] }, { text: "." }), asks("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const [, child] = await readTestTree(test.core, cId);
    const log = await readTestLog(test.core, mId);
    expect(log.filter(({ type }) => type === "agent_task_started")).toMatchObject([
      { task: { conversationId: child?.conversationId, messageId: child?.messageId } },
    ]);
    const { conversation } = await getConversation(context, { cId: child!.conversationId });
    expect(conversation.content.flat()[0]).toMatchObject({
      content: "Go, bob",
      context: { agenticMessageData: { type: "run_agent", originMessageId: mId } },
    });
    const { conversations } = await listConversations(context, {
      limit: 10,
      lastValue: undefined,
    });
    expect(conversations.map(({ sId }) => sId)).toEqual([cId]);
  });

  it("are given a failure as the error of the call", async () => {
    await insertAgent("bob", script({ error: { code: "broken", message: "It broke" } }));
    await insertAgent(
      "ann",
      script({ toolCalls: [ask("bob")] }, { text: "{{result}}" }),
      asks("bob"),
    );
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    expect((await readTestTree(test.core, cId))[0]).toMatchObject({
      content: "The agent bob failed: It broke",
      calls: ["errored"],
    });
  });

  it("ask in turn, up to the depth that is set", async () => {
    await insertAgent(
      "ann",
      script({ toolCalls: [ask("bob")] }, { text: "{{result}}!" }),
      asks("bob"),
    );
    await insertAgent(
      "bob",
      script({ toolCalls: [ask("ann")] }, { text: "{{result}}?" }),
      asks("ann"),
    );
    startWorker({ PARLEY_TASK_DEPTH: "2" });
    const { cId, mId } = await create("ann");
    await ended(mId);
    const tree = await readTestTree(test.core, cId);
    expect(tree.map(({ agentSid, depth, calls }) => [agentSid, depth, ...calls])).toEqual([
      ["ann", 0, "succeeded"],
      ["bob", 1, "succeeded"],
      ["ann", 2, "errored"],
    ]);
  });

  it("give only so many tasks at once, and in all", async () => {
    await insertAgent("bob", script({ text: "Done" }));
    const three = { toolCalls: [ask("bob"), ask("bob"), ask("bob")] };
    await insertAgent("ann", script(three, three, { text: "." }), asks("bob"));
    startWorker({ PARLEY_TASKS_AT_ONCE: "2", PARLEY_CONVERSATION_TASKS: "3" });
    const { cId, mId } = await create("ann");
    await ended(mId);
    const [answer, ...children] = await readTestTree(test.core, cId);
    expect(children).toHaveLength(3);
    expect(answer?.calls).toEqual([
      ...["succeeded", "succeeded", "errored"],
      ...["succeeded", "errored", "errored"],
    ]);
  });

  it("are given an answer in the format that they name, and an error for a schema that is none", async () => {
    await insertAgent("bob", script({ text: '{"sum": 3}' }));
    const schema = { type: "object", properties: { sum: { type: "number" } } };
    const formatted = (given: unknown) =>
      ask("bob", { task: "Add", responseFormat: { type: "json_schema", schema: given } });
    const calls = [formatted(schema), formatted({ type: 7 })];
    await insertAgent("ann", script({ toolCalls: calls }, { text: "." }), asks("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const [answer, child, ...others] = await readTestTree(test.core, cId);
    expect(answer?.calls).toEqual(["succeeded", "errored"]);
    expect(JSON.parse(child?.content ?? "")).toEqual({ sum: 3 });
    expect(others).toEqual([]);
  });

  const slow = () => ({ steps: [{ text: "one two three four five" }], tokenDelayMs: 60_000 });

  it("are cancelled with all below them", async () => {
    await insertAgent("eve", slow());
    await insertAgent("bob", script({ toolCalls: [ask("eve"), ask("eve")] }), asks("eve"));
    await insertAgent("ann", script({ toolCalls: [ask("bob"), ask("bob")] }), asks("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await expect
      .poll(async () => (await readTestTree(test.core, cId)).filter(({ depth }) => depth === 2))
      .toHaveLength(4);
    await cancelMessages(context, { cId, messageIds: [mId] });
    const tree = await readTestTree(test.core, cId);
    expect(tree).toHaveLength(7);
    for (const answer of tree) {
      expect(answer).toMatchObject({ status: "cancelled", run: "finished", outcome: "cancelled" });
      expect((await readTestLog(test.core, answer.messageId)).at(-1)).toMatchObject({
        type: "agent_generation_cancelled",
      });
    }
  });

  it("continue without a task that was cancelled", async () => {
    await insertAgent("eve", slow());
    await insertAgent(
      "ann",
      script({ toolCalls: [ask("eve")] }, { text: "{{result}}" }),
      asks("eve"),
    );
    startWorker();
    const { cId, mId } = await create("ann");
    await until(mId, "agent_task_started");
    const [, child] = await readTestTree(test.core, cId);
    const { conversationId, messageId } = child!;
    await cancelMessages(context, { cId: conversationId, messageIds: [messageId] });
    await ended(mId);
    expect((await readTestTree(test.core, cId))[0]).toMatchObject({
      content: "The task of the agent eve was cancelled",
      calls: ["errored"],
    });
  });

  it("are deleted with all below them, but no task without them", async () => {
    await insertAgent("eve", slow());
    await insertAgent("ann", script({ toolCalls: [ask("eve")] }), asks("eve"));
    startWorker();
    const { cId, mId } = await create("ann");
    await until(mId, "agent_task_started");
    const [, child] = await readTestTree(test.core, cId);
    const below = { cId: child!.conversationId };
    await expect(deleteConversation(context, below)).rejects.toThrow("a task of another");
    await deleteConversation(context, { cId });
    await expect(getConversation(context, below)).rejects.toThrow("no such conversation");
  });

  const hands = (...agentIds: string[]): TeamMember[] =>
    agentIds.map((agentId) => ({ agentId, name: agentId, mode: "handover" }));
  const handOver = (name: string) => ({ name: `handover_to_${name}`, params: {} });

  it("hand over to another, which answers after them in the same conversation", async () => {
    await insertAgent("bob", script({ text: "Bob answers: {{message}}" }));
    await insertAgent(
      "ann",
      script({ text: "I pass it on.", toolCalls: [handOver("bob")] }, { text: "never" }),
      hands("bob"),
    );
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const [, second] = await readTestTree(test.core, cId);
    await ended(second!.messageId);
    expect(await readTestTree(test.core, cId)).toMatchObject([
      { agentSid: "ann", status: "succeeded", content: "I pass it on.", calls: ["succeeded"] },
      { agentSid: "bob", status: "succeeded", content: "Bob answers: ann hands over to bob" },
    ]);
    const { conversation } = await getConversation(context, { cId });
    expect(conversation.content.flat()).toMatchObject([
      { type: "user_message" },
      { type: "agent_message", content: "I pass it on." },
      { context: { agenticMessageData: { type: "agent_handover", originMessageId: mId } } },
      { type: "agent_message", configuration: { sId: "bob" } },
    ]);
  });

  it("hand over only so often", async () => {
    await insertAgent("ann", script({ toolCalls: [handOver("bob")] }, { text: "A" }), hands("bob"));
    await insertAgent("bob", script({ toolCalls: [handOver("ann")] }, { text: "B" }), hands("ann"));
    startWorker();
    const { cId } = await create("ann");
    await expect
      .poll(async () =>
        (await readTestTree(test.core, cId)).filter(({ run }) => run === "finished"),
      )
      .toHaveLength(4);
    const tree = await readTestTree(test.core, cId);
    expect(tree.map(({ content, calls }) => [content, ...calls])).toEqual([
      ...[
        ["", "succeeded"],
        ["", "succeeded"],
        ["", "succeeded"],
      ],
      ["B", "errored"],
    ]);
  });

  it("show what their tasks wait for where they were asked, with the path to it", async () => {
    const question = { name: "ask_user", params: { question: "Which size?" } };
    const { caller } = context;
    await insertTestAgent(test.core, caller.workspace, {
      sid: "eve",
      asksUser: true,
      script: script({ toolCalls: [question] }, { text: "{{result}}" }),
    });
    await insertAgent(
      "bob",
      script({ toolCalls: [ask("eve")] }, { text: "{{result}}" }),
      asks("eve"),
    );
    await insertAgent(
      "ann",
      script({ toolCalls: [ask("bob")] }, { text: "{{result}}" }),
      asks("bob"),
    );
    startWorker();
    const { cId, mId } = await create("ann");
    await until(cId, "tool_ask_user_question");
    const tree = await readTestTree(test.core, cId);
    const [, bob, eve] = tree;
    const path = [
      { conversationId: cId, messageId: mId, agentId: "ann", agentName: "ann" },
      {
        conversationId: bob!.conversationId,
        messageId: bob!.messageId,
        agentId: "bob",
        agentName: "bob",
      },
    ];
    const waiting = { conversationId: eve!.conversationId, messageId: eve!.messageId, path };
    expect(
      (await readTestLog(test.core, cId)).filter(({ type }) => type === "tool_ask_user_question"),
    ).toMatchObject([waiting]);
    const { blockedActions } = await listBlockedActions(context, { cId });
    expect(blockedActions).toMatchObject([waiting]);
    const listed = await listConversations(context, { limit: 10, lastValue: undefined });
    expect(listed.conversations).toMatchObject([{ sId: cId, actionRequired: true }]);
    await answerQuestion(context, {
      cId: eve!.conversationId,
      mId: eve!.messageId,
      actionId: blockedActions[0]!.actionId,
      answer: { selectedOptions: [], customResponse: "Large" },
    });
    await ended(mId);
    expect((await readTestTree(test.core, cId))[0]).toMatchObject({ content: "Large" });
  });

  it("have the answers of their tasks in their traces, below the calls", async () => {
    await insertAgent("eve", script({ text: "Done" }));
    await insertAgent("bob", script({ toolCalls: [ask("eve")] }, { text: "." }), asks("eve"));
    await insertAgent("ann", script({ toolCalls: [ask("bob")] }, { text: "." }), asks("bob"));
    startWorker();
    const { mId } = await create("ann");
    await ended(mId);
    const { spans } = (
      await readRunTrace(context, { wId: context.caller.workspace.sid, runId: mId })
    ).trace;
    const answers = spans.filter(({ kind }) => kind === "answer");
    expect(answers.map(({ name }) => name)).toEqual(["ann", "bob", "eve"]);
    const parents = answers.slice(1).map(({ parentId }) => spans.find(({ id }) => id === parentId));
    expect(parents).toMatchObject([
      { kind: "call", name: "ask_bob" },
      { kind: "call", name: "ask_eve" },
    ]);
    expect(spans.filter(({ kind }) => kind === "wait")).toEqual([]);
  });
});
