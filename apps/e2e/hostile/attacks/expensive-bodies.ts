import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

const AT_ONCE = 16;
const ATTACK_MS = 30_000;
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
  "3,000 values in 15 KB": `${'"":0,'.repeat(2999)}"":0`,
};

/** Agents with long instructions, of which a message mentions all. */
const MENTIONED = 50;
const INSTRUCTIONS = text(512 * 1024);

const silent = { content: "x", mentions: [] };

/** The doors that take bodies, with what each wants of a body. */
async function doorsOf(
  target: Target,
): Promise<Record<string, (rest: string) => [string, string]>> {
  const root = `/api/v1/w/${target.workspaceId}`;
  const conversations = `${root}/assistant/conversations`;
  const message = '"content":"x","mentions":[]';
  const created = await post(target, conversations, Buffer.from(`{"message":{${message}}}`));
  const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
  return {
    create: (rest) => [conversations, `{"message":{${message}},${rest}}`],
    post: (rest) => [`${conversations}/${conversation.sId}/messages`, `{${message},${rest}}`],
    search: (rest) => [`${root}/search`, `{"query":"x",${rest}}`],
    mcp: (rest) => ["/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list",${rest}}`],
    rpc: (rest) => {
      return [
        "/rpc/conversations.create",
        `{"json":{"wId":"${target.workspaceId}","message":{${message}},${rest}}}`,
      ];
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** Sends what is not copied for it: an attacker that shares the machine is to take little of it. */
async function post({ urls, userKey }: Target, path: string, body: Buffer) {
  const headers = {
    authorization: `Bearer ${userKey}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": body.length,
  };
  const sent = request(urls[0] + path, { method: "POST", headers, agent });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  // A refusal may come before all was sent, which ends the connection.
  sent.on("error", () => {});
  let answer = "";
  for await (const chunk of response.setEncoding("utf8")) answer += chunk;
  return { status: response.statusCode, text: answer };
}

/** Sends requests on many connections for a while, and counts what they are answered. */
async function flood(
  name: string,
  target: Target,
  requests: readonly (readonly [path: string, body: string])[],
): Promise<void> {
  const sent = requests.map(([path, body]) => [path, Buffer.from(body)] as const);
  const until = performance.now() + ATTACK_MS;
  const counts = new Map<number | undefined, number>();
  const attack = async (_: unknown, index: number): Promise<void> => {
    for (let turn = index; performance.now() < until; turn++) {
      const [path, body] = sent[turn % sent.length]!;
      const { status } = await post(target, path, body);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      // The test's own process is to have time for other things.
      if (status === 429) await sleep(REFUSED_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attack));
  process.stdout.write(`${name}: ${JSON.stringify(Object.fromEntries(counts))}\n`);
  const statuses = [...counts.keys()];
  expect(statuses.filter((status) => ![200, 400, 404, 429].includes(status ?? 0))).toEqual([]);
  // It waits for its turns too: refused are bodies beyond the bound of their endpoint, and what waits too long.
  expect(statuses.some((status) => status === 400 || status === 429)).toBe(true);
}

const attackWith = (name: keyof typeof bodies): Attack => ({
  name: `bodies with ${name}, on 16 connections`,
  run: async (target) => {
    const doors = Object.values(await doorsOf(target)).map((door) => door(bodies[name]));
    await flood(name, target, doors);
  },
});

export const unknownMembers = attackWith("90,000 unknown members");
export const manyValues = attackWith("100,000 values");
export const longBodies = attackWith("8 MiB");
export const deepBodies = attackWith("depth 64");
export const smallBodies = attackWith("3,000 values in 15 KB");

/** Messages that mention many agents with the longest instructions. */
export const manyMentions: Attack = {
  name: "50 mentions of agents with 512 KiB of instructions, on 16 connections",
  run: async (target) => {
    const { urls, workspaceId: wId, adminKey } = target;
    const rpc = createRpcClient({ url: urls[0], apiKey: adminKey });
    const mentions: { configurationId: string }[] = [];
    const prefix = Math.random().toString(36).slice(2);
    for (let index = 0; index < MENTIONED; index++) {
      const { agentConfiguration } = await rpc.agents.create.mutate({
        wId,
        name: `${prefix}-${index}`,
        description: "Has long instructions",
        instructions: INSTRUCTIONS,
        model: { providerId: "simulated", modelId: "simulated-1" },
        script: { steps: [{ text: "Yes." }], tokenDelayMs: 0 },
      });
      mentions.push({ configurationId: agentConfiguration.sId });
    }
    const conversations = `/api/v1/w/${wId}/assistant/conversations`;
    const created = await post(
      target,
      conversations,
      Buffer.from(JSON.stringify({ message: silent })),
    );
    const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
    const message = { content: "x", mentions };
    await flood("mentions", target, [
      [conversations, JSON.stringify({ message })],
      [`${conversations}/${conversation.sId}/messages`, JSON.stringify(message)],
      ["/rpc/conversations.create", JSON.stringify({ json: { wId, message } })],
    ]);
  },
};
