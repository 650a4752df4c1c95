import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

const MEGABYTE = 1024 * 1024;
/** Bytes are filled natively, because the bystander shares this process. */
const repeat = (unit: string, count: number) => Buffer.alloc(unit.length * count, unit);
const time = '"2026-01-01T00:00:00.000Z"';

type Parts = readonly (string | Buffer)[];

/** Inputs of a function, and what their annotations ask for. */
const inputs: readonly { of: () => Parts; values: () => Parts; status?: number }[] = [
  {
    of: () => ['"/', repeat("(a", 3 * MEGABYTE), '/"'],
    values: () => ['{"input.x":["regexp"]}'],
  },
  { of: () => ['"', repeat("7", 6 * MEGABYTE), '"'], values: () => ['{"input.x":["bigint"]}'] },
  {
    // A Set with one member, as sent by a client that wrote it 49,001 times.
    of: () => ["[", repeat("0,", 49_000), "0]"],
    values: () => ['{"input.x":["set"]}'],
    status: 200,
  },
  { of: () => ["[", repeat("[0,0],", 30_000), "[]]"], values: () => ['{"input.x":["map"]}'] },
  {
    of: () => [time],
    values: () => ['{"input.x', repeat(".x", 3 * MEGABYTE), '":["Date"]}'],
  },
  {
    of: () => [time],
    values: () => ['{"input.', repeat("\\\\.", 2 * MEGABYTE), '":["Date"]}'],
  },
  { of: () => ["[]"], values: () => ['{"input.x.4294967294":["Date"]}'] },
  {
    of: () => ["[", repeat("[", 20_000), repeat("]", 20_000), "]"],
    values: () => [`{"input.x${".0".repeat(60)}":["set",{"${"0.".repeat(4000)}":["Date"]}]}`],
  },
];

/** Calls of the typed RPC whose annotations make much of little, or of megabytes. */
export const largeAnnotations: Attack = {
  name: "inputs whose annotations are dear to follow",
  run: async (target) => {
    for (const { of, values, status = 400 } of inputs) {
      expect(await invoke(target, of(), values())).toBe(status);
    }
  },
};

async function invoke(
  { urls, userKey, workspaceId }: Target,
  input: Parts,
  values: Parts,
): Promise<number> {
  const json = `{"json":{"wId":"${workspaceId}","functionId":"add","input":{"x":`;
  const parts = [json, ...input, '}},"meta":{"values":', ...values, "}}"];
  const response = await fetch(`${urls[0]}/rpc/sandboxFunctions.invoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${userKey}`, "content-type": "application/json" },
    body: Buffer.concat(parts.map((part) => Buffer.from(part))),
    signal: AbortSignal.timeout(15_000),
  });
  await response.arrayBuffer();
  return response.status;
}
