import { ErrorBody, type ErrorType, errorTable } from "@parley/schema";
import { expect } from "vitest";
import type { Server } from "./server.ts";

export interface Request {
  readonly method?: string;
  readonly path: string;
  /** The API key; the admin's by default, null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one request as it is described, follows no redirect, and reads the whole answer. */
export async function send(
  server: Pick<Server, "url" | "demo">,
  request: Request,
): Promise<Answer> {
  const response = await open(server, request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Answers that are left open: `fetch` closes the connection of one that is collected as garbage. */
const leftOpen = new Set<Response>();

/** Sends a request and leaves the body of the answer to be read, or open until the signal. */
export async function open(
  { url, demo }: Pick<Server, "url" | "demo">,
  { method, path, key = demo.adminKey, headers = {}, json, body, signal }: Request,
): Promise<Response> {
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(url + path, {
    method: method ?? (content === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(signal && { signal }),
    // As bytes, because fetch gives strings a content type of its own.
    ...(content !== undefined && { body: Buffer.from(content) }),
  });
  if (signal?.aborted === false) {
    leftOpen.add(response);
    signal.addEventListener("abort", () => leftOpen.delete(response), { once: true });
  }
  return response;
}

/** The JSON of an answer of this status, which the schema must take. */
export function jsonOf<T>(
  answer: Answer,
  schema: { parse(value: unknown): T },
  status = 200,
): { raw: unknown; parsed: T } {
  expect(`${answer.status} ${answer.text}`).toMatch(new RegExp(`^${status} `));
  expect(answer.headers.get("content-type")).toMatch(/^application\/json(?:; charset=utf-8)?$/);
  const raw: unknown = JSON.parse(answer.text);
  return { raw, parsed: schema.parse(raw) };
}

interface Expected {
  /** The table's status by default. */
  readonly status?: number;
  readonly message?: string | RegExp;
  /** A field that an issue names. */
  readonly field?: string;
}

/** Expects the error envelope and nothing beside it. */
export function expectError(answer: Answer, type: ErrorType, expected: Expected = {}): void {
  const { status = errorTable[type].status, message, field } = expected;
  const { raw, parsed } = jsonOf(answer, ErrorBody, status);
  const { error } = parsed;
  expect(Object.keys(raw as ErrorBody)).toEqual(["error"]);
  const members = new Set(["type", "message", "request_id", "issues"]);
  expect(Object.keys((raw as ErrorBody).error).filter((key) => !members.has(key))).toEqual([]);
  expect(`${error.type}: ${error.message}`).toMatch(new RegExp(`^${type}: `));
  expect(error.message).not.toBe("");
  expect(error.request_id).toBe(answer.headers.get("x-request-id"));
  if (typeof message === "string") expect(error.message.slice(0, message.length)).toBe(message);
  if (message instanceof RegExp) expect(error.message).toMatch(message);
  if (field !== undefined) {
    expect(error.message).toContain(field);
    if (error.issues) expect(error.issues.map((issue) => issue.path)).toContain(field);
  }
}

/** Paths of the public API in the demo workspace. */
export function pathsOf({ demo }: Pick<Server, "demo">) {
  const functions = `/api/w/${demo.workspaceId}/sandbox-functions`;
  return {
    workspace: `/api/v1/w/${demo.workspaceId}`,
    conversations: `/api/v1/w/${demo.workspaceId}/assistant/conversations`,
    skills: `/api/v1/w/${demo.workspaceId}/skills`,
    functions,
    invocations: (idOrSlug: string) => `${functions}/${idOrSlug}/invocations`,
    events: (idOrSlug: string, invocationId: string) =>
      `${functions}/${idOrSlug}/invocations/${invocationId}/events`,
  };
}

/** The least body that creates a conversation. */
export const minimal = { message: { content: "Hello", mentions: [] } };
