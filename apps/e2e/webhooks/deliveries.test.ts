import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { expectError } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { createListener, headersOf } from "./listen.ts";

describe("deliveries", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const { calls, wId, rpc, ask, listen } = createListener(server);

  it("are tried again later with the same id and body, and note since when they fail", async () => {
    let answers = 0;
    const { receiver, named, secret, deliveries } = await listen(
      ["message.succeeded"],
      {},
      (response) => void response.writeHead(answers++ === 0 ? 500 : 200).end("so"),
    );
    await ask();
    await receiver.until(1);
    const waiting = await eventually(async () => {
      const [one] = await deliveries();
      return one?.attempts.length === 1 ? { value: one } : {};
    }, 5000);
    expect(waiting).toMatchObject({
      status: "waiting",
      attempts: [{ status: 500, error: "It answered 500" }],
      responseBody: "so",
    });
    const inMs = waiting.nextAttemptAt! - waiting.attempts[0]!.at;
    expect(inMs).toBeGreaterThan(4000);
    expect(inMs).toBeLessThan(8000);
    expect((await rpc().get.query(named)).webhook.failingSince).not.toBeNull();
    const [first, second] = await receiver.until(2);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    new StandardWebhook(secret).verify(second!.body, headersOf(second!));
    await eventually(async () => {
      const { failingSince } = (await rpc().get.query(named)).webhook;
      return failingSince === null ? { value: true } : {};
    }, 5000);
    expect(await deliveries()).toMatchObject([
      { status: "succeeded", attempts: [{}, { status: 200 }] },
    ]);
  });

  it("are switched off by 410, which others and the audit log are told", async () => {
    const others = await listen(["webhook.disabled"]);
    const { receiver, named, tried, deliveries } = await listen(
      ["message.succeeded"],
      {},
      (response) => void response.writeHead(410).end(),
    );
    await ask();
    await receiver.until(1);
    const [told] = await others.receiver.until(1);
    expect(told!.json.data).toEqual({
      workspaceId: wId(),
      webhookId: named.webhookId,
      reason: "gone",
    });
    expect(await tried(1)).toMatchObject([{ status: "failed", attempts: [{ status: 410 }] }]);
    const { webhook } = await rpc().get.query(named);
    expect(webhook).toMatchObject({ disabledFor: "gone", disabledAt: expect.any(Number) });
    await ask();
    expect(await deliveries()).toHaveLength(1);
    const { auditEvents } = await calls.rpc().audit.list.query({ wId: wId(), limit: 20 });
    expect(auditEvents).toContainEqual(
      expect.objectContaining({ action: "webhooks.disable", subjectId: named.webhookId }),
    );
    await expect(rpc().test.mutate(named)).rejects.toThrow(/switched off/);
    const { version } = webhook;
    const on = await rpc().update.mutate({ ...named, version, isEnabled: true });
    expect(on.webhook).toMatchObject({ disabledFor: null, disabledAt: null });
  });

  it.each([
    ["a redirect", 302, "It answered 302: redirects are not followed"],
    ["a refusal", 404, "It answered 404"],
  ])("do not succeed by %s", async (_what, status, error) => {
    const { tried } = await listen(
      ["message.succeeded"],
      {},
      (response) => void response.writeHead(status, { location: "http://169.254.169.254/" }).end(),
    );
    await ask();
    expect(await tried(1)).toMatchObject([{ status: "waiting", attempts: [{ status, error }] }]);
  });

  it("keep no more of an answer than 4 KiB, and succeed however much comes", async () => {
    const { tried } = await listen(["message.succeeded"], {}, (response) => {
      response.writeHead(200);
      response.end("y".repeat(10_000_000));
    });
    await ask();
    const [delivery] = await tried(1);
    expect(delivery).toMatchObject({ status: "succeeded", responseBody: "y".repeat(4096) });
  });

  it("are not sent to private hosts that the operator does not allow", async () => {
    const { tried } = await listen(["message.succeeded"], { url: "http://127.0.0.2:9/x" });
    await ask();
    const [delivery] = await tried(1);
    expect(delivery).toMatchObject({ status: "waiting", attempts: [{ status: null }] });
    expect(delivery!.attempts[0]!.error).toMatch(/private|not allowed|https/i);
  });

  it("are sent again by hand: what failed, what is named, and what came before them", async () => {
    const before = Date.now() - 1000;
    const cId = await ask();
    const { receiver, named, deliveries, tried } = await listen([
      "message.succeeded",
      "conversation.created",
    ]);
    const replayed = await rpc().replay.mutate({ ...named, from: before });
    expect(replayed.queued).toBeGreaterThan(0);
    expect(replayed.continueFrom).toBeNull();
    await receiver.until(replayed.queued);
    const said = receiver.received.map(({ json: { type, data } }) => [
      type,
      data["conversationId"],
    ]);
    expect(said).toContainEqual(["message.succeeded", cId]);
    expect(said).toContainEqual(["conversation.created", cId]);
    await tried(replayed.queued);
    expect(await rpc().replay.mutate({ ...named, from: before })).toMatchObject({ queued: 0 });
    expect(await rpc().redeliver.mutate(named)).toEqual({ queued: 0, hasMore: false });
    const [one] = await deliveries();
    const again = { ...named, deliveryIds: [one!.sId, "whd_unknown"] };
    expect(await rpc().redeliver.mutate(again)).toEqual({ queued: 1, hasMore: false });
    const all = await receiver.until(replayed.queued + 1);
    expect(all.at(-1)!.headers["webhook-id"]).toBe(one!.sId);
  });

  it("to a server that does not answer hold up no other, of the workspace or not", async () => {
    const slow = await listen(["message.succeeded"], {}, () => {});
    const quick = await listen(["message.succeeded"]);
    const count = 20;
    await Promise.all(Array.from({ length: count }, () => ask()));
    const waits: number[] = [];
    await quick.receiver.until(count);
    for (const delivery of await quick.tried(count)) {
      waits.push(delivery.attempts[0]!.at - delivery.createdAt);
    }
    // Those of the slow one have their places for 15 seconds.
    expect(Math.max(...waits)).toBeLessThan(10_000);
    expect(slow.receiver.received.length).toBeLessThanOrEqual(4);
    expect(await slow.deliveries({ limit: 100, status: "waiting" })).toHaveLength(count);
  });

  it("say how many webhooks led to them, which no request follows without end", async () => {
    const { receiver } = await listen(["message.succeeded"]);
    const askAt = async (depth: string) => {
      const json = { message: { content: "x", mentions: [{ configurationId: "helper" }] } };
      return calls.call("POST", "", { json, headers: { "parley-depth": depth } });
    };
    await ask();
    expect((await askAt("8")).status).toBe(200);
    const all = await receiver.until(2);
    expect(all.map(({ headers }) => headers["parley-depth"])).toEqual(["1", "9"]);
    expectError(await askAt("9"), "invalid_request_error", { message: /parley-depth: 9 webhooks/ });
    expectError(await askAt("x"), "invalid_request_error", { message: /parley-depth: must be/ });
  });

  it("are tried out with a sample", async () => {
    const { receiver, named, secret } = await listen(["message.failed"]);
    await rpc().test.mutate({ ...named, event: "approval.requested" });
    const [sample] = await receiver.until(1);
    new StandardWebhook(secret).verify(sample!.body, headersOf(sample!));
    expect(sample!.json).toMatchObject({
      type: "approval.requested",
      data: { isSample: true, actionId: expect.any(String) },
    });
  });

  it("deliver what happens in a conversation in its order if they ask for it", async () => {
    let isDown = true;
    const { receiver } = await listen(
      ["conversation.created", "message.succeeded"],
      { isOrdered: true },
      (response) => {
        response.writeHead(isDown ? 503 : 200, { "retry-after": "1" }).end();
        isDown = false;
      },
    );
    await ask();
    const [first, second, third] = await receiver.until(3);
    expect([first, second, third].map((one) => one!.json.type)).toEqual([
      "conversation.created",
      "conversation.created",
      "message.succeeded",
    ]);
  });

  it("lose what waits for them with its conversation", async () => {
    const { receiver, deliveries } = await listen(
      ["message.succeeded"],
      {},
      (response) => void response.writeHead(500).end("a secret"),
    );
    const cId = await ask();
    await receiver.until(1);
    expect(await deliveries()).toHaveLength(1);
    await calls.call("DELETE", `/${cId}`);
    expect(await deliveries()).toEqual([]);
  });
});
