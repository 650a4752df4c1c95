import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

const AT_ONCE = 16;
const ATTACK_MS = 12_000;
const REFUSED_MS = 20;

const text = (length: number) => "x".repeat(length);
const members = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":0`).join(",");
const nested = (depth: number) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;

/** What a body has beside its message, made once. */
const bodies = {
  "90,000 unknown members": members(90_000),
  "100,000 values": `"x":[${"0,".repeat(99_900)}0]`,
  "8 MiB": `"x":"${text(8 * 1024 * 1024 - 1024)}"`,
  "depth 64": `"x":[${`${nested(60)},`.repeat(1500)}0]`,
};

/** The doors that take bodies, with what each wants of a body. */
async function doorsOf(
  target: Target,
): Promise<Record<string, (rest: string) => [string, string]>> {
  const root = `/api/v1/w/${target.workspaceId}`;
  const conversations = `${root}/assistant/conversations`;
  const message = '"content":"x","mentions":[]';
  const created = await post(target, conversations, `{"message":{${message}}}`);
  const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
  return {
    create: (rest) => [conversations, `{"message":{${message}},${rest}}`],
    post: (rest) => [`${conversations}/${conversation.sId}/messages`, `{${message},${rest}}`],
    search: (rest) => [`${root}/search`, `{"query":"x",${rest}}`],
    rpc: (rest) => {
      return [
        "/rpc/conversations.create",
        `{"json":{"wId":"${target.workspaceId}","message":{${message}},${rest}}}`,
      ];
    },
  };
}

async function post({ urls, userKey }: Target, path: string, body: string) {
  const response = await fetch(urls[0] + path, {
    method: "POST",
    headers: { authorization: `Bearer ${userKey}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

const attackWith = (name: keyof typeof bodies): Attack => ({
  name: `bodies with ${name}, on 16 connections`,
  run: async (target) => {
    const doors = Object.values(await doorsOf(target)).map((door) => door(bodies[name]));
    const until = performance.now() + ATTACK_MS;
    const statuses = new Set<number>();
    const attack = async (_: unknown, index: number): Promise<void> => {
      for (let turn = index; performance.now() < until; turn++) {
        const { status } = await post(target, ...doors[turn % doors.length]!);
        statuses.add(status);
        // The test's own process is to have time for other things.
        if (status === 429) await sleep(REFUSED_MS);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
    expect([...statuses].filter((status) => ![200, 400, 404, 429].includes(status))).toEqual([]);
  },
});

export const unknownMembers = attackWith("90,000 unknown members");
export const manyValues = attackWith("100,000 values");
export const longBodies = attackWith("8 MiB");
export const deepBodies = attackWith("depth 64");
