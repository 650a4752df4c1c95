import { readFileSync } from "node:fs";
import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { isNightly } from "@parley/db/testing";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";

// Functions that take whatever they get, beside a workspace that wants its answers. How much longer it
// waits for them is measured by `bench bystander`.

// Its memory is read: nothing else may run in its process.
const server = shareServer({}, { isAlone: true });
const HOSTILE = isNightly ? 100 : 24;
const CALLS = isNightly ? 150 : 50;
const AT_ONCE = 4;
/** What a server may keep of a flood, in MiB: its caches, and what its allocator holds. */
const KEPT_MIB = 100;

interface Tenant {
  readonly wId: string;
  readonly key: string;
}

async function createTenant(name: string): Promise<Tenant> {
  const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name });
  const wId = workspace.sId;
  const { secret } = await operator.apiKeys.create.mutate({ wId, name, role: "admin" });
  return { wId, key: secret };
}

async function createFunction({ wId, key }: Tenant, slug: string, source: string): Promise<void> {
  const rpc = createRpcClient({ url: server().url, apiKey: key });
  const program = { type: "javascript", source, cpuMs: 400 } as const;
  await rpc.sandboxFunctions.create.mutate({ wId, slug, program, maxConcurrent: 100 });
}

const pathOf = ({ wId }: Tenant, slug: string) =>
  `/api/w/${wId}/sandbox-functions/${slug}/invocations`;

/** Calls a function again and again; each call must succeed. */
async function callOften(tenant: Tenant): Promise<void> {
  let left = CALLS;
  const call = async (): Promise<void> => {
    while (left-- > 0) {
      const path = pathOf(tenant, "add");
      const { text } = await send(server(), { path, key: tenant.key, json: { input: 41 } });
      expect(text).toContain('"result":42');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
}

const residentMiB = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server().demo.pid}/status`, "utf8"))?.[1]) /
  1024;

test("a workspace is served while another floods the sandbox, and the memory comes back", async () => {
  const bystander = await createTenant("Bystander");
  const flooder = await createTenant("Flooder");
  await createFunction(bystander, "add", "export default (input) => input + 1;");
  await createFunction(
    flooder,
    "flood",
    `export default (kind) => {
      if (kind === 0) for (;;);
      if (kind === 1) { const all = []; for (;;) all.push(new Array(1e4).fill(1)); }
      if (kind === 2) return new Array(1e9) + "";
      let text = "x";
      for (;;) text += text;
    };`,
  );
  await callOften(bystander);
  const before = residentMiB();
  const headers = { prefer: "respond-async" };
  const begun = await Promise.all(
    Array.from({ length: HOSTILE }, (_, index) => {
      const path = pathOf(flooder, "flood");
      return send(server(), { path, key: flooder.key, headers, json: { input: index % 4 } });
    }),
  );
  const ids = begun.map(({ text }) => /"sId":"(sfi_\w+)"/.exec(text)?.[1] ?? "");
  await callOften(bystander);
  const read = async (): Promise<string[]> => {
    const path = pathOf(flooder, "flood");
    const answers = ids.map((id) => send(server(), { path: `${path}/${id}`, key: flooder.key }));
    return (await Promise.all(answers)).map(({ text }) => /"code":"(\w+)"/.exec(text)?.[1] ?? "");
  };
  await expect.poll(read, { interval: 500, timeout: 120_000 }).not.toContain("");
  const codes = new Set(await read());
  // On a busy machine, the last wait for a process until they are refused.
  codes.delete("overloaded");
  expect([...codes].toSorted()).toEqual(["cpu_exceeded", "out_of_memory", "threw"]);
  await expect
    .poll(residentMiB, { interval: 500, timeout: 30_000 })
    .toBeLessThan(before + KEPT_MIB);
}, 240_000);
