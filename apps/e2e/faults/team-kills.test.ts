import { type FakeService, startFakeService } from "@parley/agent/testing";
import type { SimulatedScript } from "@parley/schema";
import { isNightly } from "@parley/db/testing";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, type Place, type ServerProcess, startServer } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame } from "../siblings/sibling-shapes.ts";

/** A server that has just started may renew its leases late: a turn that dies twice ends. */
const lease = { PARLEY_LEASE_MS: "6000" };
const TREES = isNightly ? 24 : 2;
/** The model of agents that ask others, and of those that only answer. */
const asks = { providerId: "openai_compatible", modelId: "asks" };
const answers = { providerId: "openai_compatible", modelId: "answers" };

const next = { name: "ask_next", params: { task: "Go on" } };
const pace = { tokenDelayMs: 100 };
const asking = (width: number): SimulatedScript => ({
  steps: [
    { text: "One ", toolCalls: Array.from({ length: width }, () => next) },
    { text: "two three. {{result}}" },
  ],
  ...pace,
});
const plain: SimulatedScript = { steps: [{ text: "One two three." }], ...pace };

interface Node {
  readonly id: string;
  readonly status: string;
  readonly error: unknown;
  /** The call that asked; null for the first answer. */
  readonly parent: number | null;
  readonly run: string;
  /** Whether its log is open, or one of its calls. */
  readonly isOpen: boolean;
  /** Terminal events in its log. */
  readonly ends: number;
  readonly steps: number;
  readonly tokens: number;
  /** Steps whose tokens were counted. */
  readonly counted: number;
  /** Billed calls of its model, and what they cost in billionths: from the ledger, and by hand. */
  readonly calls: number;
  readonly amount: string;
  readonly priced: string;
}

/** What a million tokens cost. */
const price = { input: "1", output: "10" };

const nodesOf = `
  select m.sid as id, m.status, m.error, c.parent_action_id::float8 as parent, r.status as run,
    l.closed_at is null or exists (select from actions a where a.message_id = m.id
      and (a.status = 'running' or starts_with(a.status, 'blocked_'))) as "isOpen",
    (select count(*)::int from events e where e.log_id = m.sid
      and e.type in ('agent_message_success', 'agent_error', 'agent_generation_cancelled')) as ends,
    jsonb_array_length(coalesce(m.steps, '[]'))::int as steps,
    (select coalesce(sum((s ->> 'inputTokens')::int + (s ->> 'outputTokens')::int), 0)::int
      from jsonb_array_elements(coalesce(m.steps, '[]')) s) as tokens,
    (select count(s ->> 'outputTokens')::int from jsonb_array_elements(coalesce(m.steps, '[]')) s) as counted,
    (select count(*)::int from usage_entries u where u.log_id = m.sid) as calls,
    (select coalesce(sum(u.amount), 0)::text from usage_entries u where u.log_id = m.sid) as amount,
    (select coalesce(sum((s ->> 'inputTokens')::int * 1000 + (s ->> 'outputTokens')::int * 10000), 0)::text
      from jsonb_array_elements(coalesce(m.steps, '[]')) s) as priced
  from conversations root
  join conversations c on c.id = root.id or c.root_id = root.id
  join messages m on m.conversation_id = c.id and m.type = 'agent_message'
  join logs l on l.id = m.sid join runs r on r.log_id = m.sid
  where root.sid = $1 order by m.id`;

