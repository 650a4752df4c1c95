import { expect } from "vitest";
import type { Attack } from "../attack.ts";

const CREATES = 300;
const REQUESTS = 20;

/** Batches whose names are encoded twice: one name to what charges them, many to what runs them. */
export const doublyEncodedBatches: Attack = {
  name: "batches that look like one cheap call",
  run: async ({ urls, workspaceId, userKey }) => {
    const names = Array.from({ length: CREATES }, () => "conversations.create").join("%252C");
    const message = { content: "One of 300", mentions: [] };
    const input = { json: { wId: workspaceId, message } };
    const inputs = Object.fromEntries(Array.from({ length: CREATES }, (_, at) => [at, input]));
    const headers = { authorization: `Bearer ${userKey}`, "content-type": "application/json" };
    for (let sent = 0; sent < REQUESTS; sent++) {
      const url = `${urls[sent % urls.length]}/rpc/${names}?batch=1`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(inputs) });
      expect([400, 429]).toContain(answer.status);
      expect(await answer.text()).not.toContain("One of 300");
    }
  },
};
