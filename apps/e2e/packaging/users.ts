// What the tests of the packed client write into a project, and run it with.

import { isNightly } from "@parley/db/testing";

/** What a browser and an edge runtime have both. */
export const webGlobals = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "DOMException",
  "Event",
  "EventTarget",
  "FormData",
  "Headers",
  "MessageEvent",
  "ReadableStream",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "clearTimeout",
  "crypto",
  "fetch",
  "performance",
  "setTimeout",
] as const satisfies (keyof typeof globalThis)[];

/** What a careful user compiles with. */
export const compilerOptions = {
  strict: true,
  noEmit: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable", "esnext.disposable"],
  types: [],
  skipLibCheck: true,
};

/** A module that compiles: what is wrong in it is expected to be. */
export const rightUse = `
import { agentMessages, createParley, createRpcClient, ParleyError } from "parley-client";
import { useConversation } from "parley-client/react";
const parley = createParley({ baseUrl: "http://x", workspaceId: "w", apiKey: async () => "sk-1" });
const { messages: [shown], send } = useConversation({ parley, agentIds: ["helper"] });
shown?.sId satisfies string | undefined;
send satisfies (text: string) => Promise<boolean>;
const { conversation, warnings } = await parley.conversations.create({
  message: { content: "Hi", mentions: [{ configurationId: "helper" }] },
});
const status: "created" | "succeeded" | "failed" | "cancelled" =
  agentMessages(conversation)[0]!.status;
const path: string | undefined = warnings?.[0]?.path;
const page = await parley.conversations.list({ limit: 3 });
const title: string | undefined = page.conversations[0]?.title;
for await (const event of parley.messages.follow({ conversationId: "c", messageId: "m" })) {
  if (event.type === "agent_error") event.error.code satisfies string;
}
const rpc = createRpcClient({ url: "http://x", apiKey: "sk-1" });
const key = { wId: "w", name: "n", role: "user" } as const;
const { secret } = await rpc.apiKeys.create.mutate({ ...key, expiresAt: new Date() });
new ParleyError("timed_out", secret + title + path + status);
// @ts-expect-error: a message needs its mentions
await parley.conversations.create({ message: { content: "Hi" } });
// @ts-expect-error: there is no such status
await parley.skills.list({ status: "gone" });
// @ts-expect-error: the conversation is missing
parley.messages.follow({ messageId: "m" });
// @ts-expect-error: it is a list
useConversation({ parley, agentIds: "helper" });
// @ts-expect-error: there is no such role
await rpc.apiKeys.create.mutate({ wId: "w", name: "n", role: "king" });
`;

/** A module that uses the transport of chats. */
export const chatUse = `
import { createParley } from "parley-client";
import { type ChatMessage, createChatTransport } from "parley-client/ai-sdk";
import type { ChatTransport } from "ai";
const parley = createParley({ baseUrl: "http://x", workspaceId: "w", apiKey: "sk-1" });
createChatTransport({ parley, agentId: "helper" }) satisfies ChatTransport<ChatMessage>;
// @ts-expect-error: it is an id
createChatTransport({ parley, agentId: 1 });
`;

