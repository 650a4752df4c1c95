import { cancelMessages } from "@parley/core";
import {
  answerQuestion,
  deleteConversation,
  getConversation,
  insertTestAgent,
  listBlockedActions,
  listConversations,
  readRunTrace,
  readTestLog,
  readTestTree,
} from "@parley/core/testing";
import type { TeamMember } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { ask, asks, script, slow, teamTest } from "../../testing/team-test.ts";

describe("trees of agents", () => {
  const team = teamTest();
  const { create, ended, insertAgent, startWorker, until } = team;

  it("are cancelled with all below them", async () => {
    await insertAgent("eve", slow());
    await insertAgent("bob", script({ toolCalls: [ask("eve"), ask("eve")] }), asks("eve"));
    await insertAgent("ann", script({ toolCalls: [ask("bob"), ask("bob")] }), asks("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await expect
      .poll(async () => (await readTestTree(team.core, cId)).filter(({ depth }) => depth === 2))
      .toHaveLength(4);
    await cancelMessages(team.context, { cId, messageIds: [mId] });
    const tree = await readTestTree(team.core, cId);
    expect(tree).toHaveLength(7);
    for (const answer of tree) {
      expect(answer).toMatchObject({ status: "cancelled", run: "finished", outcome: "cancelled" });
      expect((await readTestLog(team.core, answer.messageId)).at(-1)).toMatchObject({
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
    const [, child] = await readTestTree(team.core, cId);
    const { conversationId, messageId } = child!;
    await cancelMessages(team.context, { cId: conversationId, messageIds: [messageId] });
    await ended(mId);
    expect((await readTestTree(team.core, cId))[0]).toMatchObject({
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
    const [, child] = await readTestTree(team.core, cId);
    const below = { cId: child!.conversationId };
    await expect(deleteConversation(team.context, below)).rejects.toThrow("a task of another");
    await deleteConversation(team.context, { cId });
    await expect(getConversation(team.context, below)).rejects.toThrow("no such conversation");
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
    const [, second] = await readTestTree(team.core, cId);
    await ended(second!.messageId);
    expect(await readTestTree(team.core, cId)).toMatchObject([
      { agentSid: "ann", status: "succeeded", content: "I pass it on.", calls: ["succeeded"] },
      { agentSid: "bob", status: "succeeded", content: "Bob answers: ann hands over to bob" },
    ]);
    const { conversation } = await getConversation(team.context, { cId });
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
        (await readTestTree(team.core, cId)).filter(({ run }) => run === "finished"),
      )
      .toHaveLength(4);
    const tree = await readTestTree(team.core, cId);
    expect(tree.map(({ content, calls }) => [content, ...calls])).toEqual([
      ["", "succeeded"],
      ["", "succeeded"],
      ["", "succeeded"],
      ["B", "errored"],
    ]);
  });

  it("show what their tasks wait for where they were asked, with the path to it", async () => {
    const question = { name: "ask_user", params: { question: "Which size?" } };
    const { caller } = team.context;
    await insertTestAgent(team.core, caller.workspace, {
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
    const tree = await readTestTree(team.core, cId);
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
      (await readTestLog(team.core, cId)).filter(({ type }) => type === "tool_ask_user_question"),
    ).toMatchObject([waiting]);
    const ofAnswer = (await readTestLog(team.core, mId)).filter(({ type }) =>
      type.includes("ask_user"),
    );
    expect(ofAnswer).toMatchObject([{ ...waiting, step: 0 }]);
    const { blockedActions } = await listBlockedActions(team.context, { cId });
    expect(blockedActions).toMatchObject([waiting]);
    const listed = await listConversations(team.context, { limit: 10, lastValue: undefined });
    expect(listed.conversations).toMatchObject([{ sId: cId, actionRequired: true }]);
    await answerQuestion(team.context, {
      cId: eve!.conversationId,
      mId: eve!.messageId,
      actionId: blockedActions[0]!.actionId,
      answer: { selectedOptions: [], customResponse: "Large" },
    });
    await ended(mId);
    expect((await readTestTree(team.core, cId))[0]).toMatchObject({ content: "Large" });
    const { actionId } = blockedActions[0]!;
    const decided = (await readTestLog(team.core, mId)).filter(({ type }) =>
      type.includes("decided"),
    );
    const of = { messageId: mId, configurationId: "ann", step: 0 };
    expect(decided).toMatchObject([
      { type: "agent_task_call_decided", ...of, actionId, status: "succeeded" },
    ]);
  });

  it("tell the answer that was handed over to what its tasks wait for", async () => {
    const question = { name: "ask_user", params: { question: "Which size?" } };
    await insertTestAgent(team.core, team.context.caller.workspace, {
      sid: "eve",
      asksUser: true,
      script: script({ toolCalls: [question] }, { text: "{{result}}" }),
    });
    await insertAgent("bob", script({ toolCalls: [ask("eve")] }, { text: "." }), asks("eve"));
    await insertAgent("ann", script({ toolCalls: [handOver("bob")] }), hands("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await until(cId, "tool_ask_user_question");
    const [, bob] = await readTestTree(team.core, cId);
    const asked = async (logId: string) =>
      (await readTestLog(team.core, logId)).filter(({ type }) => type === "tool_ask_user_question");
    expect(await asked(mId)).toEqual([]);
    const path = [
      { messageId: mId, actionId: null, step: null },
      { messageId: bob!.messageId, step: 0 },
    ];
    expect(await asked(bob!.messageId)).toMatchObject([{ path }]);
  });

  it("have the answers of their tasks in their traces, below the calls", async () => {
    await insertAgent("eve", script({ text: "Done" }));
    await insertAgent("bob", script({ toolCalls: [ask("eve")] }, { text: "." }), asks("eve"));
    await insertAgent("ann", script({ toolCalls: [ask("bob")] }, { text: "." }), asks("bob"));
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const wId = team.context.caller.workspace.sid;
    const readTrace = async (runId: string) =>
      (await readRunTrace(team.context, { wId, runId })).trace;
    const { spans, traceId } = await readTrace(mId);
    const answers = spans.filter(({ kind }) => kind === "answer");
    expect(answers.map(({ name }) => name)).toEqual(["ann", "bob", "eve"]);
    // Each run is sent by itself, as a part of the same trace.
    const tree = await readTestTree(team.core, cId);
    for (const [index, { messageId }] of tree.entries()) {
      const own = await readTrace(messageId);
      expect(own.traceId).toBe(traceId);
      expect(own.parentSpanId).toBe(answers[index]?.parentId ?? null);
      expect(own.spans[0]?.id).toBe(answers[index]?.id);
    }
    const parents = answers.slice(1).map(({ parentId }) => spans.find(({ id }) => id === parentId));
    expect(parents).toMatchObject([
      { kind: "call", name: "ask_bob" },
      { kind: "call", name: "ask_eve" },
    ]);
    expect(spans.filter(({ kind }) => kind === "wait")).toEqual([]);
  });
});
