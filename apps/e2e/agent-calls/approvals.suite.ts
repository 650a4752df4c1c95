import { endpoints } from "@parley/schema";
import { beforeAll, expect, it } from "vitest";
import { expectError } from "../request.ts";
import { eventually, type Server } from "../server.ts";
import { answerIn, createCalls, readUntil } from "../siblings/calls.ts";
import {
  approval,
  blockedActions,
  conversationFrame,
  messageFrame,
} from "../siblings/sibling-shapes.ts";
import { expectShape } from "../shape.ts";

/** How a call that waits for approval is announced and listed, over HTTP. */
export function approvalsSuite(server: () => Server): void {
  const calls = createCalls(server);
  let agentId: string;
  beforeAll(async () => {
    const rpc = calls.rpc();
    const { workspaceId } = server().demo;
    for (const [slug, requiresApproval] of [
      ["announced", true],
      ["unannounced", false],
    ] as const) {
      const behaviour = { steps: [], result: "'done'" };
      const program = { type: "simulated" as const, behaviour };
      const description = `Is ${slug}`;
      await rpc.sandboxFunctions.create.mutate({
        wId: workspaceId,
        slug,
        description,
        inputSchema: {},
        program,
        requiresApproval,
      });
    }
    const params = (item: string) => ({ params: { item } });
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId: workspaceId,
      name: "Careful",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: ["announced", "unannounced"],
      script: {
        steps: [
          {
            text: "Let me see. ",
            toolCalls: [
              { name: "announced", ...params("tea") },
              { name: "unannounced", ...params("milk") },
              { name: "announced", ...params("sugar") },
            ],
          },
          { text: "Done" },
        ],
      },
    });
    agentId = agentConfiguration.sId;
  });

  const ask = async () => {
    const { conversation, message } = await calls.create("Go on", [agentId]);
    const answer = conversation.content.at(-1)!.at(-1)!;
    const { user, context, sId: asked } = message;
    const { username } = context;
    const by = { userId: user.sId, userName: user.fullName, username };
    return { cId: conversation.sId, mId: answer.sId, asked, ...by };
  };
  const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
  const blockedOf = async (cId: string, key = server().demo.adminKey) =>
    calls.call("GET", `/${cId}/actions/blocked`, { key });
  const listed = async (cId: string) => {
    const schema = endpoints["conversations.listBlockedActions"].output;
    return answerIn(await blockedOf(cId), { shape: blockedActions, schema }).blockedActions;
  };

  it("announces each on both streams after its parameters, and lists them while they wait", async () => {
    const { cId, mId, asked, userId, userName, username } = await ask();
    const tail = `/${cId}/messages/${mId}`;
    let announced = 0;
    const before = await readUntil(
      await calls.stream(`${tail}/events`),
      messageFrame,
      ({ data }) => {
        return data.type === "tool_approve_execution" && ++announced === 2;
      },
    );
    const types = before.map(({ data }) => data.type).filter((type) => type.startsWith("tool"));
    expect(types.slice(0, 5)).toEqual([
      "tool_params",
      "tool_approve_execution",
      "tool_params",
      "tool_params",
      "tool_approve_execution",
    ]);
    const approvals = before.flatMap(({ data }) =>
      data.type === "tool_approve_execution" ? data : [],
    );
    expect(approvals).toMatchObject([
      { inputs: { item: "tea" }, isLastBlockingEventForStep: false },
      { inputs: { item: "sugar" }, isLastBlockingEventForStep: true },
    ]);
    expect(approvals[0]).toMatchObject({
      configurationId: agentId,
      messageId: mId,
      conversationId: cId,
      stake: "high",
      metadata: { agentName: "Careful", toolName: "announced" },
      userId,
      step: 0,
    });
    const blocked = await listed(cId);
    const status = "blocked_validation_required";
    const request = { messageId: asked, content: "Go on", isCut: false, username, userName };
    const known = { request, toolDescription: "Is announced" };
    expect(blocked.map((one) => ({ ...one, step: 0 }))).toEqual(
      approvals.map((one) => ({ ...one, ...known, status })),
    );

    for (const { actionId } of blocked) {
      const json = { actionId, approved: "approved" };
      await calls.call("POST", `${tail}/validate-action`, { json });
    }
    const seen = await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    expect(seen.map(({ data }) => data.type)).toEqual([
      "user_message_new",
      "agent_message_new",
      "tool_approve_execution",
      "tool_approve_execution",
      "agent_message_done",
    ]);
    const onConversation = seen.flatMap(({ data }) =>
      data.type === "tool_approve_execution" ? data : [],
    );
    for (const one of onConversation) expectShape(one, approval);
    expect(onConversation.map((one) => ({ ...one, step: 0 }))).toEqual(approvals);
    expect(await listed(cId)).toEqual([]);
    const next = { content: "Go on", mentions: [{ configurationId: agentId }] };
    await calls.call("POST", `/${cId}/messages`, { json: next });
    const waiting = await eventually(async () => {
      const value = await listed(cId);
      return value.length === 2 ? { value } : {};
    }, 20_000);
    const decision = { decision: "approved", by: expect.any(String), at: expect.any(Number) };
    expect(waiting.map((one) => one.earlierDecisions)).toEqual([
      [decision, decision],
      [decision, decision],
    ]);
    const [resumed] = await readUntil(
      await calls.stream(`/${cId}/events?lastEventId=2`),
      conversationFrame,
      () => true,
    );
    expect(resumed).toMatchObject({ eventId: "3", data: { type: "tool_approve_execution" } });
    // The whole log again, as it was told.
    const again = await readUntil(await calls.stream(`${tail}/events`), messageFrame);
    expect(again.slice(0, before.length)).toEqual(before);
    expect(again.at(-1)?.data.type).toBe("agent_message_success");
  });

  it("announces nothing that does not wait", async () => {
    const { conversation } = await calls.create("Go on", [agentId], {
      skipToolsValidation: true,
      blocking: true,
    });
    const { sId: cId } = conversation;
    const seen = await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    expect(seen.map(({ data }) => data.type)).not.toContain("tool_approve_execution");
    expect(await listed(cId)).toEqual([]);
  });

  it("lists nothing of an answer that was cancelled, and nothing to strangers", async () => {
    const { cId, mId } = await ask();
    await readUntil(
      await calls.stream(`/${cId}/messages/${mId}/events`),
      messageFrame,
      ({ data }) => {
        return data.type === "tool_approve_execution";
      },
    );
    const other = await calls.operator().workspaces.create.mutate({ name: "O" });
    expectError(await blockedOf(cId, other.adminKey), "workspace_auth_error");
    expectError(await blockedOf("nothing"), "conversation_not_found");
    await calls.call("POST", `/${cId}/cancel`, { json: { messageIds: [mId] } });
    expect(await listed(cId)).toEqual([]);
  });
}
