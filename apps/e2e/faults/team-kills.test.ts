import { isNightly } from "@parley/db/testing";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPlace, type Place, type ServerProcess, startServer } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame } from "../siblings/sibling-shapes.ts";

/** A server that has just started may renew its leases late: a turn that dies twice ends. */
const settings = { PARLEY_LEASE_MS: "2500" };
const TREES = isNightly ? 24 : 2;
/** Of one tree: a turn that dies twice ends as interrupted. */
const KILLS = 1;
const model = { providerId: "simulated", modelId: "simulated-1" };

interface Node {
  readonly id: string;
  readonly status: string;
  /** The call that asked; null for the first answer. */
  readonly parent: number | null;
  readonly run: string;
  /** Whether its log is open, or one of its calls. */
  readonly isOpen: boolean;
  /** Terminal events in its log. */
  readonly ends: number;
  readonly steps: number;
  readonly tokens: number;
}

const nodesOf = `
  select m.sid as id, m.status, c.parent_action_id::float8 as parent, r.status as run,
    l.closed_at is null or exists (select from actions a where a.message_id = m.id
      and (a.status = 'running' or starts_with(a.status, 'blocked_'))) as "isOpen",
    (select count(*)::int from events e where e.log_id = m.sid
      and e.type in ('agent_message_success', 'agent_error', 'agent_generation_cancelled')) as ends,
    jsonb_array_length(coalesce(m.steps, '[]'))::int as steps,
    (select coalesce(sum((s ->> 'inputTokens')::int + (s ->> 'outputTokens')::int), 0)::int
      from jsonb_array_elements(coalesce(m.steps, '[]')) s) as tokens
  from conversations root
  join conversations c on c.id = root.id or c.root_id = root.id
  join messages m on m.conversation_id = c.id and m.type = 'agent_message'
  join logs l on l.id = m.sid join runs r on r.log_id = m.sid
  where root.sid = $1`;

// A tree of 1 + 2 + 4 agents on a server that is killed again and again.
describe("agents that ask others while their server is killed", () => {
  let place: Place;
  let server: ServerProcess;
  let database: pg.Client;
  const calls = createCalls(() => server);
  beforeAll(async () => {
    place = await createPlace();
    server = await startServer(place, settings);
    database = new pg.Client({ connectionString: place.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await server[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const createAgent = async (name: string, asked?: string) => {
    const call = { name: "ask_next", params: { task: `For ${name}` } };
    const asking = [{ text: "One ", toolCalls: [call, call] }, { text: "two three. {{result}}" }];
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server.demo.workspaceId,
      name,
      description: "",
      model,
      team: asked === undefined ? [] : [{ agentId: asked, name: "next" }],
      script: {
        steps: asked === undefined ? [{ text: "One two three." }] : asking,
        tokenDelayMs: 100,
      },
    });
    return agentConfiguration.sId;
  };

  it("give each task once, and answer with what the tasks said", async () => {
    const agentId = await createAgent(
      "top",
      await createAgent("middle", await createAgent("leaf")),
    );
    for (let tree = 0; tree < TREES; tree++) {
      const { cId, answer, total } = await play(agentId, tree);
      await expectWhole(cId, { nodes: 7, status: "succeeded" });
      expect(answer, JSON.stringify(answer.error)).toMatchObject({
        status: "succeeded",
        content: "One two three. One two three. One two three.",
      });
      // Two steps of each that asks, and one of each leaf.
      expect(total).toMatchObject({ answers: 7, steps: 10, toolCalls: 6 });
    }
  });

  const play = async (agentId: string, tree: number) => {
    const { conversation } = await calls.create("Go on", [agentId]);
    const cId = conversation.sId;
    for (let kill = 0; kill < KILLS; kill++) {
      // The time of the kill is what varies; nothing is expected at it.
      await sleep(100 + ((tree * 130 + kill * 370) % 1000));
      await server.kill();
      server = await startServer(place, settings);
    }
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    const answer = answersOf(await calls.get(cId))[0]!;
    const wId = server.demo.workspaceId;
    const { total } = await calls.rpc().conversations.getConsumption.query({ wId, cId });
    return { cId, answer, total };
  };

  it("leave nothing under way once they are cancelled", async () => {
    const agentId = await createAgent(
      "top 2",
      await createAgent("middle 2", await createAgent("leaf 2")),
    );
    for (let tree = 0; tree < TREES; tree++) {
      const { conversation } = await calls.create("Go on", [agentId]);
      const cId = conversation.sId;
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
      const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
      await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
      await expectWhole(cId, {});
    }
  });

  /** The tree of a conversation: each node ended once, none alone, no call with two tasks, and what it cost is theirs. */
  const expectWhole = async (
    cId: string,
    { nodes, status }: { nodes?: number; status?: string },
  ) => {
    const { rows } = await database.query<Node>(nodesOf, [cId]);
    if (nodes !== undefined) expect(rows).toHaveLength(nodes);
    for (const node of rows) {
      expect(node, JSON.stringify(node)).toMatchObject({ ends: 1, run: "finished", isOpen: false });
      if (status !== undefined) expect(node.status).toBe(status);
    }
    const asked = rows.flatMap(({ parent }) => parent ?? []);
    expect(new Set(asked).size).toBe(asked.length);
    const wId = server.demo.workspaceId;
    const { total } = await calls.rpc().conversations.getConsumption.query({ wId, cId });
    const sum = (member: "steps" | "tokens") => rows.reduce((all, node) => all + node[member], 0);
    expect(total).toMatchObject({ answers: rows.length, steps: sum("steps") });
    expect(total.inputTokens + total.outputTokens).toBe(sum("tokens"));
    const { tasks } = await calls.rpc().conversations.listTasks.query({ wId, cId });
    expect(tasks.map((task) => task.messageId).toSorted()).toEqual(
      rows.flatMap((node) => (node.parent === null ? [] : node.id)).toSorted(),
    );
  };
});
