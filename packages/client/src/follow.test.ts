import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ParleyOptions } from "./connection.ts";
import { AnswerFailed, ParleyError } from "./errors.ts";
import type { ConnectionState, FollowOptions } from "./follow.ts";
import { createParley } from "./parley.ts";
import {
  type Answer,
  hangUp,
  refusal,
  type ScriptedServer,
  type Seen,
  startScriptedServer,
  stream,
} from "../testing/scripted-server.ts";

const message = { conversationId: "c1", messageId: "m1" };
const clientOf = ({ url }: ScriptedServer, options: Partial<ParleyOptions> = {}) =>
  createParley({ baseUrl: url, workspaceId: "w1", apiKey: "sk-1", ...options });

// Three words with two-byte and four-byte characters, thoughts between them, and the end.
const log = [
  { type: "generation_tokens", classification: "tokens", text: "Grüße" },
  { type: "generation_tokens", classification: "chain_of_thought", text: "hm" },
  { type: "generation_tokens", classification: "tokens", text: ", 🌍" },
  { type: "agent_message_success", message: { content: "Grüße, 🌍" } },
];
const frame = (data: unknown, index: number) =>
  `id: ${index + 1}\ndata: ${JSON.stringify({ eventId: String(index + 1), data })}\n\n`;
const cursorOf = ({ url }: Seen) =>
  Number(new URL(url, "http://x").searchParams.get("lastEventId"));

/** The frames behind a request's cursor, as the server sends them. */
const framesBehind = (request: Seen) => log.map(frame).slice(cursorOf(request)).join("");

/** Answers what is behind the cursor, and ends. */
const whole: Answer = (response, request) => stream(framesBehind(request))(response, request);

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

const typesOf = async (events: AsyncIterable<{ type: string }>) =>
  (await Array.fromAsync(events)).map(({ type }) => type);

test("a stream that is cut at any byte is resumed without a gap or a repetition", async () => {
  const bytes = new TextEncoder().encode(log.map(frame).join(": ping\n\n"));
  for (let cut = 0; cut < bytes.length; cut++) {
    await using server = await startScriptedServer(stream(bytes.subarray(0, cut), "cut"), whole);
    const follower = clientOf(server).messages.follow(message);
    expect(await Array.fromAsync(follower), `cut at byte ${cut}`).toEqual(log);
    expect(follower.lastEventId).toBe("4");
  }
});

test("it begins after a given event, and reports the last one delivered", async () => {
  await using server = await startScriptedServer(whole);
  const follower = clientOf(server).messages.follow(message, { lastEventId: "2" });
  expect(await Array.fromAsync(follower)).toEqual(log.slice(2));
  expect(server.seen.map(cursorOf)).toEqual([2]);
});

test("a finished message tells its end again, though it is not a new event", async () => {
  const end = log.map(frame).at(-1) ?? "";
  await using server = await startScriptedServer(stream(end));
  const follower = clientOf(server).messages.follow(message, { lastEventId: "4" });
  expect(await typesOf(follower)).toEqual(["agent_message_success"]);
});

test("an event that comes twice is given once", async () => {
  const all = log.map(frame);
  const repeated = [...all.slice(0, 2), ...all.slice(0, 3), all[3]].join("");
  await using server = await startScriptedServer(stream(repeated));
  expect(await Array.fromAsync(clientOf(server).messages.follow(message))).toEqual(log);
});

test("204 ends it, and it does not wait after the terminal event", async () => {
  await using ended = await startScriptedServer((response) => void response.writeHead(204).end());
  const invocation = { functionId: "f", invocationId: "i" };
  expect(await Array.fromAsync(clientOf(ended).invocations.follow(invocation))).toEqual([]);

  await using open = await startScriptedServer(stream(log.map(frame).join(""), "stay"));
  expect(await Array.fromAsync(clientOf(open).messages.follow(message))).toEqual(log);
});

test("the redirect is followed with the key, also by a browser that shows nothing of it", async () => {
  const redirect: Answer = (response, { url }) =>
    void response.writeHead(307, { location: url.replace("/api/", "/api/sse/") }).end();
  await using server = await startScriptedServer(redirect, whole, redirect, whole);
  expect(await Array.fromAsync(clientOf(server).messages.follow(message))).toEqual(log);

  const opaque: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 307) return response;
    await response.body?.cancel();
    // What `redirect: "manual"` gives in browsers.
    return Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
  };
  const browser = clientOf(server, { fetch: opaque });
  expect(await Array.fromAsync(browser.messages.follow(message))).toEqual(log);
  const stem = "w/w1/assistant/conversations/c1/messages/m1/events?lastEventId=0";
  expect(server.seen.map(({ url }) => url)).toEqual(
    ["/api/v1/", "/api/sse/v1/", "/api/v1/", "/api/sse/v1/"].map((root) => root + stem),
  );
  expect(server.seen.every(({ headers }) => headers.authorization === "Bearer sk-1")).toBe(true);
});

