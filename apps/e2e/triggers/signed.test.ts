import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createSender, post, signers } from "./listen.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };

describe("signed events", () => {
  const server = shareServer();
  const { create, firstMessage, rpc, calls, wId } = createSender(server);

  it.each(["github", "stripe", "standard_webhooks", "slack"] as const)(
    "of %s start a conversation, and none is accepted that was changed",
    async (type) => {
      const { url, secret, ended, whole } = await create({
        source: { type },
        mapping: { type: "jsonata", message: "'Order ' & body.order" },
      });
      const body = JSON.stringify({ id: "evt_1", event_id: "Ev1", order: 7 });
      const headers = await signers[type](secret, body, "id-1");
      const changed = await post(url, body.replace("7", "8"), headers);
      expect(changed.status).toBe(401);
      expect(await changed.json()).toMatchObject({ error: { type: "webhook_source_auth_error" } });
      const answer = await post(url, body, headers);
      expect(await answer.json()).toEqual({ success: true });
      expect(answer.status).toBe(200);
      const [event, ...others] = await ended(1);
      expect(others).toEqual([]);
      expect(event).toMatchObject({ status: "started", bytes: body.length, error: null });
      expect(event!.key).toBe(
        { github: "id-1", standard_webhooks: "id-1", stripe: "evt_1", slack: "Ev1" }[type],
      );
      expect(await firstMessage(event!.started!.conversationId!)).toBe("Order 7");
      const { body: kept, headers: keptHeaders, message } = await whole(event!.sId);
      expect({ kept, message }).toEqual({ kept: body, message: "Order 7" });
      expect(Object.keys(keptHeaders!).join(" ")).not.toMatch(/signature/);
    },
  );

  it("with one id make one conversation, however many come at once", async () => {
    const { url, secret, ended } = await create({
      source: { type: "github" },
      eventsPerMinute: 6000,
    });
    const body = JSON.stringify({ action: "opened" });
    const headers = await signers.github(secret, body, "one");
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(url, body, headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await ended(1)).toMatchObject([{ status: "started", key: "one" }]);
    const other = await signers.github(secret, body, "two");
    expect((await post(url, body, other)).status).toBe(200);
    expect(await ended(2)).toMatchObject([{ key: "two" }, { key: "one" }]);
  });

  it("of Slack may only ask for their challenge, and come as forms", async () => {
    const { url, secret, events, ended, whole } = await create({
      source: { type: "slack" },
      keyExpression: "body.trigger_id",
      mapping: { type: "jsonata", message: "body.user.name & ': ' & body.type" },
    });
    const asked = JSON.stringify({ type: "url_verification", challenge: "abc" });
    const answer = await post(url, asked, await signers.slack(secret, asked));
    expect(await answer.json()).toEqual({ challenge: "abc" });
    expect((await post(url, asked)).status).toBe(401);
    expect(await events()).toEqual([]);
    const payload = { type: "block_actions", user: { name: "Ann" }, trigger_id: "1.2" };
    const sent = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    for (let count = 0; count < 2; count++) {
      const headers = await signers.slack(secret, sent);
      expect((await post(url, sent, { ...headers, ...form })).status).toBe(200);
    }
    const [event, ...others] = await ended(1);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ status: "started", key: "1.2" });
    expect(await whole(event!.sId)).toMatchObject({ body: sent, message: "Ann: block_actions" });
  });

  it("of GitHub that only try the URL start nothing", async () => {
    const { url, secret, events } = await create({ source: { type: "github" } });
    const body = JSON.stringify({ zen: "Keep it logically awesome." });
    const headers = { ...(await signers.github(secret, body, "p")), "x-github-event": "ping" };
    expect((await post(url, body, headers)).status).toBe(200);
    expect(await events()).toMatchObject([{ status: "ignored", key: "p" }]);
  });

  it("are accepted with both secrets after a rotation, until the old one ends", async () => {
    const { url, secret, named } = await create({ source: { type: "stripe" } });
    const rotate = (overlapSeconds: number) =>
      rpc().rotateSecret.mutate({ ...named, secret: "whsec_of_the_provider", overlapSeconds });
    const send = async (id: string, by: string) => {
      const body = JSON.stringify({ id });
      return (await post(url, body, await signers.stripe(by, body))).status;
    };
    const rotated = await rotate(60);
    expect(rotated).toMatchObject({ secret: "whsec_of_the_provider", url });
    expect(rotated.trigger.previousSecretUntil).toBeGreaterThan(Date.now());
    expect([await send("1", secret), await send("2", rotated.secret)]).toEqual([200, 200]);
    await rotate(0);
    expect([await send("3", secret), await send("4", rotated.secret)]).toEqual([401, 200]);
  });

  it("are HMACs of any header, once for what an expression gives", async () => {
    const { url, secret, trigger, ended, named } = await create({
      source: { type: "hmac", header: "X-Shop-Hmac", encoding: "base64" },
      keyExpression: "headers.`x-request-id`",
    });
    expect(trigger.onceBy).toBe("its key expression");
    const { createHmac } = await import("node:crypto");
    const body = JSON.stringify({ order: 7 });
    const signature = createHmac("sha256", secret).update(body).digest("base64");
    const headers = { "X-Shop-Hmac": signature, "X-Request-Id": "r1" };
    for (let count = 0; count < 2; count++) {
      expect((await post(url, body, headers)).status).toBe(200);
    }
    expect(await ended(1)).toHaveLength(1);
    // Without a key, each starts something.
    expect((await post(url, body, { "X-Shop-Hmac": signature })).status).toBe(200);
    expect((await post(url, body, { "X-Shop-Hmac": signature })).status).toBe(200);
    expect((await ended(3)).map(({ key }) => key)).toEqual([null, null, "r1"]);
    await rpc().update.mutate({ ...named, version: 0, keyExpression: "body" });
    const odd = await post(url, body, headers);
    expect(await odd.json()).toMatchObject({
      error: { type: "invalid_request_error", message: /no text or number/ },
    });
  });

  it("say how many webhooks led to them, which no request follows without end", async () => {
    const { url, secret } = await create({ source: { type: "stripe" } });
    const body = JSON.stringify({ id: "deep" });
    const headers = await signers.stripe(secret, body);
    expect((await post(url, body, { ...headers, "parley-depth": "9" })).status).toBe(400);
    expect((await post(url, body, { ...headers, "parley-depth": "8" })).status).toBe(200);
  });

  it("of a trigger that is off or gone find nobody", async () => {
    const { url, secret, named, trigger } = await create({ source: { type: "github" } });
    const send = async () => {
      const answer = await post(url, "{}", await signers.github(secret, "{}", "x"));
      return [answer.status, ((await answer.json()) as { error: { type: string } }).error.type];
    };
    const off = await rpc().update.mutate({ ...named, version: 0, isEnabled: false });
    expect(off.trigger).toMatchObject({ disabledFor: "request" });
    expect(await send()).toEqual([404, "webhook_source_not_found"]);
    await rpc().remove.mutate({ ...named, version: off.trigger.version });
    expect(await send()).toEqual([404, "webhook_source_not_found"]);
    const hook = `${server().url}/api/v1/w/${wId()}/triggers/hooks/${trigger.sId}/${secret}`;
    expect((await post(hook, "{}")).status).toBe(404);
    const wrong = await fetch(url);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect(calls).toBeDefined();
  });
});
