import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { type Answer, expectError, minimal, open, send } from "../request.ts";
import { shareServer } from "../server.ts";

// Whoever administers a workspace makes keys at will, so what a key may do is not a bound on a workspace.

/** How many times its keys' limits a workspace has. */
const FACTOR = 2;

describe("a server", () => {
  const server = shareServer({
    PARLEY_RATE_CREATE_PER_MINUTE: "3",
    PARLEY_RATE_CREATE_PER_HOUR: "1000",
    PARLEY_RATE_WORKSPACE_FACTOR: String(FACTOR),
    PARLEY_MAX_STREAMS_PER_KEY: "2",
    PARLEY_MAX_STREAMS: "8",
  });

  /** A workspace of its own, whose admin makes keys. */
  async function createWorkspace() {
    const { url, operatorKey } = server().demo;
    const operator = createRpcClient({ url, apiKey: operatorKey });
    const { workspace, adminKey } = await operator.workspaces.create.mutate({ name: "Limits" });
    const workspaceId = workspace.sId;
    const admin = createRpcClient({ url, apiKey: adminKey });
    const conversations = `/api/v1/w/${workspaceId}/assistant/conversations`;
    return {
      conversations,
      createKey: async () => {
        const key = { wId: workspaceId, name: "one of many", role: "builder" } as const;
        return (await admin.apiKeys.create.mutate(key)).secret;
      },
      create: (key: string) => send(server(), { path: conversations, key, json: minimal }),
      list: async () => {
        const { text } = await send(server(), { path: conversations, key: adminKey });
        return (JSON.parse(text) as { conversations: unknown[] }).conversations;
      },
    };
  }

  const leftOf = (policy: string, { headers }: Answer) =>
    Number(new RegExp(`"${policy}";r=(\\d+);`).exec(headers.get("ratelimit") ?? "")?.[1]);

  test("an admin who makes keys gets no more creates than the workspace has", async () => {
    const { create, createKey, list } = await createWorkspace();
    const statuses = [];
    for (let key = 0; key < 5; key++) {
      const secret = await createKey();
      for (let call = 0; call < 3; call++) statuses.push((await create(secret)).status);
    }
    const made = 3 * FACTOR;
    expect(statuses).toEqual([...Array(made).fill(200), ...Array(15 - made).fill(429)]);
    expect(await list()).toHaveLength(made);
    const refused = await create(await createKey());
    expectError(refused, "rate_limit_error");
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(refused.headers.get("ratelimit-policy")).toContain('"create-workspace";q=6;w=60');
    expect([leftOf("create-workspace", refused), leftOf("create", refused)]).toEqual([0, 3]);
    // Nobody else's limit is touched.
    const other = await createWorkspace();
    expect((await other.create(await other.createKey())).status).toBe(200);
  });

  test("what is refused by the minute leaves the hour as it is, over REST and in batches", async () => {
    const { conversations, create, createKey } = await createWorkspace();
    const key = await createKey();
    for (let call = 0; call < 2; call++) expect((await create(key)).status).toBe(200);
    const wId = conversations.split("/")[4];
    const names = Array.from({ length: 40 }, () => "conversations.create");
    const input = { json: { wId, ...minimal } };
    const body = JSON.stringify(Object.fromEntries(names.map((_, at) => [at, input])));
    const headers = { "content-type": "application/json" };
    const batch = { path: `/rpc/${names.join(",")}?batch=1`, key, headers, body };
    for (let call = 0; call < 10; call++) {
      const answer = await send(server(), batch);
      expect([answer.status, leftOf("create-hour", answer)]).toEqual([429, 998]);
      const single = await create(key);
      expect([single.status, leftOf("create-hour", single)]).toEqual([429, 998]);
    }
    // The workspace has what the key was refused.
    expect((await create(await createKey())).status).toBe(200);
  });

  test("the keys of a workspace hold no more than half of the streams", async () => {
    const holder = await createWorkspace();
    const bystander = await createWorkspace();
    const stop = new AbortController();
    const follow = async ({ conversations }: typeof holder, cId: string, key: string) => {
      const path = `${conversations.replace("/api/", "/api/sse/")}/${cId}/events`;
      return (await open(server(), { path, key, signal: stop.signal })).status;
    };
    const idOf = ({ text }: Answer) =>
      (JSON.parse(text) as { conversation: { sId: string } }).conversation.sId;
    try {
      const cId = idOf(await holder.create(await holder.createKey()));
      const statuses = [];
      for (let key = 0; key < 4; key++) {
        const secret = await holder.createKey();
        for (let stream = 0; stream < 2; stream++) {
          statuses.push(await follow(holder, cId, secret));
        }
      }
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
      const key = await bystander.createKey();
      const other = idOf(await bystander.create(key));
      expect(await follow(bystander, other, key)).toBe(200);
    } finally {
      stop.abort();
    }
  });
});
