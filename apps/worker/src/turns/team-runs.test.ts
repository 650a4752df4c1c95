import {
  createTestConversation,
  getConversation,
  insertTestWorkspace,
  listConversations,
  listTasks,
  openTestContext,
  readTestLog,
  readTestTree,
  uploadTestFile,
} from "@parley/core/testing";
import { describe, expect, it } from "vitest";
import { ask, asks, script, teamTest } from "../../testing/team-test.ts";

describe("agents that ask others", () => {
  const team = teamTest();
  const { create, ended, insertAgent, startWorker } = team;

  it("are suspended until the tasks have ended, and are given their answers", async () => {
    await insertAgent("bob", script({ text: "Bob says: {{message}}" }));
    await insertAgent("eve", script({ text: "Eve says: {{message}}" }));
    const calls = { text: "", toolCalls: [ask("bob"), ask("eve")] };
    await insertAgent("ann", script(calls, { text: "So: {{result}}" }), asks("bob", "eve"));
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const tree = await readTestTree(team.core, cId);
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
    const [, child] = await readTestTree(team.core, cId);
    const log = await readTestLog(team.core, mId);
    expect(log.filter(({ type }) => type === "agent_task_started")).toMatchObject([
      { task: { conversationId: child?.conversationId, messageId: child?.messageId } },
    ]);
    const { conversation } = await getConversation(team.context, { cId: child!.conversationId });
    expect(conversation.content.flat()[0]).toMatchObject({
      content: "Go, bob",
      context: { agenticMessageData: { type: "run_agent", originMessageId: mId } },
    });
    const { conversations } = await listConversations(team.context, {
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
    expect((await readTestTree(team.core, cId))[0]).toMatchObject({
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
    const tree = await readTestTree(team.core, cId);
    expect(tree.map(({ agentSid, depth, calls }) => [agentSid, depth, ...calls])).toEqual([
      ["ann", 0, "succeeded"],
      ["bob", 1, "succeeded"],
      ["ann", 2, "errored"],
    ]);
  });

  it("are listed as a tree, a page at a time, to those who reach the conversation", async () => {
    await insertAgent("eve", script({ text: "Eve" }));
    await insertAgent("bob", script({ toolCalls: [ask("eve")] }, { text: "." }), asks("eve"));
    await insertAgent(
      "ann",
      script({ toolCalls: [ask("bob"), ask("eve")] }, { text: "." }),
      asks("bob", "eve"),
    );
    startWorker();
    const { cId, mId } = await create("ann");
    await ended(mId);
    const list = async (input: Partial<Parameters<typeof listTasks>[1]>) =>
      listTasks(team.context, {
        cId,
        limit: 100,
        lastValue: undefined,
        messageId: undefined,
        ...input,
      });
    const all = await list({});
    const shown = all.tasks.map(({ agentId, depth, status, path }) => [
      agentId,
      depth,
      status,
      ...path.map((one) => one.agentId),
    ]);
    expect(shown).toEqual([
      ["bob", 1, "succeeded", "ann"],
      ["eve", 1, "succeeded", "ann"],
      ["eve", 2, "succeeded", "ann", "bob"],
    ]);
    expect(all.hasMore).toBe(false);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, lastValue: first.lastValue ?? undefined });
    expect([...first.tasks, ...second.tasks]).toEqual(all.tasks);
    expect(await list({ messageId: mId })).toEqual(all);
    expect(await list({ messageId: "other" })).toMatchObject({ tasks: [] });
    const [bob] = all.tasks;
    expect(await list({ cId: bob!.conversationId })).toMatchObject({ tasks: [all.tasks[2]] });
    const other = await openTestContext(team.core, await insertTestWorkspace(team.core));
    await expect(
      listTasks(other, { cId, limit: 1, lastValue: undefined, messageId: undefined }),
    ).rejects.toThrow("no such conversation");
  });

  it("pass files of the conversation on, and no others", async () => {
    const { sId: fileId } = await uploadTestFile(team.context, "The code is 4711", {
      contentType: "text/plain",
      fileName: "code.txt",
    });
    const { sId: otherId } = await uploadTestFile(team.context, "Not for it");
    await insertAgent("bob", script({ text: "Read" }));
    const given = ask("bob", { task: "Read it", files: [fileId] });
    const other = ask("bob", { task: "Read it", files: [otherId] });
    await insertAgent(
      "ann",
      script({ toolCalls: [given, other] }, { text: "{{result}}" }),
      asks("bob"),
    );
    startWorker();
    const { conversation } = await createTestConversation(team.context, ["ann"], {
      contentFragments: [{ title: "code.txt", fileId }],
    });
    await ended(conversation.content.at(-1)![0]!.sId);
    const [answer, child, ...others] = await readTestTree(team.core, conversation.sId);
    expect(others).toEqual([]);
    expect(answer?.calls).toEqual(["succeeded", "errored"]);
    const { conversation: task } = await getConversation(team.context, {
      cId: child!.conversationId,
    });
    expect(task.content.flat()).toMatchObject([
      { type: "content_fragment", fileId, title: "code.txt" },
      { type: "user_message", content: "Read it" },
      { type: "agent_message", content: "Read" },
    ]);
  });

  it("give only so many tasks at once, and in all", async () => {
    await insertAgent("bob", script({ text: "Done" }));
    const three = { toolCalls: [ask("bob"), ask("bob"), ask("bob")] };
    await insertAgent("ann", script(three, three, { text: "." }), asks("bob"));
    startWorker({ PARLEY_TASKS_AT_ONCE: "2", PARLEY_CONVERSATION_TASKS: "3" });
    const { cId, mId } = await create("ann");
    await ended(mId);
    const [answer, ...children] = await readTestTree(team.core, cId);
    expect(children).toHaveLength(3);
    const first = ["succeeded", "succeeded", "errored"];
    const second = ["succeeded", "errored", "errored"];
    expect(answer?.calls).toEqual([...first, ...second]);
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
    const [answer, child, ...others] = await readTestTree(team.core, cId);
    expect(answer?.calls).toEqual(["succeeded", "errored"]);
    expect(JSON.parse(child?.content ?? "")).toEqual({ sum: 3 });
    expect(others).toEqual([]);
  });
});
