import { endpoints } from "@parley/schema";
import { jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

type Reached = Pick<Server, "url" | "demo">;

/** The ids of the conversations that there are, newest first. */
export async function listConversations(server: Reached): Promise<string[]> {
  const answer = await send(server, { path: pathsOf(server).conversations });
  const { conversations } = jsonOf(answer, endpoints["conversations.list"].output).parsed;
  return conversations.map(({ sId }) => sId);
}

/** The messages of a conversation, in their newest versions. */
export async function contentOf(server: Reached, sId: string) {
  const answer = await send(server, { path: `${pathsOf(server).conversations}/${sId}` });
  const { conversation } = jsonOf(answer, endpoints["conversations.get"].output).parsed;
  return conversation.content.flatMap((versions) => versions.at(-1) ?? []);
}

/** The messages of all conversations. */
export async function conversationsOf(server: Reached) {
  const ids = await listConversations(server);
  return Promise.all(ids.map(async (id) => contentOf(server, id)));
}
