import { beforeAll, expect, it } from "vitest";
import { expectError } from "../request.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame, messageFrame } from "../siblings/sibling-shapes.ts";

/** How an agent asks its user, and continues with the answer, over HTTP. */
export function questionsSuite(server: () => Server): void {
  const calls = createCalls(server);
  let agentId: string;
  beforeAll(async () => {
    const question = {
      question: "Which size?",
      options: [{ label: "Small" }, { label: "Large", description: "Over 44" }],
    };
    const { agentConfiguration, asksUser } = await calls.rpc().agents.create.mutate({
      wId: server().demo.workspaceId,
      name: "Asking",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      asksUser: true,
      script: {
        steps: [
          { text: "Well. ", toolCalls: [{ name: "ask_user", params: question }] },
          { text: "So: {{result}}" },
        ],
      },
    });
    expect(asksUser).toBe(true);
    agentId = agentConfiguration.sId;
  });

  const ask = async () => {
    const { conversation } = await calls.create("Shoes", [agentId]);
    const mId = conversation.content.at(-1)!.at(-1)!.sId;
    const tail = `/${conversation.sId}/messages/${mId}`;
    const isQuestion = ({ data }: { data: { type: string } }) =>
      data.type === "tool_ask_user_question";
    const seen = await readUntil(await calls.stream(`${tail}/events`), messageFrame, isQuestion);
    return { cId: conversation.sId, tail, event: seen.at(-1)!.data };
  };

  it("announces the question, lists it, and continues with the answer", async () => {
    const { cId, tail, event } = await ask();
    expect(event).toMatchObject({
      configurationId: agentId,
      conversationId: cId,
      metadata: { mcpServerName: "ask_user", toolName: "ask_user" },
      question: {
        question: "Which size?",
        options: [
          { label: "Small", description: null },
          { label: "Large", description: "Over 44" },
        ],
        multiSelect: false,
      },
    });
    const listed = await calls.rpc().conversations.listBlockedActions.query({
      wId: server().demo.workspaceId,
      cId,
    });
    const { step: _step, ...asked } = event;
    expect(listed.blockedActions).toEqual([
      {
        ...asked,
        status: "blocked_user_answer_required",
        request: expect.objectContaining({ content: "Shoes", isCut: false }),
      },
    ]);
    expect((await calls.get(cId)).actionRequired).toBe(true);
    const answer = { selectedOptions: [1], customResponse: "In red" };
    const json = { actionId: event["actionId"], answer };
    expect((await calls.call("POST", `${tail}/answer-question`, { json })).status).toBe(200);
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    const [message] = answersOf(await calls.get(cId));
    expect(message?.content).toBe("Well. So: Large\nIn red");
    // The same answer again is a repeat; another one comes too late.
    expect((await calls.call("POST", `${tail}/answer-question`, { json })).status).toBe(200);
    const late = { ...json, answer: { selectedOptions: [0] } };
    const refused = await calls.call("POST", `${tail}/answer-question`, { json: late });
    expectError(refused, "invalid_request_error", { message: /already answered/ });
  });

  it("refuses answers that the question does not allow, and leaves it open", async () => {
    const { cId, tail, event } = await ask();
    const { actionId } = event;
    const wrong = [
      { answer: { selectedOptions: [2] }, message: /2 options/ },
      { answer: { selectedOptions: [0, 1] }, message: /only one/ },
      { answer: { selectedOptions: [] }, message: /must not be empty/ },
    ];
    for (const { answer, message } of wrong) {
      const refused = await calls.call("POST", `${tail}/answer-question`, {
        json: { actionId, answer },
      });
      expectError(refused, "invalid_request_error", { message });
    }
    const approve = { actionId, approved: "approved" };
    const approved = await calls.call("POST", `${tail}/validate-action`, { json: approve });
    expectError(approved, "invalid_request_error", { message: /does not wait for approval/ });
    expect((await calls.get(cId)).actionRequired).toBe(true);
  });

  it("keeps questions of others to themselves", async () => {
    const { tail, event } = await ask();
    const json = { actionId: event["actionId"], answer: { selectedOptions: [0] } };
    const { userKey: key } = server().demo;
    const foreign = await calls.call("POST", `${tail}/answer-question`, { json, key });
    expectError(foreign, "conversation_not_found");
  });
}
