import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { followLog } from "@parley/core";
import type { SimulatedScript, TeamMember } from "@parley/schema";
import { pino } from "pino";
import { beforeAll, beforeEach, onTestFinished } from "vitest";
import { WorkerSettings } from "../src/config.ts";
import { createWorker } from "../src/worker.ts";

type Context = Awaited<ReturnType<typeof openTestContext>>;

/** A call that asks an agent of the same name as its tool. */
export const ask = (name: string, params: Record<string, unknown> = { task: `Go, ${name}` }) => ({
  name: `ask_${name}`,
  params,
});

/** A team of agents that are asked. */
export const asks = (...agentIds: string[]): TeamMember[] =>
  agentIds.map((agentId) => ({ agentId, name: agentId, mode: "ask" }));

/** A script without pauses. */
export const script = (...steps: SimulatedScript["steps"]): SimulatedScript => ({
  steps,
  tokenDelayMs: 0,
});

/** A script that does not end while a test runs. */
export const slow = (): SimulatedScript => ({
  steps: [{ text: "one two three four five" }],
  tokenDelayMs: 60_000,
});

/** A workspace of each test of a suite, whose agents ask each other. */
export function teamTest() {
  const team = {} as { core: TestCore["core"]; context: Context };
  beforeAll(async () => {
    const test = await openTestCore({ safetyPollMs: 60_000 });
    team.core = test.core;
    return () => test.close();
  });
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(team.core);
    team.context = await openTestContext(team.core, workspace, "admin");
  });
  const until = async (logId: string, ...types: string[]) => {
    const { signal } = new AbortController();
    for await (const events of followLog(team.core, { logId, after: 0, signal })) {
      if (events.some((event) => types.includes(event.type))) return;
    }
  };
  return Object.assign(team, {
    until,
    insertAgent: async (sid: string, played: SimulatedScript, members: TeamMember[] = []) =>
      insertTestAgent(team.core, team.context.caller.workspace, {
        sid,
        script: played,
        team: members,
      }),
    startWorker: (settings = {}) => {
      const worker = createWorker({
        core: team.core,
        settings: WorkerSettings.parse(settings),
        logger: pino({ level: "silent" }),
      });
      worker.start();
      onTestFinished(() => worker.close(0));
    },
    create: async (agent: string) => {
      const { conversation } = await createTestConversation(team.context, [agent]);
      return { cId: conversation.sId, mId: conversation.content.at(-1)![0]!.sId };
    },
    ended: async (mId: string) =>
      until(mId, "agent_message_success", "agent_error", "agent_generation_cancelled"),
  });
}
