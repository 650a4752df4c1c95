import { createRpcClient } from "parley-client";
import type { AuditPage } from "@parley/schema";
import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

const REFUSALS = 2000;
/** Refusals of a request. */
const BATCH = 10;
/** Rows of one workspace in a window of ten seconds, of which the attack may see two, and others' own. */
const MAX_ROWS = 500;

/** How many rows of refusals the attacker's workspace has in the audit log. */
async function countRows({ urls, workspaceId, adminKey }: Target): Promise<number> {
  const admin = createRpcClient({ url: urls[0], apiKey: adminKey });
  let rows = 0;
  let lastValue: string | null = null;
  let hasMore: boolean;
  do {
    const query = { wId: workspaceId, action: "apiKeys.revoke", limit: 100, lastValue };
    const page: AuditPage = await admin.audit.list.query(query);
    rows += page.auditEvents.length;
    ({ hasMore, lastValue } = page);
  } while (hasMore && rows <= 2 * MAX_ROWS);
  return rows;
}

/** A key that may revoke nothing tries it as often as its limit lets. */
export const refusedMutations: Attack = {
  name: "a flood of mutations that are refused",
  run: async (target) => {
    const { urls, workspaceId, userKey } = target;
    const before = await countRows(target);
    const names = Array.from({ length: BATCH }, () => "apiKeys.revoke").join(",");
    const input = { json: { wId: workspaceId, keyId: "key_x" } };
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: BATCH }, (_, at) => [at, input])),
    );
    const headers = { authorization: `Bearer ${userKey}`, "content-type": "application/json" };
    for (let sent = 0; sent < REFUSALS; sent += BATCH) {
      const url = urls[(sent / BATCH) % urls.length] ?? urls[0];
      const answer = await fetch(`${url}/rpc/${names}?batch=1`, { method: "POST", headers, body });
      await answer.arrayBuffer();
      expect([403, 429]).toContain(answer.status);
    }
    expect((await countRows(target)) - before).toBeLessThan(MAX_ROWS * urls.length);
  },
};
