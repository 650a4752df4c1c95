import { expect } from "vitest";
import type { Attack } from "../attack.ts";

/** A call of the typed RPC whose annotations ask for a member at the end of an array of 2^32. */
export const annotatedInput: Attack = {
  name: "an input that is annotated to be huge",
  run: async ({ urls, userKey, workspaceId }) => {
    const input = {
      json: { wId: workspaceId, x: [] },
      meta: { values: { "x.4294967294": ["undefined"] } },
    };
    const query = new URLSearchParams({ input: JSON.stringify(input) });
    const response = await fetch(`${urls[0]}/rpc/skills.list?${query}`, {
      headers: { authorization: `Bearer ${userKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    expect(response.status).toBe(400);
  },
};
