import { createRpcClient, type Input } from "parley-client";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createListener } from "./listen.ts";

describe("deliveries that wait until they are taken", () => {
  // No host is allowed: nothing could be sent to this machine.
  const server = shareServer();
  const { calls, wId, rpc, ask } = createListener(server);

  const open = async (more: object = {}) => {
    const events = ["message.succeeded" as const, "conversation.created" as const];
    const settings = { url: "http://localhost:9/events", events, isPulled: true, ...more };
    const { webhook, secret } = await rpc().create.mutate({ wId: wId(), ...settings });
    const named = { wId: wId(), webhookId: webhook.sId };
    const take = async (input: Partial<Input<"webhooks.take">> = {}) =>
      (await rpc().take.mutate({ ...named, ...input })).deliveries;
    const deliveries = async () => (await rpc().listDeliveries.query(named)).deliveries;
    return { webhook, named, secret, take, deliveries };
  };
  const taken = (deliveryId: string, more: object = { status: 204 }) => ({
    outcomes: [{ deliveryId, durationMs: 5, ...more }],
  });

  it("are given as they would be sent, and again until their outcome is said", async () => {
    const { secret, take, deliveries } = await open({ sendsContent: true });
    const cId = await ask();
    const first = await take();
    expect(first.map(({ event }) => event)).toEqual(["conversation.created", "message.succeeded"]);
    const { sId, headers, body } = first[1]!;
    expect(new StandardWebhook(secret).verify(body, headers)).toMatchObject({
      type: "message.succeeded",
      data: { conversationId: cId, event: { type: "agent_message_success" } },
    });
    expect(headers).toMatchObject({
      "webhook-id": sId,
      "parley-depth": "1",
      "content-type": "application/json",
    });
    expect((await take()).map((one) => one.body)).toEqual(first.map((one) => one.body));
    expect(await take(taken(sId))).toMatchObject([{ sId: first[0]!.sId }]);
    expect(await take(taken(first[0]!.sId, { error: "connect ECONNREFUSED" }))).toEqual([]);
    // A request that is repeated changes nothing.
    expect(await take(taken(sId, { status: 500 }))).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { sId, status: "succeeded", attempts: [{ status: 204, error: null, durationMs: 5 }] },
      { status: "failed", attempts: [{ status: null, error: "connect ECONNREFUSED" }] },
    ]);
  });

  it("end a wait as they come, as does another wait for them", async () => {
    const { take } = await open();
    const waitMs = 20_000;
    const waits = [take({ waitMs }), take({ waitMs })];
    // Which of two requests arrives first is not said: the one that the other ended has nothing.
    const ended = await Promise.race(
      waits.map(async (wait, index) => ({ index, deliveries: await wait })),
    );
    expect(ended.deliveries).toEqual([]);
    const cId = await ask();
    const [created] = await waits[1 - ended.index]!;
    expect(JSON.parse(created!.body)).toMatchObject({ data: { conversationId: cId } });
  });

  it("are sent again by hand and lost with their conversation", async () => {
    const { named, take } = await open();
    const cId = await ask();
    const all = await take();
    for (const { sId } of all) await take(taken(sId, { status: 500 }));
    expect(await rpc().redeliver.mutate(named)).toEqual({ queued: 2, hasMore: false });
    expect(await take()).toMatchObject(all.map(({ sId }) => ({ sId })));
    await calls.call("DELETE", `/${cId}`);
    expect(await take()).toEqual([]);
  });

  it("are taken of no webhook that is switched off, or whose deliveries are sent", async () => {
    const { named, take } = await open();
    await rpc().update.mutate({ ...named, version: 0, isEnabled: false });
    await expect(take()).rejects.toThrow(/switched off: switch it on first/);
    const sent = await open({ isPulled: false });
    await expect(sent.take()).rejects.toThrow(/its deliveries are sent to its URL/);
  });

  it("are taken within the reach of the key that takes, and of the webhook's", async () => {
    const operator = calls.operator();
    const space = (
      await operator.spaces.create.mutate({ wId: wId(), name: "S", isRestricted: true })
    ).space.sId;
    const { apiKey, secret: key } = await operator.apiKeys.create.mutate({
      wId: wId(),
      name: "insider",
      role: "admin",
      spaceIds: [space],
    });
    const inner = createRpcClient({ url: server().url, apiKey: key }).webhooks;
    const events = ["conversation.created" as const];
    const settings = { url: "http://localhost:9/events", events, isPulled: true };
    const { webhook } = await inner.create.mutate({ wId: wId(), ...settings });
    const named = { wId: wId(), webhookId: webhook.sId };
    const { status } = await calls.call("POST", "", {
      key,
      json: { spaceId: space, message: { content: "x", mentions: [] } },
    });
    expect(status).toBe(200);
    expect((await rpc().take.mutate(named)).deliveries).toEqual([]);
    expect((await inner.take.mutate(named)).deliveries).toHaveLength(1);
    await operator.apiKeys.revoke.mutate({ wId: wId(), keyId: apiKey.sId });
    await ask();
    expect((await rpc().take.mutate(named)).deliveries).toEqual([]);
    const off = (await rpc().get.query(named)).webhook;
    expect(off).toMatchObject({ disabledFor: "key_revoked" });
  });
});
