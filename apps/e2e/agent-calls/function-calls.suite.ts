import { type Action, type AgentMessage, endpoints } from "@parley/schema";
import { beforeAll, expect, it } from "vitest";
import { readFrames } from "../frames.ts";
import { expectError, jsonOf, open, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls, type SeenEvent } from "../siblings/calls.ts";

/** Agents whose tools are functions, one of which requires approval, over HTTP. */
export function functionCallsSuite(server: () => Server): void {
  const calls = createCalls(server);
  let agentId: string;
  beforeAll(async () => {
    const rpc = calls.rpc();
    const { workspaceId } = server().demo;
    const create = (slug: string, result: string, requiresApproval: boolean) =>
      rpc.sandboxFunctions.create.mutate({
        wId: workspaceId,
        slug,
        description: `Does ${slug}`,
        inputSchema: { type: "object", required: ["item"] },
        program: { type: "simulated", behaviour: { durationMs: 20, steps: [], result } },
        requiresApproval,
      });
    await create("find-price", "{'price': $length(item)}", false);
    await create("place-order", "{'ordered': item}", true);
    const params = { item: "tea" };
    const made = await rpc.agents.create.mutate({
      wId: workspaceId,
      name: "Buyer",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: ["find-price", "place-order"],
      script: {
        steps: [
          {
            text: "Let me see. ",
            toolCalls: [
              { name: "find-price", params },
              { name: "place-order", params },
            ],
          },
          { text: "Done: {{result}}" },
        ],
      },
    });
    expect(made.functionIds).toHaveLength(2);
    agentId = made.agentConfiguration.sId;
  });

  const ask = async (further: object = {}) => {
    const { conversation } = await calls.create("Buy tea", [agentId], further);
    const message = conversation.content.at(-1)!.at(-1)!;
    return { cId: conversation.sId, mId: message.sId };
  };
  const decide = (mId: { cId: string; mId: string }, actionId: string, approved: string) =>
    calls.call("POST", `/${mId.cId}/messages/${mId.mId}/validate-action`, {
      json: { actionId, approved },
    });
  /** Follows the answer to its end; `meet` is given what waits for approval. */
  const follow = async (
    { cId, mId }: { cId: string; mId: string },
    meet: (action: Action) => Promise<unknown>,
  ) => {
    const events: SeenEvent[] = [];
    const response = await calls.stream(`/${cId}/messages/${mId}/events`);
    for await (const { data } of readFrames(response)) {
      // As the interface describes the stream.
      const event = data as unknown as SeenEvent;
      events.push(event);
      const action = event.data["action"] as Action | undefined;
      if (action?.status === "blocked_validation_required") await meet(action);
    }
    return events;
  };
  const answerOf = async (cId: string): Promise<AgentMessage> =>
    answersOf(await calls.get(cId))[0]!;
  const statuses = ({ actions }: AgentMessage) =>
    actions.map(({ toolName, status }) => `${toolName} ${status}`);
  const types = (events: readonly SeenEvent[]) =>
    events.map(({ data }) => data.type).filter((type) => type !== "generation_tokens");
  const allTypes = [
    "tool_params",
    "tool_params",
    "tool_approve_execution",
    "agent_action_success",
    "agent_action_success",
    "agent_message_success",
  ];

  it("continues with what was called once the waiting call is approved", async () => {
    const asked = await ask();
    const events = await follow(asked, async (action) => {
      expect(action).toMatchObject({ toolName: "place-order", output: null });
      expect(await calls.get(asked.cId)).toMatchObject({ actionRequired: true });
      const approved = await decide(asked, action.sId, "approved");
      expect(jsonOf(approved, endpoints["messages.validateAction"].output).parsed).toEqual({
        success: true,
      });
      expect((await decide(asked, action.sId, "approved")).status).toBe(200);
      expectError(await decide(asked, action.sId, "rejected"), "invalid_request_error", {
        field: "actionId",
      });
    });
    expect(types(events)).toEqual(allTypes);
    const answer = await answerOf(asked.cId);
    expect(answer.content).toBe('Let me see. Done: {"ordered":"tea"}');
    expect(statuses(answer)).toEqual(["find-price succeeded", "place-order succeeded"]);
    expect(await calls.get(asked.cId)).toMatchObject({ actionRequired: false });
  });

  it("tells the model that its call was rejected", async () => {
    const asked = await ask();
    await follow(asked, (action) => decide(asked, action.sId, "rejected"));
    const answer = await answerOf(asked.cId);
    expect(statuses(answer)).toEqual(["find-price succeeded", "place-order denied"]);
    expect(answer.content).toBe("Let me see. Done: The user has denied the call");
  });

  it("waits for nobody when the message says so", async () => {
    const asked = await ask({ skipToolsValidation: true, blocking: true });
    const answer = await answerOf(asked.cId);
    expect(answer.content).toBe('Let me see. Done: {"ordered":"tea"}');
  });

  it("ends the calls of an answer that is cancelled while one waits", async () => {
    const asked = await ask();
    let waiting: Action | undefined;
    const events = await follow(asked, async (action) => {
      waiting = action;
      await calls.call("POST", `/${asked.cId}/cancel`, { json: { messageIds: [asked.mId] } });
    });
    expect(events.at(-1)?.data.type).toBe("agent_generation_cancelled");
    const { status, actions } = await answerOf(asked.cId);
    expect(status).toBe("cancelled");
    expect(actions.every((action) => ["errored", "succeeded"].includes(action.status))).toBe(true);
    expectError(await decide(asked, waiting!.sId, "approved"), "invalid_request_error");
  });

  it("knows no call of another message, conversation or workspace", async () => {
    const asked = await ask();
    expectError(await decide(asked, "act_unknown", "approved"), "invalid_request_error");
    expectError(
      await decide({ ...asked, mId: "unknown" }, "act_x", "approved"),
      "message_not_found",
    );
    expectError(
      await decide({ ...asked, cId: "unknown" }, "act_x", "approved"),
      "conversation_not_found",
    );
    await calls.call("POST", `/${asked.cId}/cancel`, { json: { messageIds: [asked.mId] } });
  });

  it("remembers what was approved permanently, and shows the invocation's own events", async () => {
    const asked = await ask();
    await follow(asked, (action) => decide(asked, action.sId, "always_approved"));
    const { cId } = await ask({ blocking: true });
    expect(statuses(await answerOf(cId))).toEqual([
      "find-price succeeded",
      "place-order succeeded",
    ]);
    const paths = pathsOf(server());
    const listed = await send(server(), { path: paths.invocations("place-order") });
    const { invocations } = JSON.parse(listed.text) as { invocations: { sId: string }[] };
    const path = paths.events("place-order", invocations[0]!.sId).replace("/api/", "/api/sse/");
    const frames = await Array.fromAsync(readFrames(await open(server(), { path })));
    expect(frames.map(({ data }) => data["type"])).toEqual([
      "sandbox_function_invocation_created",
      "sandbox_function_invocation_result",
    ]);
  });

  it("ends twenty answers of two calls each on one place for runs", async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => ask({ skipToolsValidation: true, blocking: true })),
    );
    const answers = await Promise.all(asked.map(({ cId }) => answerOf(cId)));
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => "succeeded"));
  });
}
