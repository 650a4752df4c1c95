import { once } from "node:events";
import net from "node:net";
import { CreatedConversation, endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { formType, right, writeForm } from "../files/forms.ts";
import { jsonOf, pathsOf, send } from "../request.ts";
import { createPlace, eventually, type Server, startServer } from "../server.ts";

// A server that is alone on its data directory owes nothing to the one before it, which has died.

const tenMinutes = String(600_000);

test(
  "a run and an upload of a server that was killed are free once it starts again",
  { timeout: 90_000 },
  async () => {
    await using place = await createPlace({ isEmbedded: true });
    const first = await startServer(place, { PARLEY_LEASE_MS: tenMinutes });
    const { conversations } = pathsOf(first);
    const mentions = [{ configurationId: "slowpoke" }];
    const json = { message: { content: "Wait for me", mentions } };
    const created = jsonOf(await send(first, { path: conversations, json }), CreatedConversation);
    const conversation = `${conversations}/${created.parsed.conversation.sId}`;
    const answer = created.parsed.conversation.content[1]?.[0];
    const stream = `${conversation}/messages/${answer?.sId}/events`.replace("/api/", "/api/sse/");
    // Once it has said something, the run is a worker's.
    const response = await fetch(first.url + stream, {
      headers: { authorization: `Bearer ${first.demo.adminKey}` },
    });
    await response.body?.getReader().read();

    const files = conversations.replace("assistant/conversations", "files");
    const announced = { contentType: "text/plain", fileName: "a.txt", fileSize: 5 };
    const file = JSON.parse(
      (await send(first, { path: files, json: { ...announced, useCase: "conversation" } })).text,
    ) as { file: { uploadUrl: string } };
    const target = new URL(file.file.uploadUrl);
    const upload = `${target.pathname}${target.search}`;
    const post = (server: Server, body = writeForm([right])) =>
      send(server, {
        path: upload,
        body,
        headers: { "content-type": formType },
      });
    let socket = await beginUpload(first, upload);
    const refused = await eventually(async () => {
      const value = await post(first, writeForm([]));
      if (value.text.includes("by another request")) return { value };
      // Of the two, this one was the first, and the other was refused.
      if (socket.bytesRead > 0) socket = await beginUpload(first, upload);
      return {};
    }, 20_000);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await first.kill();
    socket.destroy();

    await using second = await startServer(place, { PARLEY_LEASE_MS: tenMinutes });
    expect((await post(second)).status).toBe(200);
    const { output } = endpoints["conversations.get"];
    const ended = await eventually(async () => {
      const read = jsonOf(await send(second, { path: conversation }), output).parsed;
      const value = read.conversation.content[1]?.[0];
      return value?.type === "agent_message" && value.status !== "created" ? { value } : {};
    }, 30_000);
    expect(ended).toMatchObject({ status: "succeeded" });
  },
);

/** Sends the head of a form and nothing more. */
async function beginUpload({ url, demo }: Server, path: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${demo.adminKey}`,
      `Content-Type: ${formType}`,
      "Content-Length: 100000",
      "",
      writeForm([right]).slice(0, 60),
    ].join("\r\n"),
  );
  socket.resume();
  return socket;
}
