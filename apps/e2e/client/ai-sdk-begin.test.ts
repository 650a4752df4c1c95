import { toChatMessages } from "parley-client/ai-sdk";
import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createClientOf } from "./clients.ts";

const server = shareServer();
const clientOf = createClientOf(server);

test("a chat begins with a conversation that was just created", async () => {
  const message = { content: "Hello!", mentions: [{ configurationId: "helper" }] };
  const created = await clientOf().conversations.create({ message, blocking: true });
  const messages = toChatMessages(created.conversation);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages.at(-1)?.parts).toContainEqual({ type: "text", text: expect.any(String) });
});
