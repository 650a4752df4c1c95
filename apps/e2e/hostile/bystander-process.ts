import { setTimeout as sleep } from "node:timers/promises";
import { createParley, createRpcClient } from "parley-client";
import type { Latencies, ToBystander } from "./bystander.ts";

// A process of its own: what an attack takes of the test's event loop must not be measured as the
// server's. Told to begin, it sends requests until it is told to end, and says how long they took.

/** Between the end of a bystander's request and its next of that kind. */
const PAUSE_MS = 40;

type Begin = Extract<ToBystander, { type: "begin" }>;
type Kind = keyof Latencies["p99"];

async function requestsOf({ urls, workspaceId, apiKey, builderKey, agentId, skillId }: Begin) {
  const builder = createRpcClient({ url: urls[0]!, apiKey: builderKey });
  const found = await builder.skills.get.query({ wId: workspaceId, skillId });
  let { version } = found;
  const clients = urls.map((baseUrl) => createParley({ baseUrl, workspaceId, apiKey }));
  let turn = 0;
  const next = () => clients[turn++ % clients.length]!;
  return {
    create: async () => {
      const { conversation } = await next().conversations.create({
        message: { content: "Well?", mentions: [{ configurationId: agentId }] },
        blocking: true,
      });
      const answer = conversation.content.flat().at(-1);
      if (answer?.type !== "agent_message" || answer.status !== "succeeded") {
        throw new Error(`A bystander's agent ended otherwise: ${JSON.stringify(answer)}`);
      }
    },
    list: async () => void (await next().skills.list()),
    invoke: async () => {
      const input = { a: 1, b: 2 };
      const { outcome } = await next().functions.invoke({ functionId: "add", input });
      if (outcome?.status !== "succeeded") {
        throw new Error(`A bystander's function ended otherwise: ${JSON.stringify(outcome)}`);
      }
    },
    render: async () => {
      const instructions = `# Skill\n\nIn its *${version}th* form.`;
      const update = { wId: workspaceId, skillId, version, instructions };
      version = (await builder.skills.update.mutate(update)).version;
    },
    livez: async () => {
      for (const url of urls) {
        const { status } = await fetch(`${url}/livez`);
        if (status !== 200) throw new Error(`/livez answered ${status}`);
      }
    },
  } satisfies Record<Kind, () => Promise<void>>;
}

function percentile(taken: readonly number[], part: number): number {
  const sorted = taken.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? Number.POSITIVE_INFINITY);
}

async function measure(begin: Begin, isOver: () => boolean): Promise<Latencies> {
  const requests = await requestsOf(begin);
  const measureKind = async (kind: Kind): Promise<number[]> => {
    const taken: number[] = [];
    while (!isOver()) {
      const startedAt = performance.now();
      await requests[kind]();
      taken.push(performance.now() - startedAt);
      await sleep(PAUSE_MS);
    }
    return taken;
  };
  const kinds = ["create", "list", "invoke", "render", "livez"] as const;
  const taken = await Promise.all(kinds.map(measureKind));
  const percentilesOf = (part: number) =>
    Object.fromEntries(
      kinds.map((kind, at) => [kind, percentile(taken[at] ?? [], part)]),
    ) as unknown as Latencies["p99"];
  return { p50: percentilesOf(0.5), p99: percentilesOf(0.99) };
}

let over = false;
process.on("message", (message: ToBystander) => {
  over = message.type === "end";
  if (message.type === "end") return;
  measure(message, () => over).then(
    (latencies) => process.send?.({ latencies }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
