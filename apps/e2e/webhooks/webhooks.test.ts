import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { createParley, createRpcClient } from "parley-client";
import { pathsOf, send } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { createListener, type Events, headersOf } from "./listen.ts";
import { startReceiver } from "./receiver.ts";

describe("webhooks", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const { calls, wId, rpc, ask, listen } = createListener(server);

  it("are told how an answer ended, signed, with its ids", async () => {
    const { receiver, secret, tried } = await listen(["message.succeeded"]);
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    const [received] = await receiver.until(1);
    const { "webhook-id": id, "content-type": type } = headersOf(received!);
    expect(new StandardWebhook(secret).verify(received!.body, headersOf(received!))).toEqual({
      type: "message.succeeded",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: 1,
      data: {
        workspaceId: wId(),
        conversationId: conversation.sId,
        messageId: conversation.content.at(-1)!.at(-1)!.sId,
        agentId: "helper",
      },
    });
    expect(type).toBe("application/json");
    const [delivery] = await tried(1);
    expect(delivery).toMatchObject({
      sId: id,
      event: "message.succeeded",
      status: "succeeded",
      attempts: [{ status: 204, error: null }],
      responseBody: "",
    });
  });

  it("are accepted by the verifiers of the field, and only unchanged", async () => {
    const { receiver, secret } = await listen(["message.succeeded"]);
    await ask();
    const [received] = await receiver.until(1);
    const { body } = received!;
    const headers = headersOf(received!);
    const payload = JSON.parse(body) as object;
    const openai = new OpenAI({ apiKey: "none", webhookSecret: secret });
    const anthropic = new Anthropic({ apiKey: "none", webhookKey: secret });
    const verifiers = [
      async (text: string) => new StandardWebhook(secret).verify(text, headers),
      async (text: string) => {
        // It only throws.
        new SvixWebhook(secret).verify(text, headers);
        return payload;
      },
      async (text: string) => openai.webhooks.unwrap(text, headers),
      async (text: string) => anthropic.beta.webhooks.unwrap(text, { headers }),
    ];
    for (const verify of verifiers) {
      expect(await verify(body)).toEqual(payload);
      await expect(verify(body.replace("succeeded", "succeedeD"))).rejects.toThrow(/signature/i);
    }
  });

  it("are signed with both secrets after a rotation, and with one after the overlap", async () => {
    const { receiver, named, secret } = await listen(["message.succeeded"]);
    const rotated = await rpc().rotateSecret.mutate({ ...named, overlapSeconds: 3600 });
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.webhook.previousSecretUntil).toBeGreaterThan(Date.now() + 3_500_000);
    await ask();
    const [both] = await receiver.until(1);
    for (const one of [secret, rotated.secret]) {
      new StandardWebhook(one).verify(both!.body, headersOf(both!));
    }
    const { secret: last } = await rpc().rotateSecret.mutate({ ...named, overlapSeconds: 0 });
    await ask();
    const [, single] = await receiver.until(2);
    new StandardWebhook(last).verify(single!.body, headersOf(single!));
    expect(() =>
      new StandardWebhook(rotated.secret).verify(single!.body, headersOf(single!)),
    ).toThrow(/signature/);
    expect(JSON.stringify(await rpc().list.query({ wId: wId() }))).not.toMatch(/whsec_|ciphertext/);
  });

  it("are told of what they ask for alone", async () => {
    const own = await calls.createAgent("own", { steps: [{ text: "x" }], tokenDelayMs: 0 });
    const failing = await calls.createAgent("failing", {
      steps: [{ error: { code: "broken", message: "It broke" } }],
      tokenDelayMs: 0,
    });
    const all: Events = ["message.succeeded", "message.failed", "conversation.created"];
    const { receiver } = await listen(all, { agentIds: [own, failing] });
    await ask();
    await ask({}, failing);
    await ask({}, own);
    await receiver.until(2);
    expect(receiver.received.map(({ json }) => [json.type, json.data["agentId"]])).toEqual([
      ["message.failed", failing],
      ["message.succeeded", own],
    ]);
  });

  it("are told of conversations, calls that wait and invocations", async () => {
    const events: Events = [
      "conversation.created",
      "conversation.deleted",
      "message.cancelled",
      "approval.requested",
      "invocation.succeeded",
      "invocation.failed",
    ];
    const { receiver } = await listen(events);
    const wait = await calls.createAgent("slowly", {
      steps: [{ text: "word ".repeat(50) }],
      tokenDelayMs: 1000,
    });
    const { conversation } = await calls.create("Hello", [wait]);
    const cId = conversation.sId;
    const messageId = conversation.content.at(-1)!.at(-1)!.sId;
    await calls.call("POST", `/${cId}/cancel`, { json: { messageIds: [messageId] } });
    await receiver.until(1, "message.cancelled");
    await calls.call("DELETE", `/${cId}`);
    const ofFunction = { wId: wId(), functionId: "add" };
    const { invocation } = await calls
      .rpc()
      .sandboxFunctions.invoke.mutate({ ...ofFunction, input: { a: 1, b: 2 } });
    // Refused by its schema as it is created: alone, and with others.
    const path = pathsOf(server()).invocations("invoice-total");
    const refused = [{ "idempotency-key": "refused" }, {}].map(async (headers) => {
      const { status, text } = await send(server(), { path, headers, json: { lines: 1 } });
      expect(status).toBe(201);
      return (JSON.parse(text) as { invocation: { sId: string } }).invocation.sId;
    });
    const failed = await receiver.until(2, "invocation.failed");
    const ids = failed.map(({ json }) => json.data["invocationId"] as string);
    expect(ids.toSorted()).toEqual((await Promise.all(refused)).toSorted());
    await receiver.until(1, "invocation.succeeded");
    await receiver.until(1, "conversation.deleted");
    const said = receiver.received.map(({ json: { type, data } }) => ({ type, ...data }));
    expect(said).toContainEqual({
      type: "conversation.created",
      workspaceId: wId(),
      conversationId: cId,
    });
    expect(said).toContainEqual({
      type: "conversation.deleted",
      workspaceId: wId(),
      conversationId: cId,
    });
    expect(said).toContainEqual({
      type: "invocation.succeeded",
      workspaceId: wId(),
      invocationId: invocation.sId,
      functionId: expect.stringMatching(/^sfn_/),
    });
  });

  it("are told of calls that wait for an approval, and of the decision", async () => {
    const events: Events = ["approval.requested", "approval.decided", "message.succeeded"];
    const { receiver } = await listen(events);
    const asking = { wId: wId(), slug: "asking", description: "", requiresApproval: true };
    const behaviour = { durationMs: 0, steps: [], result: "'done'" };
    const program = { type: "simulated" as const, behaviour };
    await calls.rpc().sandboxFunctions.create.mutate({ ...asking, program });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: wId(),
      name: "Asking",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: ["asking"],
      script: { steps: [{ toolCalls: [{ name: "asking", params: {} }] }, { text: "x" }] },
    });
    const { conversation } = await calls.create("Hello", [agentConfiguration.sId]);
    const [requested] = await receiver.until(1, "approval.requested");
    const { actionId, messageId } = requested!.json.data;
    const tail = `/${conversation.sId}/messages/${String(messageId)}/validate-action`;
    const json = { actionId, approved: "approved" };
    expect((await calls.call("POST", tail, { json })).status).toBe(200);
    expect((await calls.call("POST", tail, { json })).status).toBe(200);
    await receiver.until(1, "message.succeeded");
    const decided = await receiver.until(1, "approval.decided");
    expect(decided.map(({ json: { data } }) => data)).toEqual([
      {
        workspaceId: wId(),
        conversationId: conversation.sId,
        messageId,
        agentId: agentConfiguration.sId,
        actionId,
        decision: "approved",
      },
    ]);
  });

  it("go no further than the key that has set them, also if it loses what it reached", async () => {
    const { rpc: rpcOf, operator } = calls;
    const space = (
      await operator().spaces.create.mutate({ wId: wId(), name: "Closed", isRestricted: true })
    ).space.sId;
    const insider = await operator().apiKeys.create.mutate({
      wId: wId(),
      name: "insider",
      role: "admin",
      spaceIds: [space],
    });
    const outside = await listen(["conversation.created"]);
    const inside = await startReceiver();
    const inner = createRpcClient({ url: server().url, apiKey: insider.secret });
    const { webhook } = await inner.webhooks.create.mutate({
      wId: wId(),
      url: inside.url,
      events: ["conversation.created"],
    });
    const create = async () => {
      const parley = createParley({
        baseUrl: server().url,
        workspaceId: wId(),
        apiKey: insider.secret,
      });
      const { conversation } = await parley.conversations.create({
        message: { content: "x", mentions: [] },
        spaceId: space,
      });
      return conversation.sId;
    };
    const cId = await create();
    const [told] = await inside.until(1);
    expect(told!.json.data["conversationId"]).toBe(cId);
    const open = await ask();
    const [other] = await outside.receiver.until(1);
    expect(other!.json.data["conversationId"]).toBe(open);
    expect(await outside.deliveries()).toHaveLength(1);
    const named = { wId: wId(), webhookId: webhook.sId };
    // Another admin sees what it reaches of the deliveries.
    const seen = await rpcOf().webhooks.listDeliveries.query(named);
    expect(seen.deliveries.map(({ data }) => data["conversationId"])).toEqual([open]);
    await operator().apiKeys.revoke.mutate({ wId: wId(), keyId: insider.apiKey.sId });
    await ask();
    await eventually(async () => {
      const { disabledFor } = (await rpcOf().webhooks.get.query(named)).webhook;
      return disabledFor === "key_revoked" ? { value: true } : {};
    }, 10_000);
    expect(inside.received).toHaveLength(2);
    await inside.close();
  });

  it("have the event itself if they ask for it", async () => {
    const { receiver } = await listen(["message.succeeded"], { sendsContent: true });
    await ask();
    const [received] = await receiver.until(1);
    expect(received!.json.data["event"]).toMatchObject({
      type: "agent_message_success",
      message: { content: expect.stringContaining("Hello") },
    });
  });

  it("are told of nothing that is in no list", async () => {
    const { receiver, deliveries } = await listen(["message.succeeded", "conversation.created"]);
    await ask({ temporary: true });
    const cId = await ask();
    await receiver.until(2);
    const told = await deliveries();
    expect(new Set(told.map(({ data }) => data["conversationId"]))).toEqual(new Set([cId]));
  });
});
