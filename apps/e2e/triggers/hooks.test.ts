import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createSender, post } from "./listen.ts";

describe("events at a URL with a secret", () => {
  const server = shareServer();
  const {
    create,
    rpc,
    firstMessage,
    calls,
    wId,
    ended: _ended,
  } = {
    ...createSender(server),
    ended: undefined,
  };

  it("start a conversation each, because nothing names them", async () => {
    const { url, secret, trigger, ended } = await create({ source: { type: "url" } });
    expect(url).toBe(`${trigger.url}/${secret}`);
    expect(new URL(url).pathname).toBe(
      `/api/v1/w/${wId()}/triggers/hooks/${trigger.sId}/${secret}`,
    );
    expect(trigger.onceBy).toBeNull();
    for (let count = 0; count < 2; count++) {
      const answer = await post(url, '{"a":1}');
      expect([answer.status, await answer.json()]).toEqual([200, { success: true }]);
    }
    const events = await ended(2);
    expect(events).toMatchObject([{ status: "started" }, { status: "started" }]);
    const ids = events.map(({ started }) => started?.conversationId);
    expect(new Set(ids).size).toBe(2);
    expect(await firstMessage(ids[0]!)).toBe('{"a":1}');
    const { trigger: now } = await rpc().read.query({ wId: wId(), triggerId: trigger.sId });
    expect(now).toMatchObject({ lastEventAt: expect.any(Number), failingSince: null });
  });

  it("are refused with another secret, and with no JSON", async () => {
    const { url, trigger, events } = await create({ source: { type: "url" }, maxBytes: 100 });
    const refused = async (...given: Parameters<typeof post>) => {
      const answer = await post(...given);
      const { error } = (await answer.json()) as { error: { type: string; message: string } };
      return [answer.status, error.type, error.message];
    };
    expect(await refused(`${url}x`, "{}")).toEqual([
      401,
      "webhook_source_auth_error",
      "The secret in the URL does not match",
    ]);
    expect(await refused(`${trigger.url}x/${url.split("/").at(-1)}`, "{}")).toEqual([
      404,
      "webhook_source_not_found",
      expect.any(String),
    ]);
    expect(await refused(url, "{")).toEqual([400, "invalid_request_error", expect.any(String)]);
    expect(await refused(url, "")).toEqual([400, "invalid_request_error", expect.any(String)]);
    expect(
      await refused(url, "a=1", { "content-type": "application/x-www-form-urlencoded" }),
    ).toEqual([400, "invalid_request_error", expect.any(String)]);
    expect(await refused(url, `"${"x".repeat(99)}"`)).toEqual([
      413,
      "content_too_large",
      "The body must be at most 100 bytes",
    ]);
    expect(await events()).toEqual([]);
  });

  it("have at most 2 MiB", async () => {
    const { url, ended } = await create({
      source: { type: "url" },
      mapping: { type: "jsonata", message: "$string($length(body))" },
    });
    const largest = `"${"x".repeat(2_097_150)}"`;
    expect((await post(url, largest)).status).toBe(200);
    expect((await post(url, `${largest} `)).status).toBe(413);
    const [event] = await ended(1);
    expect(event).toMatchObject({ status: "started", bytes: 2_097_152 });
    expect(await firstMessage(event!.started!.conversationId!)).toBe("2097150");
  });

  it("are as many in a minute as their trigger takes", async () => {
    const { url } = await create({ source: { type: "url" }, eventsPerMinute: 2 });
    const answers = [await post(url, "1"), await post(url, "2"), await post(url, "3")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(answers[2]!.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("need a new secret after a rotation without an overlap", async () => {
    const { url, named } = await create({ source: { type: "url" } });
    const given = { ...named, secret: "chosen-by-hand" };
    await expect(rpc().rotateSecret.mutate(given)).rejects.toThrow(/must be left out/);
    const next = await rpc().rotateSecret.mutate({ ...named, overlapSeconds: 60 });
    const last = await rpc().rotateSecret.mutate({ ...named, overlapSeconds: 60 });
    const statuses = [url, next.url, last.url].map(async (one) => (await post(one, "1")).status);
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it("leave their secret in no output of the server, nor in what it stores", async () => {
    const { url, secret, trigger, ended, named } = await create({ source: { type: "url" } });
    expect((await post(url, "{}")).status).toBe(200);
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) await fetch(url, { method });
    await post(url, "{");
    await post(`${url}/more`, "{}");
    await post(`${url}%zz`, "{}");
    await post(url.replace(trigger.sId, "trg_unknown"), "{}");
    await post(url.replace("/hooks/", "/signed/"), "{}");
    await post(url, `"${"x".repeat(2_097_152)}"`);
    const answers = await Promise.all(
      [`${url}x`, url.replace(wId(), "nowhere")].map((one) => post(one, "{}")),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    await ended(1);
    const { auditEvents } = await calls.rpc().audit.list.query({ wId: wId(), limit: 100 });
    const metrics = await fetch(`${server().url}/openapi.json`);
    const shown = [
      server().output.stderr,
      JSON.stringify(auditEvents),
      JSON.stringify(await rpc().read.query(named)),
      JSON.stringify(await rpc().listEvents.query(named)),
      JSON.stringify(await rpc().listAll.query({ wId: wId() })),
      await metrics.text(),
      ...texts,
    ];
    for (const text of shown) expect(text).not.toContain(secret);
    expect(server().output.stderr).toContain("Receive an event");
    expect(server().output.stderr).toContain(trigger.sId);
  });
});
