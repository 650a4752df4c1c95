import { createRpcClient, type RpcClient } from "parley-client";
import type { Conversation } from "@parley/schema";
import { expect, test } from "vitest";
import { open, pathsOf, send } from "../request.ts";
import { shareServer, within } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// A stream goes no further than a request for it would: what takes the space or the role from its key
// ends it, over both transports.

const server = shareServer();
const calls = createCalls(server);

interface Loss {
  readonly admin: RpcClient;
  readonly workspaceId: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly insiderId: string;
}

const losses: {
  readonly name: string;
  readonly isOpenBefore?: boolean;
  readonly refusal: string;
  readonly lose: (loss: Loss) => Promise<unknown>;
}[] = [
  {
    name: "the space is given to other keys",
    refusal: "conversation_not_found",
    lose: ({ admin, workspaceId, spaceId, insiderId }) =>
      admin.spaces.update.mutate({ wId: workspaceId, spaceId, keyIds: [insiderId] }),
  },
  {
    name: "the key is given other spaces",
    refusal: "conversation_not_found",
    lose: ({ admin, workspaceId, keyId }) =>
      admin.apiKeys.update.mutate({ wId: workspaceId, keyId, spaceIds: [] }),
  },
  {
    name: "an open space is restricted",
    isOpenBefore: true,
    refusal: "conversation_not_found",
    lose: ({ admin, workspaceId, spaceId, insiderId }) =>
      admin.spaces.update.mutate({
        wId: workspaceId,
        spaceId,
        isRestricted: true,
        keyIds: [insiderId],
      }),
  },
  {
    name: "the key loses its role",
    refusal: "app_auth_error",
    lose: ({ admin, workspaceId, keyId }) =>
      admin.apiKeys.update.mutate({ wId: workspaceId, keyId, role: "none" }),
  },
  {
    name: "the conversation is deleted",
    refusal: "",
    lose: async () => {},
  },
];

/** Reads a stream to its end, which must come soon, however it comes. */
async function readToEnd(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
  return text;
}

test.for(losses)(
  "ends the open streams of a key, and no other's, once $name",
  async ({ name, isOpenBefore = false, refusal, lose }) => {
    const { workspaceId, adminKey } = server().demo;
    const admin = createRpcClient({ url: server().url, apiKey: adminKey });
    const createKey = (role: "user" | "builder") =>
      admin.apiKeys.create.mutate({ wId: workspaceId, name: role, role });
    const [loser, insider] = [await createKey("user"), await createKey("builder")];
    const keyIds = [loser.apiKey.sId, insider.apiKey.sId];
    const { space } = await admin.spaces.create.mutate({
      wId: workspaceId,
      name: "Closed",
      isRestricted: !isOpenBefore,
      keyIds,
    });
    const steps = [{ text: "word ".repeat(2000) }];
    const agentId = await calls.createAgent("Long", { steps, tokenDelayMs: 100 });
    const path = pathsOf(server()).conversations;
    const created = await send(server(), {
      path,
      key: insider.secret,
      json: {
        spaceId: space.sId,
        message: { content: "x", mentions: mentionOf(agentId) },
      },
    });
    const { conversation } = JSON.parse(created.text) as { conversation: Conversation };
    const cId = conversation.sId;
    const mId = conversation.content.at(-1)!.at(-1)!.sId;
    const tails = [`/${cId}/events`, `/${cId}/messages/${mId}/events`];
    const inputOf = (json: object) => encodeURIComponent(JSON.stringify({ json }));
    const ofConversation = { wId: workspaceId, cId };
    const paths = [
      ...tails.map((tail) => path.replace("/api/", "/api/sse/") + tail),
      `/rpc/conversations.events?input=${inputOf(ofConversation)}`,
      `/rpc/messages.events?input=${inputOf({ ...ofConversation, mId })}`,
    ];
    const opened = await Promise.all(
      paths.map((one) => open(server(), { path: one, key: loser.secret })),
    );
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const read = opened.map(readToEnd);
    const bystander = await open(server(), { path: paths[0]!, key: insider.secret });

    const ids = { workspaceId, spaceId: space.sId, keyId: keyIds[0]!, insiderId: keyIds[1]! };
    const isDeleted = name === "the conversation is deleted";
    await lose({ admin, ...ids });
    if (isDeleted) {
      await send(server(), { method: "DELETE", path: `${path}/${cId}`, key: insider.secret });
    }
    const texts = await within(3000, Promise.all(read));
    for (const text of texts.slice(2)) expect(text).toContain(refusal);
    if (isDeleted) return;
    const json = { content: "written afterwards", mentions: [] };
    await send(server(), { path: `${path}/${cId}/messages`, json, key: insider.secret });
    expect(texts.join("")).not.toContain("written afterwards");
    let seen = "";
    const decoder = new TextDecoder();
    for await (const chunk of bystander.body!) {
      seen += decoder.decode(chunk, { stream: true });
      if (seen.includes("written afterwards")) break;
    }
    await send(server(), { method: "DELETE", path: `${path}/${cId}`, key: insider.secret });
  },
);

test("ends the streams of a key that is lowered to user, of what other keys have created", async () => {
  const { workspaceId, adminKey } = server().demo;
  const admin = createRpcClient({ url: server().url, apiKey: adminKey });
  const { apiKey, secret } = await admin.apiKeys.create.mutate({
    wId: workspaceId,
    name: "lowered",
    role: "builder",
  });
  const { conversation } = await calls.create("Hello");
  const cId = conversation.sId;
  const path = `${pathsOf(server()).conversations}/${cId}/events`.replace("/api/", "/api/sse/");
  const input = encodeURIComponent(JSON.stringify({ json: { wId: workspaceId, cId } }));
  const paths = [path, `/rpc/conversations.events?input=${input}`];
  const opened = await Promise.all(paths.map((one) => open(server(), { path: one, key: secret })));
  expect(opened.map(({ status }) => status)).toEqual([200, 200]);
  const keyId = apiKey.sId;
  await admin.apiKeys.update.mutate({ wId: workspaceId, keyId, role: "user" });
  await within(3000, Promise.all(opened.map(readToEnd)));
  expect((await open(server(), { path, key: secret })).status).toBe(404);
});
