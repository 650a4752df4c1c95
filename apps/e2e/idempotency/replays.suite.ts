import type { InvokedSandboxFunction, PostedMessage } from "@parley/schema";
import { expect, test } from "vitest";
import { awaitApproval } from "../agent-calls/await-approval.ts";
import { awaitQuestion } from "../agent-calls/await-question.ts";
import { awaitOutput } from "../function-tools/await-output.ts";
import { sharePersonalTool } from "../administration/tool-mutations.ts";
import { toolServer } from "../administration/skill-mutations.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { expectError, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";
import { furtherSamples } from "./further-samples.ts";
import type { Sample } from "./knowledge-samples.ts";
import {
  conversationIn,
  createOf,
  createSender,
  idsIn,
  isReplay,
  keyedEndpoints,
  listIds,
} from "./keyed.ts";

// The interface: the same request again gives what the first one made, as it now is.

/** The tests of what a replay answers. */
export function replaysSuite(server: () => Server): void {
  const { call, create, createAgent, get, rpc } = createCalls(server);
  const root = () => pathsOf(server()).conversations;
  const assistant = () => `${pathsOf(server()).workspace}/assistant`;
  const model = { providerId: "simulated", modelId: "simulated-1" };
  const newId = async () => (await create("Hello")).conversation.sId;
  const to = async (tail: string, members: unknown): Promise<Request> => ({
    path: `${root()}/${await newId()}/${tail}`,
    json: members,
  });

  const personalTool = sharePersonalTool(server);
  const shop = shareShop();
  const registration = (): Request => ({
    path: `${pathsOf(server()).workspace}/mcp/register`,
    json: { serverName: "x" },
  });
  const toServer = async (tail: string, members: object = {}): Promise<Sample> => {
    const [serverId] = idsIn(await send(server(), registration()));
    const path = `${pathsOf(server()).workspace}/mcp/${tail}`;
    return { request: { path, json: { serverId, ...members } }, withoutKey: "makes nothing" };
  };
  /** A request to each endpoint that takes a key. */
  const samples: Record<string, () => Promise<Sample>> = {
    "clientServers.answer": () =>
      toServer("results", { result: { jsonrpc: "2.0", id: "x", result: {} } }),
    "clientServers.deregister": () => toServer("deregister"),
    "clientServers.heartbeat": () => toServer("heartbeat"),
    "clientServers.register": async () => ({ request: registration() }),
    "agents.createGeneric": async () => ({
      request: {
        path: `${assistant()}/generic_agents`,
        json: { name: "Gen", description: "", instructions: "", subAgentName: "Sub" },
      },
    }),
    "agents.import": async () => ({
      request: {
        path: `${assistant()}/agent_configurations/import`,
        json: { yaml: `{name: x, description: "", model: ${JSON.stringify(model)}}` },
      },
    }),
    "conversations.changeTools": async () => {
      const { workspaceId: wId, spaceId } = server().demo;
      const { tool } = await rpc().tools.create.mutate({
        wId,
        spaceId,
        name: "x",
        description: "",
        serverType: "remote",
        server: toolServer,
      });
      const change = { action: "add", mcp_server_view_id: tool.sId };
      return { request: await to("tools", change), withoutKey: "makes nothing" };
    },
    "contentFragments.create": async () => ({ request: await to("content_fragments", fragment) }),
    "conversations.cancel": async () => ({
      request: await to("cancel", { messageIds: ["nobody"] }),
      withoutKey: "makes nothing",
    }),
    "conversations.create": async () => ({
      request: createOf(server, { contentFragments: [fragment] }, ["nobody", "helper"]),
    }),
    ...furtherSamples(server),
    "feedbacks.give": async () => {
      const { conversation } = await create("Hello", ["slowpoke"]);
      const mId = conversation.content[1]?.[0]?.sId;
      const path = `${root()}/${conversation.sId}/messages/${mId}/feedbacks`;
      return { request: { path, json: { thumbDirection: "up" } }, withoutKey: "makes nothing" };
    },
    "files.create": async () => ({
      request: {
        path: `${pathsOf(server()).workspace}/files`,
        json: { contentType: "text/plain", fileName: "x", fileSize: 1, useCase: "conversation" },
      },
    }),
    "invocations.cancel": async () => {
      const path = pathsOf(server()).invocations("slow-steps");
      const headers = { prefer: "respond-async" };
      const [sId] = idsIn(await send(server(), { path, json: {}, headers }));
      const request = { method: "POST", path: `${path}/${sId}/cancel` };
      return { request, withoutKey: "makes nothing" };
    },
    "mentions.parse": async () => ({
      request: { path: `${assistant()}/mentions/parse`, json: { markdown: "@helper" } },
      withoutKey: "makes nothing",
    }),
    "messages.create": async () => ({
      request: await to("messages", { content: "And?", mentions: mentionOf("nobody", "helper") }),
    }),
    "messages.edit": async () => {
      const { conversation, message } = await create("Hello");
      const path = `${root()}/${conversation.sId}/messages/${message.sId}/edit`;
      return { request: { path, json: { content: "Edited", mentions: [] } } };
    },
    "messages.retry": async () => {
      const { conversation } = await create("Hello", ["slowpoke"]);
      const mId = conversation.content[1]?.[0]?.sId;
      await call("POST", `/${conversation.sId}/cancel`, { json: { messageIds: [mId] } });
      const path = `${root()}/${conversation.sId}/messages/${mId}/retry`;
      // The new version has not ended.
      return { request: { method: "POST", path }, withoutKey: "fails" };
    },
    "messages.answerQuestion": async () => {
      const { path, actionId } = await awaitQuestion(server);
      const json = { actionId, answer: { selectedOptions: [], customResponse: "Me" } };
      return { request: { path, json }, withoutKey: "makes nothing" };
    },
    "messages.sendToolOutputs": async () => ({
      request: await awaitOutput(server),
      withoutKey: "makes nothing",
    }),
    "messages.validateAction": async () => {
      const { path, actionId } = await awaitApproval(server);
      // The same decision again changes nothing.
      const json = { actionId, approved: "rejected" };
      return { request: { path, json }, withoutKey: "makes nothing" };
    },
    "toolAuthorizations.start": async () => {
      const { toolId } = await personalTool();
      const path = `${pathsOf(server()).workspace}/tools/${toolId}/authorization`;
      return { request: { method: "POST", path } };
    },
    "tools.invoke": async () => {
      const { tool } = await createShopAgents(server).register(shop());
      const path = `${pathsOf(server()).workspace}/tools/${tool.sId}/calls`;
      return { request: { path, json: { name: "find", arguments: { word: "x" } } }, status: 201 };
    },
    "sandboxFunctions.invoke": async () => ({
      request: { path: pathsOf(server()).invocations("add"), json: { input: { a: 1, b: 2 } } },
      status: 201,
    }),
  };

  test.for(keyedEndpoints)("%s is done once for a key", async (name) => {
    const sample = samples[name];
    if (sample === undefined) throw new Error(`This test needs a request to ${name}`);
    const { request, status = 200, withoutKey = "makes another" } = await sample();
    const sendOnce = createSender(server);
    const first = await sendOnce(request);
    expect([first.status, isReplay(first)]).toEqual([status, false]);
    const again = await sendOnce(request);
    expect([again.status, isReplay(again)]).toEqual([status, true]);
    expect(idsIn(again)).toEqual(idsIn(first));
    const other = await send(server(), request);
    const isSame = idsIn(other)[0] === idsIn(first)[0];
    const outcome = isSame ? "makes nothing" : other.status === status ? "makes another" : "fails";
    expect(outcome).toBe(withoutKey);
  });

  test("a replay shows what was made as it now is", async () => {
    const sendOnce = createSender(server);
    const request = createOf(server, {}, ["helper", "faulty"]);
    const { conversation } = conversationIn(await sendOnce(request));
    const statuses = async () =>
      (await get(conversation.sId)).content.flat().map((one) => "status" in one && one.status);
    await expect.poll(statuses, { interval: 20 }).toEqual([false, "succeeded", "failed"]);
    await call("PATCH", `/${conversation.sId}`, { json: { title: "New" } });
    const posted = { json: { content: "More", mentions: [] } };
    await call("POST", `/${conversation.sId}/messages`, posted);
    const again = conversationIn(await sendOnce(request));
    expect(again.conversation).toMatchObject({ sId: conversation.sId, title: "New" });
    expect(again.conversation.content.flat()).toMatchObject([
      { content: "Hello" },
      { status: "succeeded", content: "You said: Hello\nI am a simulated agent, glad to help." },
      { status: "failed", error: "This agent always fails" },
      { content: "More" },
    ]);
    expect(again.message).toMatchObject({ content: "Hello" });
    expect(again.warnings).toBeUndefined();
  });

  test("a blocking replay waits for the run that the first request started", async () => {
    const sendOnce = createSender(server);
    const request = createOf(server, { blocking: true, title: "blocking" }, ["slowpoke"]);
    const before = new Set(await listIds(server()));
    const first = sendOnce(request);
    const made = async () => (await listIds(server())).filter((sId) => !before.has(sId));
    await expect.poll(async () => (await made()).length, { interval: 5 }).toBe(1);
    const again = await sendOnce(request);
    expect(isReplay(again)).toBe(true);
    const { conversation } = conversationIn(again);
    expect(conversation.content[1]).toMatchObject([{ status: "succeeded" }]);
    const { content } = conversationIn(await first).conversation;
    expect(content).toEqual(conversation.content);
    expect(await made()).toEqual([conversation.sId]);
  });

  test("a message that is posted again, blocking, waits for its own answers", async () => {
    const sendOnce = createSender(server);
    const cId = await newId();
    const json = { content: "x", mentions: mentionOf("slowpoke", "nobody"), blocking: true };
    const request = { path: `${root()}/${cId}/messages`, json };
    const first = sendOnce(request);
    await expect.poll(async () => (await get(cId)).content.length, { interval: 5 }).toBe(3);
    const again = await sendOnce(request);
    const posted = JSON.parse(again.text) as PostedMessage;
    expect(posted.agentMessages).toMatchObject([{ status: "succeeded" }]);
    expect(posted.warnings).toMatchObject([{ path: "mentions[1].configurationId" }]);
    expect(posted).toEqual(JSON.parse((await first).text));
    expect((await get(cId)).content).toHaveLength(3);
  });

  test("an invocation that is asked for again is waited for as the new request prefers", async () => {
    const sendOnce = createSender(server);
    const request = { path: pathsOf(server()).invocations("slow-steps"), json: {} };
    const at = async (prefer: string) => {
      const { status, text } = await sendOnce(request, { prefer });
      expect(status).toBe(201);
      return JSON.parse(text) as InvokedSandboxFunction;
    };
    const first = await at("respond-async");
    expect((await at("respond-async")).outcome).toBeUndefined();
    const { invocation, outcome } = await at("wait=10");
    expect(outcome).toEqual({ status: "succeeded", result: { steps: 4 } });
    expect(invocation).toEqual({ ...first.invocation, status: "succeeded" });
    expect(await at("respond-async")).toEqual({ invocation, outcome });
  });

  test("what a request refers to may have changed since", async () => {
    const agent = await createAgent("short-lived", { steps: [{ text: "Hi" }], tokenDelayMs: 0 });
    const sendOnce = createSender(server);
    const request = createOf(server, { blocking: true }, [agent]);
    const first = conversationIn(await sendOnce(request));
    const { workspaceId } = server().demo;
    await rpc().agents.archive.mutate({ wId: workspaceId, agentId: agent });
    const again = await sendOnce(request);
    expect(isReplay(again)).toBe(true);
    expect(conversationIn(again).conversation.sId).toBe(first.conversation.sId);
    expect(conversationIn(again).warnings).toBeUndefined();
    const [message] = conversationIn(again).conversation.content[1] ?? [];
    expect(message).toMatchObject({ status: "succeeded", content: "Hi" });
  });

  test("the order of members, unknown ones and nulls make no other body", async () => {
    const sendOnce = createSender(server);
    const { path } = createOf(server);
    const first = conversationIn(
      await sendOnce({ path, body: `{"title":"T","message":{"content":"a","mentions":[]}}` }, json),
    );
    const again = await sendOnce(
      {
        path,
        body: `{"x":1,"message":{"y":2,"mentions":[], "content":"\\u0061"},"spaceId":null,"title":"T"}`,
      },
      json,
    );
    expect(isReplay(again)).toBe(true);
    expect(conversationIn(again).conversation.sId).toBe(first.conversation.sId);
  });

  test("what was deleted since is not found, and not made again", async () => {
    const [sendCreate, sendPost] = [createSender(server), createSender(server)];
    const request = createOf(server);
    const { conversation } = conversationIn(await sendCreate(request));
    const path = `${root()}/${conversation.sId}`;
    const post = { path: `${path}/messages`, json: { content: "x", mentions: [] } };
    expect((await sendPost(post)).status).toBe(200);
    expect((await send(server(), { method: "DELETE", path })).status).toBe(200);
    const before = await listIds(server());
    for (const answer of [await sendCreate(request), await sendPost(post)]) {
      expectError(answer, "conversation_not_found");
      expect(isReplay(answer)).toBe(false);
    }
    expect(await listIds(server())).toEqual(before);
  });
}

const fragment = { title: "T", content: "text", contentType: "text/plain" };
const json = { "content-type": "application/json" };
