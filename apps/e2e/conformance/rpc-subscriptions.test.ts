import { createRpcClient } from "parley-client";
import { InvocationEvent, MessageEvent } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { createPlace, openHostedServer, type Server, shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { collect, openDetour } from "../subscriptions.ts";

// Every stream is a subscription of the RPC, which resumes and is limited as over Server-Sent Events.

const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
const slowAgent = { steps: [{ text }], tokenDelayMs: 100 };
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const idsOf = ({ events }: { events: readonly { id: string }[] }) => events.map(({ id }) => id);

function createAsking(server: () => Server) {
  const calls = createCalls(server);
  return {
    ...calls,
    /** Asks an agent of the demo, and gives what the events of its answer are found by. */
    ask: async (agent: string, blocking = true) => {
      const { conversation } = await calls.create("Hello", [agent], { blocking });
      const mId = conversation.content[1]?.[0]?.sId ?? "";
      return { wId: server().demo.workspaceId, cId: conversation.sId, mId };
    },
    createKey: async (role: "none" | "builder" = "builder") =>
      calls.rpc().apiKeys.create.mutate({ wId: server().demo.workspaceId, name: "sub", role }),
    as: (apiKey: string) => createRpcClient({ url: server().url, apiKey }),
  };
}

describe("a server", () => {
  const server = shareServer({ PARLEY_MAX_STREAMS_PER_KEY: "4" });
  const { ask, as, createKey, createAgent, post, rpc, call } = createAsking(server);

  const followMessage = (
    input: Parameters<ReturnType<typeof rpc>["messages"]["events"]["subscribe"]>[0],
    key?: string,
  ) =>
    collect((observer) =>
      (key === undefined ? rpc() : as(key)).messages.events.subscribe(input, observer),
    );

  async function invoke(slug: string, prefer: string): Promise<string> {
    const path = pathsOf(server()).invocations(slug);
    const { text: body } = await send(server(), { path, json: {}, headers: { prefer } });
    return /"sId":"(sfi_\w+)"/.exec(body)?.[1] ?? "";
  }

  test("a running answer comes as over Server-Sent Events, and completes", async () => {
    const input = await ask("slowpoke", false);
    const followed = followMessage(input);
    expect(await followed.end).toBe("complete");
    const path = `${pathsOf(server()).conversations}/${input.cId}/messages/${input.mId}/events`;
    const stream = await open(server(), { path: path.replace("/api/", "/api/sse/") });
    const frames = await Array.fromAsync(readFrames(stream));
    expect(followed.events.map(({ id, data }) => ({ eventId: id, data }))).toEqual(
      frames.map(({ data }) => data),
    );
    expect(idsOf(followed)).toEqual(numbers(1, frames.length));
    expect(followed.events.map(({ data }) => MessageEvent.parse(data).type).at(-1)).toBe(
      "agent_message_success",
    );
  });

  test("a connection that breaks is resumed without a gap or a repetition", async () => {
    const agentId = await createAgent("slow", slowAgent);
    await using detour = await openDetour(server().url);
    const client = createRpcClient({ url: detour.url, apiKey: server().demo.adminKey });
    const input = await ask(agentId, false);
    const states: string[] = [];
    const followed = collect<MessageEvent>(
      (observer) =>
        client.messages.events.subscribe(input, {
          ...observer,
          onConnectionStateChange: ({ state }) => states.push(state),
        }),
      (count) => count === 10 && detour.cut(),
    );
    expect(await followed.end).toBe("complete");
    expect(idsOf(followed)).toEqual(numbers(1, followed.events.length));
    expect(followed.events.length).toBeGreaterThan(20);
    const texts = followed.events.map(({ data }) => ("text" in data ? data.text : ""));
    expect(texts.join("")).toBe(text);
    // It was cut, and live again.
    expect(states.join(" ")).toMatch(
      /^connecting pending connecting (?:connecting )*pending idle$/,
    );
  });

  test("a conversation is followed until nobody wants to, or it is deleted", async () => {
    const { wId, cId } = await ask("helper");
    const followed = collect((observer) =>
      rpc().conversations.events.subscribe({ wId, cId }, observer),
    );
    await expect.poll(() => followed.events.length).toBe(3);
    await post(cId, { content: "And?", mentions: [] });
    await expect.poll(() => idsOf(followed)).toEqual(numbers(1, 4));
    followed.unsubscribe();
    const again = collect((observer) =>
      rpc().conversations.events.subscribe({ wId, cId, lastEventId: "3" }, observer),
    );
    await expect.poll(() => idsOf(again)).toEqual(["4"]);
    expect((await call("DELETE", `/${cId}`)).status).toBe(200);
    expect(await again.end).toBe("complete");
  });

  test("an invocation is followed with what was asked for", async () => {
    const wId = server().demo.workspaceId;
    const invocationId = await invoke("slow-steps", "respond-async");
    const input = { wId, functionId: "slow-steps", invocationId };
    const typesWith = async (include?: string) => {
      const followed = collect((observer) =>
        rpc().sandboxFunctions.events.subscribe({ ...input, include }, observer),
      );
      expect(await followed.end).toBe("complete");
      return followed.events.map(({ id, data }) => `${id} ${InvocationEvent.parse(data).type}`);
    };
    const [plain, whole] = await Promise.all([typesWith(), typesWith("log,progress")]);
    expect(plain).toEqual([whole[0], whole.at(-1)]);
    expect(whole.map((one) => one.split(" ")[0])).toEqual(numbers(1, 10));
    const rest = (lastEventId: string) =>
      collect((observer) =>
        rpc().sandboxFunctions.events.subscribe({ ...input, lastEventId }, observer),
      );
    const last = rest("9");
    expect(await last.end).toBe("complete");
    expect(idsOf(last)).toEqual(["10"]);
    const nothing = rest("10");
    expect([await nothing.end, idsOf(nothing)]).toEqual(["complete", []]);
    const past = rest("11");
    expect([await past.end, idsOf(past)]).toEqual(["BAD_REQUEST invalid_request_error", []]);
  });

  describe("cursors", () => {
    test.for([undefined, null, "", "0", "000"])("%j is the start", async (lastEventId) => {
      const followed = followMessage({ ...(await ask("helper")), lastEventId });
      expect(await followed.end).toBe("complete");
      expect(idsOf(followed)).toEqual(["1", "2"]);
    });

    test("a finished answer ends again at whatever cursor", async () => {
      const input = await ask("faulty");
      for (const lastEventId of ["1", "2", "3", "4711"]) {
        const followed = followMessage({ ...input, lastEventId });
        expect(await followed.end).toBe("complete");
        expect(followed.events).toMatchObject([{ id: "2", data: { type: "agent_error" } }]);
      }
    });

    test.for(["x", "-1", "+1", "1.0", "1e0", " 1", "1,2", "9".repeat(16)])(
      "`%s` is refused",
      async (lastEventId) => {
        const followed = followMessage({ ...(await ask("helper")), lastEventId });
        expect(await followed.end).toBe("BAD_REQUEST invalid_request_error");
        expect(followed.events).toEqual([]);
      },
    );

    test("what is not a string is refused too, and so is one past the end of a running log", async () => {
      const { wId, cId } = await ask("helper");
      const ends = [4 as unknown as string, ["1"] as unknown as string, "5"].map(
        (lastEventId) =>
          collect((observer) =>
            as(server().demo.adminKey).conversations.events.subscribe(
              { wId, cId, lastEventId },
              observer,
            ),
          ).end,
      );
      for (const end of ends) expect(await end).toBe("BAD_REQUEST invalid_request_error");
    });
  });

  test("a follower without access gets one error", async () => {
    const input = await ask("helper");
    const { wId, cId } = input;
    const { operatorKey } = server().demo;
    const none = await createKey("none");
    const user = (await rpc().conversations.get.query({ wId, cId })).conversation.content[0]?.[0]
      ?.sId;
    const cases = [
      { further: {}, key: "sk-nobody", end: "UNAUTHORIZED invalid_api_key_error" },
      { further: {}, key: "nonsense", end: "UNAUTHORIZED malformed_authorization_header_error" },
      { further: {}, key: operatorKey, end: "UNAUTHORIZED workspace_auth_error" },
      { further: { wId: "AAAAAAAAAA" }, end: "UNAUTHORIZED workspace_auth_error" },
      { further: {}, key: none.secret, end: "FORBIDDEN app_auth_error" },
      { further: { cId: "AAAAAAAAAA" }, end: "NOT_FOUND conversation_not_found" },
      { further: { mId: "AAAAAAAAAA" }, end: "NOT_FOUND message_not_found" },
      { further: { mId: user ?? "" }, end: "BAD_REQUEST invalid_request_error" },
      { further: { mId: "" }, end: "BAD_REQUEST invalid_request_error" },
    ];
    for (const { further, key, end } of cases) {
      const followed = followMessage({ ...input, ...further }, key);
      expect(await followed.end).toBe(end);
      expect(followed.events).toEqual([]);
    }
  });

  test("subscriptions and streams share the places of a key", async () => {
    const { secret } = await createKey();
    const { wId, cId } = await ask("helper");
    const follow = () =>
      collect((observer) => as(secret).conversations.events.subscribe({ wId, cId }, observer));
    const path = `${pathsOf(server()).conversations}/${cId}/events`.replace("/api/", "/api/sse/");
    const held = [follow(), follow(), follow()];
    for (const { events } of held) await expect.poll(() => events.length).toBe(3);
    const abort = new AbortController();
    const stream = await open(server(), { path, key: secret, signal: abort.signal });
    expect(stream.status).toBe(200);
    expect(await follow().end).toBe("TOO_MANY_REQUESTS rate_limit_error");
    expect((await send(server(), { path, key: secret })).status).toBe(429);
    held[0]?.unsubscribe();
    // The place is free once the server has seen the connection close.
    await expect
      .poll(
        async () => (await open(server(), { path, key: secret, signal: abort.signal })).status,
        {
          interval: 20,
          timeout: 5000,
        },
      )
      .toBe(200);
    expect(await follow().end).toBe("TOO_MANY_REQUESTS rate_limit_error");
    for (const subscription of held) subscription.unsubscribe();
    abort.abort();
  });

  test("a key that is revoked ends its subscriptions, and no other", async () => {
    const { apiKey, secret } = await createKey();
    const { wId, cId } = await ask("helper");
    const followed = [secret, server().demo.adminKey].map((key) =>
      collect((observer) => as(key).conversations.events.subscribe({ wId, cId }, observer)),
    );
    for (const { events } of followed) await expect.poll(() => events.length).toBe(3);
    await rpc().apiKeys.revoke.mutate({ wId: wId, keyId: apiKey.sId });
    expect(await followed[0]?.end).toBe("UNAUTHORIZED invalid_api_key_error");
    await post(cId, { content: "Still there?", mentions: [] });
    await expect.poll(() => followed[1]?.events.length).toBe(4);
    followed[1]?.unsubscribe();
  });

  test("the answer is a stream that nothing may hold back, and counts as one", async () => {
    const input = encodeURIComponent(JSON.stringify({ json: await ask("helper") }));
    const path = `/rpc/messages.events?input=${input}`;
    const answer = await send(server(), { path, headers: { "accept-encoding": "gzip, br" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(answer.headers.get("ratelimit-policy")).toMatch(/^"stream";/);
    const resumed = await send(server(), { path, headers: { "last-event-id": "1" } });
    expect([...resumed.text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)).toEqual(["2"]);
    const batch = await send(server(), { path: `${path}&batch=1` });
    expect([batch.status, batch.text]).toEqual([400, expect.stringContaining("Cannot batch")]);
  });
});

test("a subscription outlives its server", { timeout: 60_000 }, async () => {
  await using place = await createPlace();
  // What the first server leaves is taken over by the second once its lease has ended.
  const settings = { PARLEY_LEASE_MS: "1000" };
  let server = await openHostedServer(place, settings);
  const asking = createAsking(() => server);
  const input = await asking.ask(await asking.createAgent("slow", slowAgent), false);
  const cut = Promise.withResolvers<void>();
  const followed = collect<MessageEvent>(
    (observer) => asking.rpc().messages.events.subscribe(input, observer),
    (count) => count === 5 && cut.resolve(),
  );
  await cut.promise;
  const { port } = new URL(server.url);
  await server[Symbol.asyncDispose]();
  server = await openHostedServer(place, { ...settings, PARLEY_PORT: port });
  expect(await followed.end).toBe("complete");
  expect(idsOf(followed)).toEqual(numbers(1, followed.events.length));
  expect(followed.events.at(-1)?.data.type).toBe("agent_message_success");
  await server[Symbol.asyncDispose]();
});