// Trees of agents, each of which asks one to three others, on a server that is killed again and again.
describe("agents that ask others while their server is killed", () => {
  let place: Place;
  let server: ServerProcess;
  let database: pg.Client;
  let agents = 0;
  let service: FakeService;
  let settings: Record<string, string>;
  const calls = createCalls(() => server);
  beforeAll(async () => {
    service = await startFakeService();
    const widths = fc.sample(fc.integer({ min: 1, max: 3 }), 1000);
    service.onRequest = () => {
      const { body, step = 0 } = service.requests.at(-1) ?? {};
      // One whose step was lost may ask for more or fewer than before.
      const width = step === 0 ? widths.pop() : 0;
      service.script = body?.["model"] === asks.modelId ? asking(width ?? 1) : plain;
    };
    settings = { ...lease, PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1` };
    place = await createPlace();
    server = await startServer(place, settings);
    database = new pg.Client({ connectionString: place.databaseUrl });
    await database.connect();
    const { workspaceId: wId } = server.demo;
    await calls.rpc().workspaces.update.mutate({ wId, enableModels: [asks, answers] });
    for (const model of [asks, answers]) {
      await calls.rpc().prices.set.mutate({ wId, ...model, ...price });
    }
  });
  afterAll(async () => {
    await database.end();
    await server[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    await service.close();
  });

  const createAgent = async (given: object, asked?: string) => {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server.demo.workspaceId,
      name: `agent ${++agents}`,
      description: "",
      model: asked === undefined ? answers : asks,
      team: asked === undefined ? [] : [{ agentId: asked, name: "next" }],
      ...given,
    });
    return agentConfiguration.sId;
  };

  it("give each task once, and answer with what the tasks said", async () => {
    const model = { providerId: "simulated", modelId: "simulated-1" } as const;
    const middle = await createAgent(
      { model, script: asking(2) },
      await createAgent({ model, script: plain }),
    );
    const agentId = await createAgent({ model, script: asking(2) }, middle);
    for (let tree = 0; tree < TREES; tree++) {
      const { conversation } = await calls.create("Go on", [agentId]);
      const { sId: cId } = conversation;
      // The time of the kill is what varies; nothing is expected at it.
      await sleep(100 + ((tree * 130) % 1000));
      await restart();
      await readToEnd(cId);
      const nodes = await expectWhole(cId);
      expect(nodes).toHaveLength(7);
      for (const node of nodes) expect(node.status, JSON.stringify(node)).toBe("succeeded");
      expect(answersOf(await calls.get(cId))[0]).toMatchObject({
        status: "succeeded",
        content: "One two three. One two three. One two three.",
      });
      // Two steps of each that asks, and one of each leaf.
      const { total } = await consumptionOf(cId);
      expect(total).toMatchObject({ answers: 7, steps: 10, toolCalls: 6 });
    }
  });

  // An answer of a service that was killed after its first words fails, and the one that has asked continues.
  it("cost what their answers cost", async () => {
    const middle = await createAgent({}, await createAgent({}));
    const tops = [middle, await createAgent({}, middle)];
    const depths = fc.sample(fc.constantFrom(1, 2), { numRuns: TREES - 1 });
    for (const [tree, depth] of [2, ...depths].entries()) {
      const { conversation } = await calls.create("Go on", [tops[depth - 1]!]);
      const { sId: cId } = conversation;
      const { sId: mId } = answersOf(await calls.get(cId))[0]!;
      const events = await calls.stream(`/${cId}/messages/${mId}/events?include=children`);
      for await (const { data } of readFrames(events)) {
        if (JSON.stringify(data).includes('"agent_task_started"')) break;
      }
      await sleep((tree * 130) % 1000);
      await restart();
      await readToEnd(cId);
      const nodes = await expectWhole(cId);
      expect(nodes[0]).toMatchObject({ status: "succeeded", counted: 2 });
      const { total } = await consumptionOf(cId);
      expect(total).toMatchObject({ answers: nodes.length, toolCalls: nodes.length - 1 });
      const billionths = nodes.reduce((all, { amount }) => all + BigInt(amount), 0n);
      expect(billionths).toBeGreaterThan(0n);
      expect(BigInt(Math.round(Number(total.cost?.amount) * 1e9))).toBe(billionths);
    }
  });

  it("leave nothing under way once they are cancelled", async () => {
    const middle = await createAgent({}, await createAgent({}));
    const agentId = await createAgent({}, middle);
    for (let tree = 0; tree < TREES; tree++) {
      const { conversation } = await calls.create("Go on", [agentId]);
      const { sId: cId } = conversation;
      const messageIds = answersOf(await calls.get(cId)).map(({ sId }) => sId);
      // The times of both vary; nothing is expected at them.
      await sleep(50 + ((tree * 270) % 900));
      const cancelling = calls
        .call("POST", `/${cId}/cancel`, { json: { messageIds } })
        .catch(() => undefined);
      await sleep((tree * 7) % 20);
      await server.kill();
      await cancelling;
      server = await startServer(place, settings);
      // One that was not acknowledged is sent again.
      await calls.call("POST", `/${cId}/cancel`, { json: { messageIds } });
      await readToEnd(cId);
      await expectWhole(cId);
    }
  });

  const restart = async () => {
    await server.kill();
    server = await startServer(place, settings);
  };

  const readToEnd = async (cId: string) => {
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
  };

  const consumptionOf = async (cId: string) => {
    const wId = server.demo.workspaceId;
    return calls.rpc().conversations.getConsumption.query({ wId, cId });
  };

  /** The tree of a conversation: each node ended once, none alone, no call with two tasks, and what it cost is theirs. */
  const expectWhole = async (cId: string): Promise<Node[]> => {
    const { rows } = await database.query<Node>(nodesOf, [cId]);
    for (const node of rows) {
      expect(node, JSON.stringify(node)).toMatchObject({ ends: 1, run: "finished", isOpen: false });
      // A model that is simulated counts nothing.
      expect(node).toMatchObject({ calls: node.counted, amount: node.priced });
    }
    const asked = rows.flatMap(({ parent }) => parent ?? []);
    expect(new Set(asked).size).toBe(asked.length);
    const { total } = await consumptionOf(cId);
    const sum = (member: "steps" | "tokens") => rows.reduce((all, node) => all + node[member], 0);
    expect(total).toMatchObject({ answers: rows.length, steps: sum("steps") });
    expect(total.inputTokens + total.outputTokens).toBe(sum("tokens"));
    const wId = server.demo.workspaceId;
    const { tasks } = await calls.rpc().conversations.listTasks.query({ wId, cId });
    expect(tasks.map((task) => task.messageId).toSorted()).toEqual(
      rows.flatMap((node) => (node.parent === null ? [] : node.id)).toSorted(),
    );
    return rows;
  };
});
