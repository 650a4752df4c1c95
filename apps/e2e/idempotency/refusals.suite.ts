import { randomUUID } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { expect, test } from "vitest";
import { expectError, minimal, pathsOf } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { conversationIn, createOf, createSender, isReplay, listIds, makeKey } from "./keyed.ts";

const fragment = { title: "T", content: "x", contentType: "text/plain" };

// The interface: which keys are refused, and which requests are the same.

/** The tests of keys that are refused, and of keys that do not meet. */
export function refusalsSuite(server: () => Server): void {
  const { create, rpc } = createCalls(server);
  const unknownModel = {
    message: { ...minimal.message, modelSelection: { providerId: "x", modelId: "y" } },
  };

  test("a key with another body is refused, and nothing is made", async () => {
    const sendOnce = createSender(server);
    const { conversation } = conversationIn(await sendOnce(createOf(server)));
    const before = await listIds(server());
    for (const members of [
      { blocking: false },
      { title: "Other" },
      { spaceId: server().demo.spaceId },
    ]) {
      expectError(await sendOnce(createOf(server, members)), "idempotency_key_mismatch", {
        message: "The Idempotency-Key was used with another body",
      });
    }
    expect(await listIds(server())).toEqual(before);
    const again = await sendOnce(createOf(server));
    expect(conversationIn(again).conversation.sId).toBe(conversation.sId);
  });

  test("a refused request leaves its key free", async () => {
    const sendOnce = createSender(server);
    expectError(await sendOnce(createOf(server, { title: 7 })), "invalid_request_error");
    expectError(await sendOnce(createOf(server, unknownModel)), "model_disabled");
    const first = await sendOnce(createOf(server));
    expect([first.status, isReplay(first)]).toEqual([200, false]);
  });

  test.for([
    ["an empty key", ""],
    ["a key of 256 characters", "k".repeat(256)],
    ["a key with a tab", "a\tb"],
  ] as const)("%s is refused, after everything else", async ([, key]) => {
    const sendOnce = createSender(server, key);
    const before = await listIds(server());
    const message = "Idempotency-Key: ";
    expectError(await sendOnce(createOf(server)), "invalid_request_error", { message });
    expectError(await sendOnce(createOf(server, unknownModel)), "model_disabled");
    const { conversation } = await create("Hello");
    const path = `${pathsOf(server()).conversations}/${conversation.sId}`;
    const requests = [
      { path: `${path}/messages`, json: { content: "x", mentions: [] } },
      { path: `${path}/content_fragments`, json: fragment },
      { path: `${path}/cancel`, json: { messageIds: [] } },
      { path: pathsOf(server()).invocations("add"), json: {} },
    ];
    for (const request of requests) {
      expectError(await sendOnce(request), "invalid_request_error", { message });
      const unknown = { ...request, path: request.path.replace(conversation.sId, "nobody") };
      if (unknown.path === request.path) continue;
      expectError(await sendOnce(unknown), "conversation_not_found");
    }
    const retry = {
      method: "POST",
      path: `${pathsOf(server()).conversations}/nobody/messages/x/retry`,
    };
    expectError(await sendOnce(retry), "conversation_not_found");
    const after = await listIds(server());
    expect(after).toEqual([conversation.sId, ...before]);
  });

  test.for([
    ["two keys", "Idempotency-Key: a\r\nIdempotency-Key: b\r\n", "Idempotency-Key: "],
    ["one key twice", "Idempotency-Key: a\r\nidempotency-key: a\r\n", "Idempotency-Key: "],
    ["a NUL", "Idempotency-Key: a\0b\r\n", "The request is not well-formed HTTP"],
    ["a control character", "Idempotency-Key: a\x01b\r\n", ""],
    ["DEL", "Idempotency-Key: a\x7fb\r\n", ""],
  ] as const)("a request with %s is refused", async ([, headers, message]) => {
    const text = await sendRaw(server(), headers);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    const body = JSON.parse(text.slice(text.indexOf("{"))) as { error: Record<string, string> };
    expect(body.error["type"]).toBe("invalid_request_error");
    expect(body.error["message"]).toContain(message);
  });

  test.for(["k", "k".repeat(255), "a, b", `"quoted"`, "é"])(
    "the key %j is taken",
    async (prefix) => {
      const key = (prefix + randomUUID()).slice(-255);
      const sendOnce = createSender(server, key.padStart(prefix.length, "k"));
      const first = conversationIn(await sendOnce(createOf(server)));
      const again = conversationIn(await sendOnce(createOf(server)));
      expect(again.conversation.sId).toBe(first.conversation.sId);
    },
  );

  test("a key is an API key's own, a route's own and a path's own", async () => {
    const sendOnce = createSender(server);
    const first = await create("Hello");
    const second = await create("Hello");
    const root = pathsOf(server()).conversations;
    const paths = [first, second].map(({ conversation }) => `${root}/${conversation.sId}/messages`);
    const message = { content: "x", mentions: [] };
    const requests = [
      createOf(server),
      { ...createOf(server), key: await makeKey(server()) },
      ...paths.map((path) => ({ path, json: message })),
      {
        path: paths[0]!.replace(/messages$/, "content_fragments"),
        json: fragment,
      },
    ];
    const answers = [];
    for (const request of requests) answers.push(await sendOnce(request));
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(
      requests.map(() => [200, false]),
    );
    for (const request of requests) expect(isReplay(await sendOnce(request))).toBe(true);
  });

  test("only what makes something by POST takes a key", async () => {
    const sendOnce = createSender(server, "");
    const { conversation } = await create("Hello");
    const path = `${pathsOf(server()).conversations}/${conversation.sId}`;
    expect((await sendOnce({ path })).status).toBe(200);
    const patched = await sendOnce({ method: "PATCH", path, json: { title: "New" } });
    expect([patched.status, isReplay(patched)]).toEqual([200, false]);
    const input = { json: { wId: server().demo.workspaceId, ...minimal } };
    const called = await sendOnce({ path: "/rpc/conversations.create", json: input });
    expect(called.status).toBe(200);
    expect((await sendOnce({ method: "DELETE", path })).status).toBe(200);
    expect(
      (await rpc().conversations.create.mutate({ wId: server().demo.workspaceId, ...minimal }))
        .message.content,
    ).toBe("Hello");
  });

  /** Sends a create with these header lines, which no client would send, and gives the answer. */
  async function sendRaw(to: Server, headers: string): Promise<string> {
    const { hostname, port } = new URL(to.url);
    const socket = net.connect(Number(port), hostname);
    const body = JSON.stringify(minimal);
    const path = pathsOf(to).conversations;
    socket.end(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Authorization: Bearer ${to.demo.adminKey}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`,
    );
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    await once(socket, "close");
    return text;
  }
}
