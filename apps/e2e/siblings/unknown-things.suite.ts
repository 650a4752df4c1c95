import type { ErrorType } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, minimal, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "./calls.ts";

// The interface: foreign and unknown answer with the same bytes.

const fragment = { title: "t", content: "x", contentType: "text/plain" };

interface Route {
  readonly name: string;
  readonly method: string;
  /** Below the path of conversations. */
  readonly tail: (cId: string, mId: string) => string;
  readonly json?: unknown;
}

const ofConversations: Route[] = [
  { name: "get", method: "GET", tail: (cId) => `/${cId}` },
  { name: "update", method: "PATCH", tail: (cId) => `/${cId}`, json: { read: true } },
  { name: "delete", method: "DELETE", tail: (cId) => `/${cId}` },
  { name: "events", method: "GET", tail: (cId) => `/${cId}/events` },
  { name: "cancel", method: "POST", tail: (cId) => `/${cId}/cancel`, json: { messageIds: ["x"] } },
  { name: "post", method: "POST", tail: (cId) => `/${cId}/messages`, json: minimal.message },
  { name: "consumption", method: "GET", tail: (cId) => `/${cId}/consumption` },
  { name: "own feedback", method: "GET", tail: (cId) => `/${cId}/feedbacks` },
  { name: "summaries", method: "GET", tail: (cId) => `/${cId}/summaries` },
  { name: "add", method: "POST", tail: (cId) => `/${cId}/content_fragments`, json: fragment },
];

const ofMessages: Route[] = [
  {
    name: "feedback",
    method: "POST",
    tail: (cId, mId) => `/${cId}/messages/${mId}/feedbacks`,
    json: { thumbDirection: "up" },
  },
  { name: "retry", method: "POST", tail: (cId, mId) => `/${cId}/messages/${mId}/retry` },
  { name: "message events", method: "GET", tail: (cId, mId) => `/${cId}/messages/${mId}/events` },
];

/** The tests of asking for what is not there, or not the caller's. */
export function unknownThingsSuite(server: () => Server): void {
  const { create, get, operator, rpc } = createCalls(server);

  /** Expects the same bytes for each path, and gives them. */
  async function expectSame(requests: Request[], type: ErrorType): Promise<void> {
    const headers = { "x-request-id": "same" };
    const answers = await Promise.all(
      requests.map((request) => send(server(), { ...request, headers })),
    );
    for (const answer of answers) {
      expectError(answer, type);
      expect(answer.text).toBe(answers[0]?.text);
    }
  }

  const ids = (known: string) => [known, "AAAAAAAAAA", "x", "__proto__", "%C3%A9", "a".repeat(255)];

  test.for([...ofConversations, ...ofMessages])(
    "$name: another workspace's conversation is an unknown one",
    async ({ method, tail, json }) => {
      const { conversation } = await create("Hello", ["helper"], { blocking: true });
      const mId = answersOf(await get(conversation.sId))[0]?.sId ?? "";
      const { workspace, adminKey } = await operator().workspaces.create.mutate({ name: "Other" });
      const root = `/api/v1/w/${workspace.sId}/assistant/conversations`;
      const requests = ids(conversation.sId).map((cId) => ({
        method,
        path: root + tail(cId, mId),
        key: adminKey,
        json,
      }));
      await expectSame(requests, "conversation_not_found");
      if (method === "GET") {
        const direct = requests.map((one) => ({
          ...one,
          path: one.path.replace("api", "api/sse"),
        }));
        if (tail("", "").endsWith("/events")) await expectSame(direct, "conversation_not_found");
      }
      expect((await get(conversation.sId)).content).toHaveLength(2);
    },
  );

  test.for([...ofConversations, ...ofMessages])(
    "$name: a conversation in a space that is closed to the key is an unknown one",
    async ({ method, tail, json }) => {
      const { workspaceId, userKey } = server().demo;
      const mine = await rpc().apiKeys.create.mutate({ wId: workspaceId, name: "m", role: "user" });
      const { space } = await rpc().spaces.create.mutate({
        wId: workspaceId,
        name: "Closed",
        isRestricted: true,
        keyIds: [mine.apiKey.sId],
      });
      const root = `/api/v1/w/${workspaceId}/assistant/conversations`;
      const message = { content: "x", mentions: mentionOf("helper") };
      const body = { message, spaceId: space.sId, blocking: true };
      const created = await send(server(), { path: root, json: body, key: mine.secret });
      const { conversation } = JSON.parse(created.text) as Awaited<ReturnType<typeof create>>;
      const mId = conversation.content[1]?.[0]?.sId ?? "";
      const requests = [conversation.sId, "AAAAAAAAAA"].map((cId) => ({
        method,
        path: root + tail(cId, mId),
        key: userKey,
        json,
      }));
      await expectSame(requests, "conversation_not_found");
      // An admin's key that was not given the space does not reach it either.
      const { adminKey } = server().demo;
      const asAdmin = requests.map((request) => ({ ...request, key: adminKey }));
      await expectSame(asAdmin, "conversation_not_found");
      const own = { method, path: root + tail(conversation.sId, mId), key: mine.secret, json };
      expect((await send(server(), own)).status).toBeLessThan(400);
    },
  );

  test.for(ofMessages)(
    "$name: another conversation's message is an unknown one",
    async ({ method, tail, json }) => {
      const { conversation } = await create("Hello", ["helper"], { blocking: true });
      const mId = answersOf(await get(conversation.sId))[0]?.sId ?? "";
      const other = (await create("Other")).conversation.sId;
      const root = `/api/v1/w/${server().demo.workspaceId}/assistant/conversations`;
      const requests = ids(mId).map((id) => ({ method, path: root + tail(other, id), json }));
      await expectSame(requests, "message_not_found");
    },
  );

  test.for([...ofConversations, ...ofMessages])(
    "$name: an id that is malformed is refused before anything is looked for",
    async ({ method, tail, json }) => {
      const root = `/api/v1/w/${server().demo.workspaceId}/assistant/conversations`;
      for (const bad of ["a%00b", "a".repeat(256), "%ED%A0%80"]) {
        const answer = await send(server(), { method, path: root + tail(bad, "x"), json });
        expectError(answer, "invalid_request_error", { message: "Invalid path parameters: " });
      }
    },
  );
}
