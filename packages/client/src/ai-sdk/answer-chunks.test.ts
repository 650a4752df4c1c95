import { expect, test } from "vitest";
import { createParley } from "../parley.ts";
import { startScriptedServer, stream } from "../../testing/scripted-server.ts";
import { answerChunks, cursorAfter } from "./answer-chunks.ts";

const chunks = [
  { type: "start", messageId: "m" },
  { type: "text-delta", id: "text-1", delta: "Grüße" },
  { type: "chunk-of-the-future", of: [1] },
  { type: "finish", finishReason: "tool-calls" },
];
const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map(
  (data, index) => `id: 1.${index}\ndata: ${data}\n\n`,
);

test("chunks come once, wherever the stream is cut, and the last says where it was left", async () => {
  const bytes = new TextEncoder().encode(frames.join(": ping\n\n"));
  for (let cut = 0; cut < bytes.length; cut += 7) {
    await using server = await startScriptedServer(
      stream(bytes.subarray(0, cut), "cut"),
      (response, request) => {
        const cursor = new URL(request.url, "http://x").searchParams.get("lastEventId") ?? "0";
        const from = cursor === "0" ? 0 : Number(cursor.slice(2)) + 1;
        stream(frames.slice(from).join(""))(response, request);
      },
    );
    const parley = createParley({ baseUrl: server.url, workspaceId: "w", apiKey: "sk-1" });
    const followed = parley.messages.followChunks({ conversationId: "c", messageId: "m" });
    const read = await Array.fromAsync(answerChunks(followed, { conversationId: "c" }));
    const continueAfter = { lastEventId: "1.3" };
    const messageMetadata = { conversationId: "c", continueAfter };
    expect(read).toEqual([...chunks.slice(0, 3), { ...chunks[3], messageMetadata }]);
    expect(server.seen[0]?.url).toMatch("format=ai-sdk");
  }
});

test("an answer that an earlier version has left continues after its event", () => {
  expect(cursorAfter({ lastEventId: "7.2" })).toBe("7.2");
  expect(cursorAfter({ lastEventId: "7" })).toBe("7.999999999");
});
