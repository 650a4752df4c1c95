import { agents, type Database, logs, type Queryable } from "@parley/db";
import { type Driver, openTestDatabase } from "@parley/db/testing";
import {
  type AgentError,
  type CreatedConversation,
  endpoints,
  type InputOf,
  type LogEvent,
  type MessageEvent,
  parseInput,
  type PostedMessage,
  type ScriptedBehaviour,
  type SimulatedScript,
  type WorkspaceRole,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import { findActiveAgents } from "./agents.ts";
import { insertApiKey } from "./api-keys.ts";
import { generateApiKey } from "./key-secrets.ts";
import {
  type Context,
  type Core,
  type CoreParts,
  createCore,
  type WorkspaceCaller,
} from "./context.ts";
import { createConversation } from "./conversations.ts";
import { createCredentials } from "./credentials.ts";
import { createLocalBus } from "./events/bus.ts";
import { PAGE_EVENTS, readEvents } from "./events/read.ts";
import { postMessage } from "./posted-messages.ts";
import type { AgentRow, WorkspaceRow } from "./rows.ts";
import {
  getSandboxFunction,
  insertSandboxFunctions,
  type SandboxFunction,
  unknownFunction,
} from "./sandbox-functions.ts";
import { type ClaimedRun, claimRuns } from "./runs/claim-runs.ts";
import { finishTurns, type TurnOutcome } from "./runs/finish-turns.ts";
import { loadTurns, type Turn } from "./runs/load-turns.ts";
import { insertWorkspace } from "./workspaces.ts";

export { drivers } from "@parley/db/testing";
export { announceTestFile } from "./testing-files.ts";

/** A core on an empty database of its own. */
export interface TestCore {
  readonly core: Core;
  /** What the core takes for the time, in milliseconds since the epoch. */
  readonly clock: { now: number };
  /** Throws when a follower or a worker was left open. */
  close(): Promise<void>;
}

type TestParts = Partial<Omit<CoreParts, "database" | "bus">>;

/** Opens a core for one test file; `parts` replace its own. */
export async function openTestCore(driver: Driver, parts: TestParts = {}): Promise<TestCore> {
  return createTestCore(await openTestDatabase(driver), parts);
}

/** Makes a core on a database of the test's own. */
export function createTestCore(database: Database, parts: TestParts = {}): TestCore {
  const bus = createLocalBus();
  const clock = { now: Date.UTC(2030, 0, 1) };
  const fileLimits = { fileBytes: 2 ** 20, workspaceBytes: 2 ** 30 };
  const settings = {
    blockingTimeoutMs: 10_000,
    safetyPollMs: 5000,
    fileLimits,
    waitingRuns: 10_000,
    ...parts,
  };
  const core = createCore({ database, bus, ...settings }, () => "http://parley.test");
  return {
    core: Object.assign(core, { now: () => clock.now }),
    clock,
    close: async () => {
      const left = bus.subscriptionCount();
      await database.close();
      if (left > 0) throw new Error(`${left} subscriptions were left open`);
    },
  };
}

/** Empties what conversations and invocations write, so that no run of another test is claimed. */
export async function clearRuns({ database }: Core): Promise<void> {
  // This takes 1 ms; truncating takes 22 ms on PGlite and 45 ms on PostgreSQL.
  await database.db.execute(sql`
    with deleted_conversations as (delete from conversations),
      deleted_messages as (delete from messages),
      deleted_actions as (delete from actions),
        deleted_files as (delete from files),
      deleted_invocations as (delete from invocations),
      deleted_keys as (delete from idempotency_keys),
      deleted_logs as (delete from logs),
      deleted_events as (delete from events)
    delete from runs`);
}

/** Inserts a workspace without agents and functions. */
export async function insertTestWorkspace(core: Core): Promise<WorkspaceRow> {
  const { workspace } = await insertWorkspace(core, core.database.db, "Test");
  return workspace;
}

/** The context of a request that a new key of the workspace makes. */
export async function openTestContext(
  core: Core,
  workspace: WorkspaceRow,
  role: WorkspaceRole = "user",
): Promise<Context> {
  const secret = generateApiKey();
  const key = { workspaceId: workspace.id, name: `test ${role}`, role, secret };
  await insertApiKey(core, core.database.db, key);
  const credentials = createCredentials(core);
  try {
    // The key is one of a workspace.
    const caller = (await credentials.authenticate(`Bearer ${secret}`)) as WorkspaceCaller;
    const signal = new AbortController().signal;
    const directories = openTestDirectories(core.database.db);
    const request = { caller, signal, ...directories, preferredWaitMs: 0 };
    return Object.assign(Object.create(core) as Core, request);
  } finally {
    credentials.close();
  }
}

/** Unlike a server's, they remember nothing. */
function openTestDirectories(db: Queryable): Pick<Context, "agents" | "functions"> {
  return {
    agents: {
      find: (workspaceId, sids) => findActiveAgents(db, workspaceId, sids),
      close: () => {},
    },
    functions: {
      getActive: async (workspaceId, idOrSlug) => {
        const found = await getSandboxFunction(db, workspaceId, idOrSlug);
        if (found.status !== "active") throw unknownFunction();
        return found;
      },
      close: () => {},
    },
  };
}

/** Inserts an agent that plays `script`. */
export async function insertTestAgent(
  core: Core,
  workspace: WorkspaceRow,
  agent: Partial<AgentRow> & { sid: string; script?: SimulatedScript | null },
): Promise<AgentRow> {
  const [row] = await core.database.db
    .insert(agents)
    .values({
      workspaceId: workspace.id,
      version: 0,
      isCurrent: true,
      name: agent.sid,
      description: "",
      pictureUrl: "",
      status: "active",
      scope: "visible",
      providerId: "simulated",
      modelId: "simulated-1",
      temperature: 0.7,
      maxStepsPerRun: 8,
      createdAt: core.now(),
      ...agent,
    })
    .returning();
  return row!;
}

/** Inserts a function that plays `behaviour`. */
export async function insertTestFunction(
  core: Core,
  workspace: WorkspaceRow,
  {
    slug,
    retryable = false,
    stake = "low",
    ...behaviour
  }: Partial<ScriptedBehaviour> & {
    slug: string;
    retryable?: boolean;
    stake?: "low" | "high";
  },
): Promise<SandboxFunction> {
  const [row] = await insertSandboxFunctions(core.database.db, [
    {
      sid: core.newId("sfn"),
      workspaceId: workspace.id,
      slug,
      description: "",
      behaviour: { durationMs: 0, steps: [], ...behaviour },
      retryable,
      stake,
      createdAt: core.now(),
    },
  ]);
  return row!;
}

/** Opens an empty log, of an invocation if the prefix is its, and gives its id. */
export async function openTestLog(core: Core, fence = 0, prefix?: "sfi"): Promise<string> {
  const id = core.newId(prefix);
  await core.database.db.insert(logs).values({ id, lastSeq: 0, fence });
  return id;
}

/** Lets a log that is closed have been closed this long ago. */
export async function ageTestLog({ database }: Core, logId: string, ms: number): Promise<void> {
  await database.db.execute(sql`
    update logs set closed_at = now() - ${ms}::float * interval '1 millisecond'
    where id = ${logId} and closed_at is not null`);
}

const step = { created: 0, configurationId: "agent", messageId: "message", step: 0 };

/** An event with a text, for a log that nobody renders. */
export function testToken(text: string): MessageEvent {
  return { type: "generation_tokens", ...step, text, classification: "tokens" };
}

/** An event that ends a log. */
export const testEnd: MessageEvent = { type: "agent_generation_cancelled", ...step };

type CreateBody = Omit<InputOf<(typeof endpoints)["conversations.create"]>, "wId">;

/** Creates a conversation with a message for these agents, as a request with `body` would. */
export async function createTestConversation(
  context: Context,
  agentIds: readonly string[],
  body: Partial<CreateBody> = {},
): Promise<CreatedConversation> {
  const mentions = agentIds.map((configurationId) => ({ configurationId }));
  const wId = context.caller.workspace.sid;
  const raw = { wId, message: { content: "Hello", mentions }, ...body };
  return createConversation(context, parseInput(endpoints["conversations.create"], raw));
}

type PostBody = Omit<InputOf<(typeof endpoints)["messages.create"]>, "wId" | "cId">;

/** Posts a message for these agents to a conversation, as a request with `body` would. */
export async function postTestMessage(
  context: Context,
  cId: string,
  { agentIds = [], ...body }: Partial<PostBody> & { agentIds?: readonly string[] } = {},
): Promise<PostedMessage> {
  const mentions = agentIds.map((configurationId) => ({ configurationId }));
  const raw = { wId: context.caller.workspace.sid, cId, content: "And?", mentions, ...body };
  return postMessage(context, parseInput(endpoints["messages.create"], raw));
}

/** The events of a log in order; throws when their numbers are not 1, 2, 3 … */
export async function readTestLog(core: Core, logId: string): Promise<LogEvent[]> {
  const events = await readEvents(core.database.db, logId, 0);
  if (events.length === PAGE_EVENTS) throw new Error(`The log ${logId} has more than one page`);
  return events.map(({ seq, payload }, index) => {
    if (seq !== index + 1) throw new Error(`The log ${logId} has ${seq} in place of ${index + 1}`);
    return JSON.parse(payload) as LogEvent;
  });
}

/** Claims the turns that wait, as a worker would; their leases end after `leaseMs`. */
export async function claimTestTurns(
  core: Core,
  leaseMs = 60_000,
): Promise<{ run: ClaimedRun; turn: Turn }[]> {
  const claimed = await claimRuns(core, { workerId: "test", leaseMs, limit: 100 });
  const turns = await loadTurns(core, claimed);
  return claimed.map((run) => ({ run, turn: turns.get(run.logId)! }));
}

/** Plays the worker: claims the turns that wait and ends each with `content`. */
export async function answerTestTurns(core: Core, content = "Done"): Promise<Turn[]> {
  const claimed = await claimTestTurns(core);
  const outcome = testOutcome(content);
  await finishTurns(
    core,
    claimed.map((one) => ({ ...one, outcome, events: [testToken(content)], actions: [] })),
  );
  return claimed.map(({ turn }) => turn);
}

/** What a turn of one step, without reasoning and calls, comes to. */
export function testOutcome(content: string, error: AgentError | null = null): TurnOutcome {
  return { content, chainOfThought: null, rawContents: [{ step: 0, content }], error, step: 0 };
}

/** Ends every lease, as when a worker was silent for too long. */
export async function expireTestLeases({ database }: Core): Promise<void> {
  await database.db.execute(sql`update runs set lease_until = now() - interval '1 second'
    where status = 'running'`);
}
