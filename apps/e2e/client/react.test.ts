import { agentMessages } from "parley-client";
import type { ShownConversation } from "parley-client/react";
import { Activity, createElement, type ReactNode, useState } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { startTcpProxy } from "../replicas/tcp-proxy.ts";
import { shareServer } from "../server.ts";
import { Chat, type ChatOptions } from "./chat.ts";
import { createClientOf, numbers } from "./clients.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { openPages } from "./page.ts";

// The hook in React, under StrictMode, against a server behind a network that breaks.

const server = shareServer();
const open = openPages();

const clientOf = createClientOf(server);

const storedAnswers = async (conversationId: string) =>
  agentMessages((await clientOf().conversations.get({ conversationId })).conversation);

const chat = async (options: Partial<ChatOptions> & Pick<ChatOptions, "parley">) =>
  open(createElement(Chat, { agentIds: ["slowpoke"], ...options }));

test("an answer grows whole and without doubled text, wherever connections are cut", async () => {
  const random = numbers(3);
  await using proxy = await startCuttingProxy(server().url, () => 1 + random(6000));
  const created: string[] = [];
  const texts = new Set<string>();
  const page = await chat({
    parley: clientOf({ baseUrl: proxy.url, maxRetries: 20 }),
    onCreate: (id) => void created.push(id),
    onRender: ({ messages }) => {
      const [, answer] = messages;
      if (answer?.type === "agent_message") texts.add(answer.content);
    },
  });
  await page.shows("status", "ready");
  page.click("send");
  await page.shows("outcome", "succeeded");
  await page.shows("status", "ready");
  expect(page.text("error")).toBe("none");
  expect(page.text("types")).toBe("user_message,agent_message");
  const [stored, ...others] = await storedAnswers(created[0] ?? "");
  expect(others).toEqual([]);
  expect(page.text("answer")).toBe(stored?.content);
  expect(created).toEqual([page.text("id")]);
  // It only ever grew.
  expect(texts.size).toBeGreaterThan(10);
  for (const text of texts) expect(stored?.content.startsWith(text)).toBe(true);
  expect([...texts].map((text) => text.length)).toEqual(
    [...texts].map((text) => text.length).toSorted((a, b) => a - b),
  );
  expect(proxy.cuts()).toBeGreaterThan(2);
});

test("an agent's name in place of its id is said, since nobody answers", async () => {
  const page = await chat({ parley: clientOf(), agentIds: ["Slow Poke"] });
  await page.shows("status", "ready");
  page.click("send");
  await page.shows("error", /mentions\[0\].*no active agent/);
  await page.shows("status", "ready");
  expect(page.text("types")).toBe("user_message");
});

test("agents answer by their names, and a name that nobody has sends nothing", async () => {
  const parley = clientOf();
  const { agentConfigurations } = await parley.agents.list();
  const { name } = agentConfigurations.find(({ sId }) => sId === "helper")!;
  const page = await chat({ parley, agentIds: [], agentNames: [name] });
  await page.shows("status", "ready");
  page.click("send");
  await page.shows("outcome", "succeeded");
  expect(page.text("error")).toBe("none");
  const vain = await chat({ parley, agentIds: [], agentNames: ["Nobody"] });
  await vain.shows("status", "ready");
  vain.click("send");
  await vain.shows("error", "No agent has the name Nobody");
  expect(vain.text("types")).toBe("");
});

test("a page that is loaded again in the middle of an answer shows all of it", async () => {
  const parley = clientOf();
  const first = await chat({ parley });
  first.click("send");
  await first.shows("answer", /take my time/);
  const conversationId = first.text("id");
  first.unmount();
  const second = await chat({ parley, conversationId });
  expect(second.text("status")).not.toBe("ready");
  await second.shows("status", "answering");
  await second.shows("outcome", "succeeded");
  const [stored] = await storedAnswers(conversationId);
  expect(second.text("answer")).toBe(stored?.content);
  expect(second.text("types")).toBe("user_message,agent_message");
});

test("an answer that comes back at once is rendered in few steps", async () => {
  const parley = clientOf();
  const { conversation } = await parley.conversations.create({
    message: { content: "Hello!", mentions: [{ configurationId: "slowpoke" }] },
  });
  const [answer] = agentMessages(conversation);
  const message = { conversationId: conversation.sId, messageId: answer?.sId ?? "" };
  let events = 0;
  for await (const _ of parley.messages.follow(message)) if (++events === 30) break;
  const lengths: number[] = [];
  const page = await chat({
    parley,
    conversationId: conversation.sId,
    onRender: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.type === "agent_message") lengths.push(last.content.length);
    },
  });
  await page.shows("answer", /words arrive/);
  expect(new Set(lengths.filter((length) => length < 90)).size).toBeLessThan(15);
});

test("a component that is hidden for a while continues where it was", async () => {
  const parley = clientOf();
  const texts: string[] = [];
  const Hideable = (): ReactNode => {
    const [mode, setMode] = useState<"hidden" | "visible">("visible");
    const hide = {
      "data-id": "toggle",
      onClick: () => setMode(mode === "hidden" ? "visible" : "hidden"),
    };
    const options = { parley, agentIds: ["slowpoke"] };
    const onRender = ({ messages: [, answer] }: ShownConversation) => {
      if (answer?.type === "agent_message") texts.push(answer.content);
    };
    return [
      createElement(Activity, {
        key: "chat",
        mode,
        children: createElement(Chat, { ...options, onRender }),
      }),
      createElement("button", { key: "toggle", ...hide }),
    ];
  };
  const page = await open(createElement(Hideable));
  page.click("send");
  await page.shows("answer", /take my time/);
  page.click("toggle");
  const conversationId = page.text("id");
  const [running] = await storedAnswers(conversationId);
  let meanwhile = "";
  const answer = { conversationId, messageId: running?.sId ?? "" };
  for await (const text of parley.messages.text(answer)) {
    meanwhile += text;
    if (meanwhile.includes("lose the connection")) break;
  }
  expect(page.text("answer").length).toBeLessThan(meanwhile.length);
  page.click("toggle");
  await page.shows("outcome", "succeeded");
  const [stored] = await storedAnswers(conversationId);
  expect(page.text("answer")).toBe(stored?.content);
  for (const text of texts) expect(stored?.content.startsWith(text)).toBe(true);
});

