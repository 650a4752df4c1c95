import { expect } from "vitest";
import type { Target as AttackTarget } from "./attack.ts";

type Target = Pick<AttackTarget, "urls" | "workspaceId" | "userKey">;

const MIB = 1024 * 1024;
const POSTS_AT_ONCE = 4;

/** Fills a conversation with so many mebibytes, and reads it as often at once. */
export async function readLargeConversation(
  target: Target,
  { mebibytes, readers }: { mebibytes: number; readers: number },
): Promise<void> {
  const conversations = `/api/v1/w/${target.workspaceId}/assistant/conversations`;
  const created = await call(target, conversations, { message: message("First") });
  expect(created.status).toBe(200);
  const { conversation } = (await created.json()) as { conversation: { sId: string } };
  const path = `${conversations}/${conversation.sId}`;

  const text = "x".repeat(MIB);
  let left = mebibytes;
  const post = async (): Promise<void> => {
    while (left-- > 0) {
      const posted = await call(target, `${path}/messages`, message(text));
      expect(posted.status).toBe(200);
      await posted.body?.cancel();
    }
  };
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, post));

  const lengths = await Promise.all(Array.from({ length: readers }, () => read(target, path)));
  expect(new Set(lengths).size).toBe(1);
  expect(lengths[0]).toBeGreaterThan(mebibytes * MIB);
}

function message(content: string) {
  return { content, mentions: [] };
}

async function call({ urls, userKey }: Target, path: string, json?: object): Promise<Response> {
  return fetch(urls[0] + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${userKey}`, "content-type": "application/json" },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

/** Reads an answer, of which nothing is kept, and gives its length. */
async function read(target: Target, path: string): Promise<number> {
  const answer = await call(target, path);
  expect(answer.status).toBe(200);
  let length = 0;
  for await (const chunk of answer.body!) length += (chunk as Uint8Array).length;
  return length;
}
