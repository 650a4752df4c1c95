import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";

// Two workspaces whose functions sleep for ten minutes, in more invocations than the server has places of any kind.

const server = shareServer({
  PARLEY_WORKER_CONCURRENCY: "8",
  PARLEY_SANDBOX_PROCESSES: "4",
});
const AT_ONCE = 12;
const sleeping = "export default () => new Promise((end) => setTimeout(end, 600_000));";

interface Tenant {
  readonly wId: string;
  readonly key: string;
}

async function createTenant(name: string, source: string): Promise<Tenant> {
  const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name });
  const wId = workspace.sId;
  const { secret: key } = await operator.apiKeys.create.mutate({ wId, name, role: "admin" });
  const rpc = createRpcClient({ url: server().url, apiKey: key });
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "work",
    program: { type: "javascript", source },
    timeoutMs: 600_000,
    maxConcurrent: 100,
  });
  return { wId, key };
}

const invoke = ({ wId, key }: Tenant, headers: Record<string, string> = {}) =>
  send(server(), {
    path: `/api/w/${wId}/sandbox-functions/work/invocations`,
    key,
    headers,
    json: { input: 41 },
  });

test("a third workspace's function answers while those of two sleep for ten minutes", async () => {
  const sleepers = [await createTenant("First", sleeping), await createTenant("Second", sleeping)];
  const third = await createTenant("Third", "export default (input) => input + 1;");
  const headers = { prefer: "respond-async" };
  const begun = await Promise.all(
    sleepers.flatMap((one) => Array.from({ length: AT_ONCE }, () => invoke(one, headers))),
  );
  const ids = begun.map(({ text }) => /"sId":"(sfi_\w+)"/.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(2 * AT_ONCE);
  let shortestMs = Infinity;
  for (let time = 0; time < 4; time++) {
    const startedAt = performance.now();
    expect((await invoke(third)).text).toContain('"result":42');
    shortestMs = Math.min(shortestMs, performance.now() - startedAt);
  }
  // Others use the machine too.
  expect(shortestMs).toBeLessThan(2000);
  for (const [index, id] of ids.entries()) {
    const { wId, key } = sleepers[Math.floor(index / AT_ONCE)]!;
    const path = `/api/w/${wId}/sandbox-functions/work/invocations/${id}`;
    expect((await send(server(), { path, key })).text).not.toContain("overloaded");
  }
});
