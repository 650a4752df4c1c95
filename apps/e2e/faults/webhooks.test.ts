import { setTimeout as sleep } from "node:timers/promises";
import { isNightly, testSeed } from "@parley/db/testing";
import { createParley, createRpcClient } from "parley-client";
import { expect, onTestFinished, test } from "vitest";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, eventually } from "../server.ts";
import { type Received, startReceiver } from "../webhooks/receiver.ts";
import { createRandom } from "./seeded-random.ts";

// Processes are killed between the commit of an event and its delivery: none is lost, and what comes twice has one id.

const KILLS = isNightly ? 200 : 8;
const REPLICAS = isNightly ? 4 : 2;
/** Answers that each kill meets. */
const ANSWERS = 6;

test(
  `${KILLS} kills of workers and APIs lose no delivery (seed ${testSeed})`,
  { timeout: isNightly ? 3_600_000 : 300_000 },
  async () => {
    const random = createRandom(testSeed);
    const below = (bound: number) => Math.floor(random() * bound);
    // They answer so late that kills meet deliveries that were sent, and not yet settled.
    const open = async () => {
      const receiver = await startReceiver((response) => {
        setTimeout(() => void response.writeHead(200).end(), below(30));
      });
      onTestFinished(receiver.close);
      return receiver;
    };
    const [loose, ordered] = [await open(), await open()];
    await using place = await createPlace();
    const settings = { PARLEY_PRIVATE_HOSTS: "127.0.0.1", PARLEY_LEASE_MS: "500" };
    await using fleet = await startFleet(place, { apis: REPLICAS, workers: REPLICAS }, settings);
    const { workspaceId: wId, adminKey: apiKey } = fleet.demo;
    const urlOf = () => fleet.apis.find((api) => api !== undefined)!.url;
    const rpc = () => createRpcClient({ url: urlOf(), apiKey });
    const events = ["message.succeeded" as const, "conversation.created" as const];
    await rpc().webhooks.create.mutate({ wId, url: loose.url, events });
    await rpc().webhooks.create.mutate({ wId, url: ordered.url, events, isOrdered: true });

    const acknowledged = new Set<string>();
    const ask = async () => {
      const parley = createParley({ baseUrl: urlOf(), workspaceId: wId, apiKey });
      const message = { content: "Hi", mentions: [{ configurationId: "helper" }] };
      const { conversation } = await parley.conversations.create({ message });
      acknowledged.add(conversation.sId);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      // What was not acknowledged may be there or not.
      const asking = Promise.allSettled(Array.from({ length: ANSWERS }, ask));
      await sleep(below(150));
      const index = below(REPLICAS);
      if (kill % 4 === 3) await fleet.replaceApi(index, "SIGKILL");
      else await fleet.replaceWorker(index, "SIGKILL");
      await asking;
    }
    expect(acknowledged.size).toBeGreaterThan((KILLS * ANSWERS) / 2);

    const { webhooks } = await rpc().webhooks.list.query({ wId });
    await eventually(async () => {
      const states = await Promise.all([
        ...webhooks.map(async ({ sId: webhookId }) => {
          const waiting = { wId, webhookId, status: "waiting", limit: 1 } as const;
          return (await rpc().webhooks.listDeliveries.query(waiting)).deliveries.length === 0;
        }),
        ...["waiting", "running", "suspended"].map(async (status) => {
          const found = await rpc().runs.list.query({ wId, status: status as "running", limit: 1 });
          return found.runs.length === 0;
        }),
      ]);
      return states.every(Boolean) ? { value: true } : {};
    }, 120_000);

    for (const { received } of [loose, ordered]) {
      const ids = idsOf(received);
      const lost = [...acknowledged].filter((id) =>
        events.some((event) => ids.get(`${event} ${id}`) === undefined),
      );
      expect(lost).toEqual([]);
      // What was sent again has the id that it had.
      expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    }
    const types = Map.groupBy(ordered.received, ({ json }) => json.data["conversationId"]);
    expect(
      types
        .values()
        .filter(([first]) => first!.json.type !== events[1])
        .toArray(),
    ).toEqual([]);
    expect(fleet.unexpected()).toEqual([]);
  },
);

/** The ids under which each event of a conversation was delivered. */
function idsOf(received: readonly Received[]): Map<string, Set<unknown>> {
  const ids = new Map<string, Set<unknown>>();
  for (const { json, headers } of received) {
    const event = `${json.type} ${String(json.data["conversationId"])}`;
    ids.getOrInsertComputed(event, () => new Set()).add(headers["webhook-id"]);
  }
  return ids;
}
