import { createRpcClient } from "parley-client";
import type { ErrorType } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, minimal, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// The interface: route and method → credential → workspace → rate limit → body size, type and
// JSON → schema → role → what the body refers to. Each fault is paired with each that is later.

const server = shareServer({
  PARLEY_RATE_CREATE_PER_MINUTE: "1",
  PARLEY_RATE_INVOKE_PER_MINUTE: "1",
  // The keys of all tests are of one workspace.
  PARLEY_RATE_WORKSPACE_FACTOR: "0",
});
const conversations = () => pathsOf(server()).conversations;

/** A new key, because a key's first create uses its limit up. */
async function createKey(role: "user" | "none"): Promise<string> {
  const { url, operatorKey, workspaceId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { secret } = await operator.apiKeys.create.mutate({
    wId: workspaceId,
    name: "order",
    role,
  });
  return secret;
}

interface Draft {
  method: string;
  path: string;
  role: "user" | "none";
  usedUp: boolean;
  key: string | undefined;
  contentType: string;
  /** Sent in place of the JSON. */
  body: string | undefined;
  message: Record<string, unknown>;
  members: Record<string, unknown>;
}

interface Fault {
  readonly name: string;
  /** Faults of one stage are not paired with each other. */
  readonly stage: number;
  readonly type: ErrorType;
  readonly apply: (draft: Draft) => void;
}

const wrong: ErrorType = "invalid_request_error";
const faults: Fault[] = [
  {
    name: "an unknown route",
    stage: 0,
    type: "not_found",
    apply: (draft) => (draft.path = draft.path.replace("assistant", "nobody")),
  },
  {
    name: "a wrong method",
    stage: 0,
    type: "method_not_supported_error",
    apply: (draft) => (draft.method = "PUT"),
  },
  {
    name: "a malformed key",
    stage: 1,
    type: "malformed_authorization_header_error",
    apply: (draft) => (draft.key = "nonsense"),
  },
  {
    name: "an unknown key",
    stage: 1,
    type: "invalid_api_key_error",
    apply: (draft) => (draft.key = "sk-nobody"),
  },
  {
    name: "a foreign workspace",
    stage: 2,
    type: "workspace_auth_error",
    apply: (draft) => (draft.path = draft.path.replace(/\/w\/\w+/, "/w/AAAAAAAAAA")),
  },
  {
    name: "a used-up limit",
    stage: 3,
    type: "rate_limit_error",
    apply: (draft) => (draft.usedUp = true),
  },
  {
    name: "an oversized body",
    stage: 4,
    type: "content_too_large",
    apply: (draft) => (draft.body = " ".repeat(8 * 1024 * 1024 + 1)),
  },
  {
    name: "malformed JSON",
    stage: 4,
    type: wrong,
    apply: (draft) => (draft.body = "{"),
  },
  {
    name: "a wrong content type",
    stage: 4,
    type: wrong,
    apply: (draft) => (draft.contentType = "text/plain"),
  },
  {
    name: "a body against the schema",
    stage: 5,
    type: wrong,
    apply: (draft) => (draft.members["blocking"] = "yes"),
  },
  {
    name: "a NUL in the body",
    stage: 5,
    type: wrong,
    apply: (draft) => (draft.message["content"] = "a\u0000b"),
  },
  {
    name: "too low a role",
    stage: 6,
    type: "app_auth_error",
    apply: (draft) => (draft.role = "none"),
  },
  {
    name: "an unknown model",
    stage: 7,
    type: "model_disabled",
    apply: (draft) => (draft.message["modelSelection"] = { providerId: "x", modelId: "y" }),
  },
  {
    name: "an unknown space",
    stage: 8,
    type: "space_not_found",
    apply: (draft) => (draft.members["spaceId"] = "vlt_AAAAAAAAAA"),
  },
  {
    name: "an unknown file",
    stage: 9,
    type: "file_not_found",
    apply: (draft) =>
      (draft.members["contentFragments"] = [{ title: "t", fileId: "fil_AAAAAAAAAA" }]),
  },
];

async function sendWith(applied: readonly Fault[]): Promise<Answer> {
  const draft: Draft = {
    method: "POST",
    path: conversations(),
    role: "user",
    usedUp: false,
    key: undefined,
    contentType: "application/json",
    body: undefined,
    message: { ...minimal.message },
    members: {},
  };
  for (const fault of applied) fault.apply(draft);
  const key = draft.key ?? (await createKey(draft.role));
  const request: Request = { path: conversations(), key, json: minimal };
  if (draft.usedUp && draft.key === undefined) await send(server(), request);
  const body = draft.body ?? JSON.stringify({ ...draft.members, message: draft.message });
  const { method, path } = draft;
  return send(server(), {
    method,
    path,
    key,
    headers: { "content-type": draft.contentType },
    body,
  });
}

function expectRefusal(answer: Answer, { type }: Fault): void {
  expectError(answer, type, type === "file_not_found" ? { status: 400 } : {});
}

test.for(faults)("$name alone is $type", async (fault) => {
  expectRefusal(await sendWith([fault]), fault);
});

test.for(faults)("$name comes before everything that is checked later", async (first) => {
  const later = faults.filter((fault) => fault.stage > first.stage);
  for (const second of later) {
    const answer = await sendWith([first, second]);
    expect(JSON.parse(answer.text), `${first.name} with ${second.name}`).toMatchObject({
      error: { type: first.type },
    });
  }
});

test("a request without faults is answered", async () => {
  expect((await sendWith([])).status).toBe(200);
});

test("the path is checked before the body, and both before the function is looked for", async () => {
  const { invocations } = pathsOf(server());
  const bad = { context: { timezone: "Mars/Base" } };
  const nul = await send(server(), { path: invocations("a%00b"), key: await userKey(), json: bad });
  expectError(nul, wrong, { message: "Invalid path parameters: functionId" });
  const unknown = { path: invocations("nothing"), key: await userKey(), json: bad };
  const answer = await send(server(), unknown);
  expectError(answer, wrong, { message: "Invalid request body: ", field: "context.timezone" });
  const none = { path: invocations("nothing"), key: await createKey("none"), json: {} };
  expectError(await send(server(), none), "app_auth_error");
});

const userKey = () => createKey("user");

test("a listing checks the query before the role", async () => {
  const { skills } = pathsOf(server());
  const key = await createKey("none");
  expectError(await send(server(), { path: skills, key }), "app_auth_error");
  const bad = await send(server(), { path: `${skills}?status=x&bypassEditorVisibility=true`, key });
  expectError(bad, wrong, { message: "Invalid query parameters: status" });
});

test.for(["/api/", "/api/sse/"])("a stream below %s checks in the same order", async (base) => {
  const path = pathsOf(server()).events("nothing", "sfi_AAAAAAAAAA").replace("/api/", base);
  const none = await createKey("none");
  expectError(await send(server(), { path, key: null }), "not_authenticated");
  expectError(await send(server(), { path, key: none }), "app_auth_error");
  const nul = path.replace("nothing", "%00");
  const malformed = await send(server(), { path: nul, key: none });
  expectError(malformed, wrong, { message: "Invalid path parameters: functionId" });
  expectError(await send(server(), { path }), "sandbox_function_not_found");
  const known = path.replace("nothing", "add");
  expectError(await send(server(), { path: known }), "sandbox_function_invocation_not_found");
});

test("a stream checks the cursor before the role and before it looks for the log", async () => {
  const events = pathsOf(server()).events("nothing", "sfi_AAAAAAAAAA");
  const path = `${events.replace("/api/", "/api/sse/")}?lastEventId=abc`;
  for (const key of [await createKey("none"), await createKey("user")]) {
    const answer = await send(server(), { path, key });
    expectError(answer, wrong, { message: "Invalid query parameters: lastEventId" });
  }
});
