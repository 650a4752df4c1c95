import { agentMessages } from "parley-client";
import { expect, test } from "vitest";
import { startTcpProxy } from "../replicas/tcp-proxy.ts";
import { shareServer } from "../server.ts";
import { createClientOf, numbers } from "./clients.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

// The client against a server behind a network that breaks.

const server = shareServer({ PARLEY_MAX_STREAMS_PER_KEY: "8" });

const clientOf = createClientOf(server);

const ask = async (agent: string) => {
  const { conversation } = await clientOf().conversations.create({
    message: { content: "Hello!", mentions: [{ configurationId: agent }] },
  });
  const [answer] = agentMessages(conversation);
  return { conversationId: conversation.sId, messageId: answer?.sId ?? "" };
};

test.concurrent("every follower sees every event once and in order, wherever connections are cut", async () => {
  const random = numbers(1);
  await using proxy = await startCuttingProxy(server().url, () => 1 + random(6000));
  const parley = clientOf({ baseUrl: proxy.url });
  const message = await ask("slowpoke");
  const { invocation } = await clientOf().functions.invoke(
    { functionId: "slow-steps" },
    { waitSeconds: 0 },
  );
  const run = {
    functionId: "slow-steps",
    invocationId: invocation.sId,
    include: ["log", "progress"],
  } as const;
  const [text, ...followed] = await Promise.all([
    Array.fromAsync(parley.messages.text(message)),
    ...[1, 2, 3].map(async () => Array.fromAsync(parley.messages.follow(message))),
    ...[1, 2, 3].map(async () => Array.fromAsync(parley.invocations.follow(run))),
  ]);
  const events = await Array.fromAsync(clientOf().messages.follow(message));
  const steps = await Array.fromAsync(clientOf().invocations.follow(run));
  expect(events.length).toBeGreaterThan(20);
  expect(steps).toHaveLength(10);
  expect(followed).toEqual([events, events, events, steps, steps, steps]);
  expect(events.at(-1)).toMatchObject({ message: { content: text.join("") } });
  expect(proxy.cuts()).toBeGreaterThan(10);
});

test.concurrent("what is created is created once, wherever the answer is cut", async () => {
  const random = numbers(7);
  await using proxy = await startCuttingProxy(server().url, () => 1 + random(5000));
  const parley = clientOf({ baseUrl: proxy.url, maxRetries: 20 });
  const titles = Array.from({ length: 8 }, (_, index) => `Made once: ${index}`);
  const made = await Promise.all(
    titles.map(async (title) =>
      parley.conversations.create({ title, message: { content: "Hello!", mentions: [] } }),
    ),
  );
  const { conversations } = await clientOf().conversations.list({ limit: 100 });
  const stored = conversations.filter(({ title }) => titles.includes(title));
  expect(stored.map(({ sId }) => sId).toSorted()).toEqual(
    made.map(({ conversation }) => conversation.sId).toSorted(),
  );
  expect(proxy.cuts()).toBeGreaterThan(2);
});

test.concurrent("a follower waits for its place among the streams of its key", async () => {
  // A key of its own: the other tests have streams too.
  const parley = clientOf({ apiKey: server().demo.adminKey });
  const { conversationId } = await ask("helper");
  const leave = new AbortController();
  const open = Promise.withResolvers<void>();
  let count = 0;
  const places = Array.from({ length: 8 }, () =>
    Array.fromAsync(
      parley.conversations.follow(
        { conversationId },
        {
          signal: leave.signal,
          onState: ({ status }) => {
            if (status === "open" && ++count === 8) open.resolve();
          },
        },
      ),
    ).catch((error: unknown) => error),
  );
  await open.promise;
  const refusals: unknown[] = [];
  const message = await ask("helper");
  const waiting = parley.messages.follow(message, {
    onState: (state) => {
      if (state.status !== "waiting") return;
      refusals.push(state.error?.type);
      leave.abort(new Error("made room"));
    },
  });
  const events = await Array.fromAsync(waiting);
  expect(events.at(-1)?.type).toBe("agent_message_success");
  expect(refusals[0]).toBe("rate_limit_error");
  const reasons = (await Promise.all(places)).map(String);
  expect(new Set(reasons)).toEqual(new Set(["Error: made room"]));
});

test.concurrent("a follower comes back to a server that was away", async () => {
  await using network = await startTcpProxy(Number(new URL(server().url).port));
  const { conversationId } = await ask("helper");
  const away = Promise.withResolvers<void>();
  const follower = clientOf({ baseUrl: `http://127.0.0.1:${network.port}` }).conversations.follow(
    { conversationId },
    { onState: ({ status }) => void (status === "waiting" && away.resolve()) },
  );
  const contents: string[] = [];
  for await (const event of follower) {
    if (event.type !== "user_message_new") continue;
    contents.push(event.message.content);
    if (contents.length === 2) break;
    network.cut();
    // Nobody reads in the meantime: what comes next is asked for only after this.
    await clientOf().messages.create({ conversationId, content: "Are you there?", mentions: [] });
    void away.promise.then(() => network.mend());
  }
  expect(contents).toEqual(["Hello!", "Are you there?"]);
});