/** A module that uses all of the client, and prints what came of it. */
export const use = `
import { agentMessages, createParley, createRpcClient, ParleyError } from "parley-client";
const [, , url, workspaceId, apiKey, operatorKey] = process.argv;
const parley = createParley({ baseUrl: url, workspaceId, apiKey });
const { conversation } = await parley.conversations.create({
  message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
});
const answer = { conversationId: conversation.sId, messageId: agentMessages(conversation)[0].sId };
let text = "";
for await (const part of parley.messages.text(answer)) text += part;
const { invocation, outcome } = await parley.functions.invoke({
  functionId: "add",
  input: { a: 1, b: 2 },
});
const of = { functionId: invocation.functionId, invocationId: invocation.sId };
const types = [];
for await (const event of parley.invocations.follow(of)) types.push(event.type);
const error = await parley.conversations.get({ conversationId: "none" }).catch((reason) => reason);
const operator = createRpcClient({ url, apiKey: operatorKey });
const { workspace } = await operator.workspaces.create.mutate({ name: "Packed" });
const rpc = createRpcClient({ url, apiKey: async () => apiKey });
const wId = workspaceId;
const { sandboxFunction } = await operator.sandboxFunctions.create.mutate({
  wId,
  slug: "packed-echo",
  program: { type: "simulated", behaviour: { durationMs: 0, steps: [], result: "$" } },
});
const echoed = await rpc.sandboxFunctions.invoke.mutate({
  wId,
  functionId: sandboxFunction.sId,
  input: {
    date: new Date(0),
    bigint: 12n,
    map: new Map([["a", 1]]),
    set: new Set([1]),
    left: undefined,
  },
});
const expiresAt = new Date(4_000_000_000_000);
const created = await operator.apiKeys.create.mutate({ wId, name: "n", role: "user", expiresAt });
const subscribed = await new Promise((resolve, reject) => {
  let last;
  rpc.sandboxFunctions.events.subscribe({ wId: workspaceId, ...of }, {
    onData: ({ data }) => (last = data.type),
    onComplete: () => resolve(last),
    onError: reject,
  });
});
console.log(JSON.stringify({
  node: process.version,
  text,
  outcome,
  types,
  error: error instanceof ParleyError ? error.type + " " + error.status : String(error),
  workspace: workspace.name,
  echoed: echoed.outcome.result,
  expiresAt: created.apiKey.expiresAt,
  subscribed,
}));
`;

/** A module whose `useClient` makes calls and follows a stream, wherever there is a client of a server. */
export const useAnywhere = `
import { agentMessages, createParley } from "parley-client";
export async function useClient({ url: baseUrl, workspaceId, userKey: apiKey }, options = {}) {
  const parley = createParley({ baseUrl, workspaceId, apiKey, ...options });
  const { conversation } = await parley.conversations.create({
    message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
  });
  const [{ sId: messageId }] = agentMessages(conversation);
  let text = "";
  for await (const part of parley.messages.text({ conversationId: conversation.sId, messageId })) {
    text += part;
  }
  const { outcome } = await parley.functions.invoke({ functionId: "add", input: { a: 1, b: 2 } });
  const missing = parley.conversations.get({ conversationId: "none" });
  const error = await missing.catch(({ type, status }) => type + " " + status);
  return { text, outcome, error };
}
`;

/** What `useClient` gives for the demo. */
export const usedAnywhere = {
  text: "You said: Hello!\nI am a simulated agent, glad to help.",
  outcome: { status: "succeeded", result: { sum: 3 } },
  error: "conversation_not_found 404",
};

/** A module that mounts a component, presses its first button, and prints what it shows in the end. */
export const mountComponent = `
import { Window } from "happy-dom";
const [, , file, baseUrl, workspaceId, apiKey] = process.argv;
const window = new Window();
Object.assign(globalThis, { window, document: window.document });
const { createElement, StrictMode, useEffect } = await import("react");
const { createRoot } = await import("react-dom/client");
const { createParley } = await import("parley-client");
const [Component] = Object.values(await import(file));
const container = document.createElement("div");
document.body.append(container);
const parley = createParley({ baseUrl, workspaceId, apiKey });
const root = createRoot(container);
const until = async (isThere) => {
  for (let tries = 0; tries < 500 && !isThere(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
let effects = 0;
const Mounted = () => void useEffect(() => void effects++);
const children = [createElement(Component, { key: 0, parley }), createElement(Mounted, { key: 1 })];
root.render(createElement(StrictMode, null, children));
// StrictMode mounts everything twice.
await until(() => effects > 1);
container.querySelector("button").click();
await until(() => container.textContent.includes("glad to help"));
console.log([...container.querySelectorAll("p")].map((one) => one.textContent).join(" | "));
root.unmount();
await window.happyDOM.close();
`;

const likeNode = { module: "nodenext", moduleResolution: "nodenext" };
const likeBundlers = { module: "esnext", moduleResolution: "bundler" };
/** How types are compiled: by day with each compiler, and each way to find modules, once. */
export const compilations = isNightly
  ? ["typescript", "typescript-5"].flatMap((compiler) => [
      { compiler, ...likeNode },
      { compiler, ...likeBundlers },
    ])
  : [
      { compiler: "typescript", ...likeBundlers },
      { compiler: "typescript-5", ...likeNode },
    ];