test("the id of the conversation that it has created changes nothing, another id does", async () => {
  const parley = clientOf();
  const statuses: string[] = [];
  const Routed = (): ReactNode => {
    const [conversationId, setId] = useState<string | undefined>(undefined);
    const options = { parley, agentIds: ["helper"], conversationId, onCreate: setId };
    const onRender = ({ status }: ShownConversation) => void statuses.push(status);
    const begin = { "data-id": "begin", onClick: () => setId(undefined) };
    return [
      createElement(Chat, { key: "chat", ...options, onRender }),
      createElement("button", { key: "begin", ...begin }),
    ];
  };
  const page = await open(createElement(Routed));
  page.click("send");
  await page.shows("answer", /^You said: Hello!/);
  await page.shows("status", "ready");
  page.click("send");
  await page.shows("types", "user_message,agent_message,user_message,agent_message");
  await page.shows("status", "ready");
  expect(statuses).not.toContain("loading");
  const before = page.text("id");
  page.click("begin");
  await page.shows("types", "");
  page.click("send");
  await page.shows("types", "user_message,agent_message");
  expect(page.text("id")).not.toBe(before);
});

test("an answer is cancelled with its text, and written again by a retry", async () => {
  const page = await chat({ parley: clientOf() });
  page.click("send");
  await page.shows("answer", /take my time/);
  page.click("cancel");
  await page.shows("outcome", "cancelled");
  const cut = page.text("answer");
  page.click("retry");
  await page.shows("status", "answering");
  await page.shows("outcome", "succeeded");
  const [stored] = await storedAnswers(page.text("id"));
  expect(stored?.version).toBe(1);
  expect(page.text("answer")).toBe(stored?.content);
  expect(stored?.content.startsWith(cut)).toBe(true);
  expect(page.text("types")).toBe("user_message,agent_message");
});

test("failures are shown, and another try is possible", async () => {
  const failing = await chat({ parley: clientOf(), agentIds: ["faulty"] });
  failing.click("send");
  await failing.shows("outcome", "failed");
  expect(failing.text("failure")).toBe("simulated_failure");
  expect(failing.text("answer")).toBe("I will try, but ");

  const unknown = await chat({ parley: clientOf(), conversationId: "none" });
  await unknown.shows("error", /conversation/);
  expect(unknown.text("status")).toBe("ready");
});

test("what was sent without an answer is sent once, when it is sent again", async () => {
  await using network = await startTcpProxy(Number(new URL(server().url).port));
  const parley = clientOf({ baseUrl: `http://127.0.0.1:${network.port}`, maxRetries: 0 });
  const { conversation } = await clientOf().conversations.create({
    message: { content: "Begin", mentions: [] },
  });
  const page = await chat({ parley, conversationId: conversation.sId, agentIds: ["helper"] });
  await page.shows("types", "user_message");
  // The request arrives, and its answer does not.
  network.deafen();
  page.click("send");
  const conversationId = conversation.sId;
  await expect
    .poll(async () => (await storedAnswers(conversationId)).map(({ status }) => status))
    .toEqual(["succeeded"]);
  network.reset();
  await page.shows("error", /connection/);
  page.click("send");
  await page.shows("answer", /^You said: Hello!/);
  expect(page.text("types")).toBe("user_message,user_message,agent_message");
  expect(await storedAnswers(conversationId)).toHaveLength(1);
});

test("a server that is away is waited for, and said to be", async () => {
  await using network = await startTcpProxy(Number(new URL(server().url).port));
  const page = await chat({ parley: clientOf({ baseUrl: `http://127.0.0.1:${network.port}` }) });
  page.click("send");
  await page.shows("answer", /take my time/);
  network.cut();
  await page.shows("reconnecting", "true");
  network.mend();
  await page.shows("reconnecting", "false");
  await page.shows("outcome", "succeeded");
  const [stored] = await storedAnswers(page.text("id"));
  expect(page.text("answer")).toBe(stored?.content);
});

test("a component that is gone has left its streams", async () => {
  const streams: AbortSignal[] = [];
  const watched: typeof fetch = async (url, init) => {
    if (String(url).includes("/events") && init?.signal) streams.push(init.signal);
    return fetch(url, init);
  };
  const page = await chat({ parley: clientOf({ fetch: watched }) });
  page.click("send");
  await page.shows("answer", /take my time/);
  expect(streams.some(({ aborted }) => !aborted)).toBe(true);
  page.unmount();
  await expect.poll(() => streams.filter(({ aborted }) => !aborted)).toEqual([]);
});

test("a server renders it without a connection", () => {
  const parley = clientOf({
    fetch: () => {
      throw new Error("It must not connect");
    },
  });
  const html = renderToString(createElement(Chat, { parley, conversationId: "some" }));
  expect(html).toContain('data-id="status">loading<');
  const empty = renderToString(createElement(Chat, { parley }));
  expect(empty).toContain('data-id="status">ready<');
});
