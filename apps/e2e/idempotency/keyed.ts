import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import { type Endpoint, endpoints, isKeyed } from "@parley/schema";
import { expect } from "vitest";
import { type Answer, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";

/** Names of the endpoints that take an Idempotency-Key. */
export const keyedEndpoints = Object.entries<Endpoint>(endpoints)
  .filter(([, endpoint]) => endpoint.kind === "json" && isKeyed(endpoint))
  .map(([name]) => name);

/** Sends requests with an Idempotency-Key, by default a new one for each sender. */
export function createSender(server: () => Server, key: string = randomUUID()) {
  return (request: Request, headers: Record<string, string> = {}): Promise<Answer> =>
    send(server(), { ...request, headers: { "idempotency-key": key, ...headers } });
}

/** A create in the demo workspace. */
export function createOf(server: () => Server, members: object = {}, mentions: string[] = []) {
  const message = {
    content: "Hello",
    mentions: mentions.map((configurationId) => ({ configurationId })),
  };
  return { path: pathsOf(server()).conversations, json: { message, ...members } };
}

/** Whether an answer is a replay; any other value of the header is an error. */
export function isReplay({ headers }: Answer): boolean {
  const header = headers.get("idempotent-replayed");
  if (header !== null) expect(header).toBe("true");
  return header !== null;
}

/** Every id in an answer; the first is that of what was made. */
export function idsIn({ text }: Answer): string[] {
  return [...text.matchAll(/"(?:sId|serverId|runId|authorizationUrl)":"([^"]+)"/g)].map(
    ([, sid = ""]) => sid,
  );
}

/** The answer's conversation, as far as these tests look at it. */
export function conversationIn(answer: Answer) {
  expect(`${answer.status} ${answer.text}`).toMatch(/^200 /);
  interface Message {
    sId: string;
    type: string;
    status?: string;
    content: string;
    error?: unknown;
  }
  const body = JSON.parse(answer.text) as {
    conversation: { sId: string; title: string; content: Message[][] };
    message: Message;
    warnings?: { path: string }[];
  };
  return body;
}

/** The ids of all conversations that a key sees. */
export async function listIds(server: Server, key?: string): Promise<string[]> {
  const path = `${pathsOf(server).conversations}?limit=100`;
  const { text } = await send(server, { path, ...(key !== undefined && { key }) });
  const { conversations } = JSON.parse(text) as { conversations: { sId: string }[] };
  return conversations.map(({ sId }) => sId);
}

/** Makes a key of the demo workspace. */
export async function makeKey(server: Server): Promise<string> {
  const { url, operatorKey, workspaceId } = server.demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const key = { wId: workspaceId, name: "idempotency", role: "user" } as const;
  return (await operator.apiKeys.create.mutate(key)).secret;
}