test("it reports the state of the connection, and asks for the key of each connection", async () => {
  const first = log.map(frame)[0] ?? "";
  await using server = await startScriptedServer(
    hangUp,
    refusal(429, "rate_limit_error"),
    stream(first, "cut"),
    whole,
  );
  const states: ConnectionState[] = [];
  let keys = 0;
  const parley = clientOf(server, { apiKey: () => `sk-${++keys}` });
  const follower = parley.messages.follow(message, { onState: (state) => void states.push(state) });
  expect(follower.state.status).toBe("connecting");
  await Array.fromAsync(follower);
  expect(follower.state.status).toBe("closed");
  expect(states.map(({ status }) => status)).toEqual(
    "connecting waiting connecting waiting connecting open waiting connecting open closed".split(
      " ",
    ),
  );
  const errors = states.flatMap((state) => (state.status === "waiting" ? [state.error?.type] : []));
  expect(errors).toEqual(["connection_failed", "rate_limit_error", "connection_failed"]);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([1, 2, 3, 4].map(bearer));
});

const bearer = (number: number) => `Bearer sk-${number}`;

test("a refusal is thrown, and a server that stays away too", async () => {
  await using server = await startScriptedServer(refusal(404, "message_not_found"));
  const gone = clientOf(server).messages.follow(message).next();
  await expect(gone).rejects.toMatchObject({ type: "message_not_found", status: 404 });

  await using away = await startScriptedServer(refusal(503, "service_unavailable"));
  const follower = clientOf(away).messages.follow(message, { reconnectForMs: 0 });
  vi.mocked(Math.random).mockReturnValue(0.5);
  await expect(follower.next()).rejects.toMatchObject({ type: "service_unavailable" });
  expect(follower.state.status).toBe("closed");
  expect(await follower.next()).toEqual({ done: true, value: undefined });
});

test("a connection on which nothing comes is made again", async () => {
  const silent = stream(log.map(frame)[0] ?? "", "stay");
  await using server = await startScriptedServer(silent, whole);
  const follower = clientOf(server).messages.follow(message, { idleTimeoutMs: 50 });
  expect(await Array.fromAsync(follower)).toEqual(log);
  expect(server.seen.map(cursorOf)).toEqual([0, 1]);
});

const enough = new Error("enough");
type Following = ReturnType<ReturnType<typeof clientOf>["messages"]["follow"]>;

test.for([
  {
    how: "a break",
    stop: async (follower: Following) => {
      for await (const { type } of follower) if (type === "generation_tokens") break;
      return "no more";
    },
    outcome: "no more",
  },
  {
    how: "return",
    stop: async (follower: Following) => {
      await follower.next();
      const waiting = follower.next();
      await follower.return?.();
      return waiting;
    },
    outcome: { done: true, value: undefined },
  },
  {
    how: "a signal",
    stop: async (follower: Following, controller: AbortController) => {
      await follower.next();
      const waiting = follower.next().catch((reason: unknown) => reason);
      controller.abort(enough);
      return waiting;
    },
    outcome: enough,
  },
])("$how ends it, and its connection", async ({ stop, outcome }) => {
  let closed = false;
  await using server = await startScriptedServer((response, request) => {
    response.on("close", () => (closed = true));
    stream(log.map(frame)[0] ?? "", "stay")(response, request);
  });
  const controller = new AbortController();
  const states: string[] = [];
  const onState: FollowOptions["onState"] = ({ status }) => void states.push(status);
  const options = { signal: controller.signal, onState };
  const follower = clientOf(server).messages.follow(message, options);
  expect(await stop(follower, controller)).toEqual(outcome);
  expect(follower.state.status).toBe("closed");
  expect(states).toEqual(["connecting", "open", "closed"]);
  await vi.waitUntil(() => closed);
});

test("nothing is read ahead of a reader that takes its time", async () => {
  let sent = 0;
  const padding = "x".repeat(100_000);
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (): void => {
      while (sent < 400 && !response.destroyed) {
        const data = { type: "generation_tokens", classification: "tokens", text: padding };
        const isTaken = response.write(frame(data, sent++));
        if (!isTaken) return void response.once("drain", write);
      }
      response.end(frame({ type: "agent_message_success" }, sent));
    };
    write();
  });
  const follower = clientOf(server).messages.follow(message);
  await follower.next();
  // Until the buffers between the two are full.
  let before = -1;
  await vi.waitUntil(() => before === (before = sent), { interval: 200 });
  expect(sent).toBeLessThan(400);
  expect((await typesOf(follower)).length).toBe(400);
});

test("text yields what the agent says, and nothing of what it thinks", async () => {
  await using server = await startScriptedServer(whole);
  const parts = await Array.fromAsync(clientOf(server).messages.text(message));
  expect(parts).toEqual(["Grüße", ", 🌍"]);
});

test.for([
  [{ type: "agent_error", error: { code: "boom", message: "No", metadata: { a: 1 } } }, "boom"],
  [{ type: "agent_generation_cancelled" }, "cancelled"],
] as const)("text throws if the answer has no success", async ([end, code]) => {
  await using server = await startScriptedServer(stream([log[0], end].map(frame).join("")));
  const parts: string[] = [];
  const reading = (async () => {
    for await (const part of clientOf(server).messages.text(message)) parts.push(part);
  })();
  await expect(reading).rejects.toSatisfy(
    (error) => error instanceof AnswerFailed && error instanceof ParleyError && error.code === code,
  );
  expect(parts).toEqual(["Grüße"]);
});
