import { beforeAll, describe, expect, it } from "vitest";
import { expectError } from "../request.ts";
import { shareServer } from "../server.ts";
import { clock, createToolAsker, weather } from "./ask-with-tools.ts";

describe("tools of an application", () => {
  // With one place for a run, a turn that held it while it waits would let no other run.
  const server = shareServer({ PARLEY_WORKER_CONCURRENCY: "1" });
  const { calls, ask, callsOf, send, endOf } = createToolAsker(server);
  const call = (name: string, params: object = {}) => ({ name, params: { ...params } });
  let both: string;
  let beside: string;
  beforeAll(async () => {
    const wId = server().demo.workspaceId;
    both = await calls.createAgent("both", {
      steps: [
        { text: "Well. ", toolCalls: [call("get_weather", { city: "Oslo" }), call("get_time")] },
        { text: "So: {{result}}" },
      ],
      tokenDelayMs: 0,
    });
    const program = {
      type: "simulated" as const,
      behaviour: { durationMs: 0, steps: [], result: "'own'" },
    };
    const slug = "own-tool";
    await calls.rpc().sandboxFunctions.create.mutate({ wId, slug, description: slug, program });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: "Beside",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: [slug],
      script: {
        steps: [
          { toolCalls: [call(slug), call("get_weather")] },
          { toolCalls: [call(slug)] },
          { text: "{{result}}" },
        ],
      },
    });
    beside = agentConfiguration.sId;
  });

  it("are called, wait without a place, and continue the answer once all outputs are there", async () => {
    const asked = await ask(both);
    const [first, second] = await callsOf(asked, 2);
    expect(first?.data).toMatchObject({
      configurationId: both,
      conversationId: asked.cId,
      messageId: asked.mId,
      functionName: "get_weather",
      functionCallId: expect.any(String),
      inputs: { city: "Oslo" },
      isLastBlockingEventForStep: false,
    });
    expect(second?.data).toMatchObject({
      functionName: "get_time",
      isLastBlockingEventForStep: true,
    });
    const waiting = await calls.get(asked.cId);
    expect(waiting.actionRequired).toBe(false);
    expect(JSON.stringify(waiting.content)).toContain('"blocked_client_output_required"');
    const blocked = await calls.call("GET", `/${asked.cId}/actions/blocked`);
    expect(blocked.text).toBe('{"blockedActions":[]}');
    // Another turn has the only place meanwhile.
    const other = await ask("helper", { functionTools: [] });
    expect((await endOf(other)).answer?.status).toBe("succeeded");

    const outputs = [
      { actionId: String(first?.data["actionId"]), output: "Rain" },
      { actionId: String(second?.data["actionId"]), output: "Noon", isError: false },
    ];
    expect((await send(asked, outputs.slice(0, 1))).status).toBe(200);
    expect((await calls.get(asked.cId)).content.at(-1)?.at(-1)).toMatchObject({
      status: "created",
    });
    // Those that were sent before may come again.
    expect((await send(asked, outputs)).status).toBe(200);
    const { answer, types } = await endOf(asked);
    expect(answer).toMatchObject({
      status: "succeeded",
      content: "Well. So: Noon",
      actions: [
        { functionCallName: "get_weather", status: "succeeded", output: [{ text: "Rain" }] },
        { functionCallName: "get_time", status: "succeeded", output: [{ text: "Noon" }] },
      ],
    });
    // Published clients know all types that they are sent.
    expect(types).not.toContain("tool_output_required");
    expect(types.filter((type) => type === "agent_action_success")).toHaveLength(2);
    expect((await send(asked, outputs)).status).toBe(200);
    const changed = [{ ...outputs[0]!, output: "Sun" }];
    expectError(await send(asked, changed), "invalid_request_error", { message: /already sent/ });
  });

  it("are called beside tools of the agent, which run meanwhile", async () => {
    const asked = await ask(beside);
    const [waiting] = await callsOf(asked);
    expect(waiting?.data).toMatchObject({ functionName: "get_weather" });
    const output = [{ type: "text" as const, text: "Rain" }];
    await send(asked, [{ actionId: String(waiting?.data["actionId"]), output }]);
    const { answer } = await endOf(asked);
    expect(answer).toMatchObject({ status: "succeeded", content: '"own"' });
    expect(answer?.actions.map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
  });

  it("have no name of a tool that the agent has, and an answer says so", async () => {
    const asked = await ask(beside, { functionTools: [{ name: "own-tool" }, weather] });
    const [waiting] = await callsOf(asked);
    await send(asked, [{ actionId: String(waiting?.data["actionId"]), output: "", isError: true }]);
    const { answer } = await endOf(asked);
    expect(answer?.content).toBe('"own"');
    expect(answer?.notes).toMatchObject([{ code: "tool_name_taken", title: "own-tool" }]);
    expect(answer?.actions.map(({ status }) => status)).toContain("errored");
  });

  it("may be many and large, which no claim carries", async () => {
    const many = Array.from({ length: 60 }, (_, index) => {
      const description = `${index} ${"é".repeat(900)}`;
      return { ...weather, name: index === 59 ? weather.name : `t${index}`, description };
    });
    const asked = await ask(both, { functionTools: [...many, clock] });
    const outputs = (await callsOf(asked, 2)).map(({ data }) => {
      return { actionId: String(data["actionId"]), output: String(data["functionName"]) };
    });
    expect((await send(asked, outputs)).status).toBe(200);
    expect((await endOf(asked)).answer?.content).toBe("Well. So: get_time");
  });

  it("end the wait of a blocking request", async () => {
    const mentions = [{ configurationId: both }];
    const message = { content: "How is it?", mentions, functionTools: [weather, clock] };
    const headers = { "idempotency-key": "waits" };
    const startedAt = Date.now();
    const create = () => calls.call("POST", "", { json: { message, blocking: true }, headers });
    for (const response of [await create(), await create()]) {
      expect(response.text).toContain('"status":"blocked_client_output_required"');
    }
    // By themselves they end after three minutes.
    expect(Date.now() - startedAt).toBeLessThan(120_000);
  });

  it("have one output each, whoever sends them at once", async () => {
    const asked = await ask(both);
    const waiting = await callsOf(asked, 2);
    const outputsOf = (output: string) =>
      waiting.map(({ data }) => ({ actionId: String(data["actionId"]), output }));
    const sent = await Promise.all(
      ["a", "a", "b", "b"].map((output) => send(asked, outputsOf(output))),
    );
    expect(sent.map(({ status }) => String(status)).toSorted()).toEqual([
      "200",
      "200",
      "400",
      "400",
    ]);
    const { answer, types } = await endOf(asked);
    const [first, second] = answer?.actions.map(({ output }) => output) ?? [];
    expect(first).toEqual(second);
    expect(types.filter((type) => type === "agent_action_success")).toHaveLength(2);
  });

  it("give images, which stand in the conversation as files", async () => {
    const asked = await ask(both);
    const [first, second] = await callsOf(asked, 2);
    const data = Buffer.from("not a real image").toString("base64");
    const outputs = [
      {
        actionId: String(first?.data["actionId"]),
        output: [{ type: "image" as const, data, mimeType: "image/png" }],
      },
      { actionId: String(second?.data["actionId"]), output: "Noon" },
    ];
    expect((await send(asked, outputs)).status).toBe(200);
    expect((await send(asked, outputs)).status).toBe(200);
    const { answer } = await endOf(asked);
    const generatedFiles = answer?.actions[0]?.generatedFiles ?? [];
    expect(generatedFiles).toMatchObject([{ title: "image-1.png", contentType: "image/png" }]);
    const path = `/${asked.cId}/files?filePath=${encodeURIComponent(generatedFiles[0]!.filePath)}`;
    expect((await calls.call("GET", path)).text).toBe("not a real image");
  });

  it("hold for the answers to their message, also for versions of these", async () => {
    const asked = await ask(both);
    const cancelled = { json: { messageIds: [asked.mId] } };
    await callsOf(asked);
    await calls.call("POST", `/${asked.cId}/cancel`, cancelled);
    const ended = await endOf(asked);
    expect(ended.answer).toMatchObject({ status: "cancelled" });
    expect(ended.answer?.actions[0]).toMatchObject({ status: "errored" });
    const actionId = ended.answer?.actions[0]?.sId ?? "";
    expectError(await send(asked, [{ actionId, output: "Late" }]), "invalid_request_error", {
      message: /does not wait for an output/,
    });
    const retried = await calls.call("POST", `/${asked.cId}/messages/${asked.mId}/retry`, {
      json: {},
    });
    const { message } = JSON.parse(retried.text) as { message: { sId: string } };
    const again = { cId: asked.cId, mId: message.sId };
    expect(await callsOf(again, 2)).toHaveLength(2);
    await calls.call("POST", `/${asked.cId}/cancel`, { json: { messageIds: [again.mId] } });
    const { agentMessages } = await calls.post(asked.cId, {
      content: "And now?",
      mentions: [{ configurationId: both }],
    });
    const later = await endOf({ cId: asked.cId, mId: agentMessages[0]!.sId });
    expect(later.answer?.actions.map(({ status }) => status)).toEqual(["errored", "errored"]);
  });

  it.each([
    [{ functionTools: [{ name: "no spaces" }] }, /functionTools\[0\].name/],
    [{ functionTools: [weather, weather] }, /different names/],
    [
      { functionTools: [clock, { name: "x", parameters: { type: "no type" } }] },
      /\[1\].parameters/,
    ],
    [{ functionTools: Array.from({ length: 65 }, (_, n) => ({ name: `t${n}` })) }, /functionTools/],
    [{ toolChoice: { name: "other" } }, /no tool named other/],
    [{ temperature: 3 }, /temperature/],
  ])("refuses %j", async (more, message) => {
    const mentions = [{ configurationId: both }];
    const sent = { content: "?", mentions, functionTools: [weather], ...more };
    const refused = await calls.call("POST", "", { json: { message: sent } });
    expectError(refused, "invalid_request_error", { message });
  });

  it("are those of the conversation's readers only", async () => {
    const asked = await ask(both);
    const [first] = await callsOf(asked);
    const outputs = [{ actionId: String(first?.data["actionId"]), output: "Mine" }];
    const { userKey: key } = server().demo;
    expectError(await send(asked, outputs, { key }), "conversation_not_found");
  });
});
