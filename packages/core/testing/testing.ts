import { agents, type Database, type Queryable } from "@parley/db";
import { openTestDatabase } from "@parley/db/testing";
import {
  type AgentError,
  type CreatedConversation,
  endpoints,
  type InputOf,
  JavaScriptProgram,
  type ClientServerEvent,
  type LogEvent,
  parseInput,
  type PostedMessage,
  type ScriptedBehaviour,
  type SimulatedScript,
  type WorkspaceRole,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import { createCredentials } from "../src/access/credentials.ts";
import { generateApiKey } from "../src/access/key-secrets.ts";
import { configurationsOf } from "../src/agents/agent-versions.ts";
import { findActiveAgents } from "../src/agents/agents.ts";
import type { WorkspaceCaller } from "../src/context.ts";
import { createConversation } from "../src/conversations/create-conversation.ts";
import { postMessage } from "../src/conversations/post-messages.ts";
import { type CoreContext, type Core, type CoreParts, createCore } from "../src/create-core.ts";
import type { AgentRow, WorkspaceRow } from "../src/data-access/rows.ts";
import {
  getSandboxFunction,
  insertSandboxFunctions,
  type SandboxFunction,
  unknownFunction,
} from "../src/functions/sandbox-functions.ts";
import { createLocalBus } from "../src/log/bus.ts";
import { renderEvent } from "../src/log/payloads.ts";
import { PAGE_EVENTS, readEvents } from "../src/log/read-log.ts";
import type { ClaimedRun } from "../src/runs/claim-parts.ts";
import { finishTurns, type TurnOutcome } from "../src/turns/finish-turns.ts";
import { loadTurn, type Turn } from "../src/turns/load-turns.ts";
import { insertApiKey } from "../src/workspaces/api-keys.ts";
import { insertWorkspace } from "../src/workspaces/workspaces.ts";
import { testToken } from "./logs.ts";
import { claimRuns } from "./runs.ts";

export { announceTestFile, uploadTestFile } from "./files.ts";
export { expireTestLeases } from "./leases.ts";
export { makeTestRefreshDue } from "./web-sources.ts";
export { insertTestLimit, offerTestFunction, readTestSpending } from "./limits.ts";
export * from "./logs.ts";
export { addTestEditor, readTestRequests } from "./requests.ts";
export { clearVectors, countUndivided, countVectors, divideTestDocuments } from "./retrieval.ts";
export * from "./summaries.ts";
export * from "./teams.ts";
export { ageTestTraces } from "./trace-destinations.ts";
export * from "./usage.ts";
export * from "./runs.ts";

/** A core with a database of its own. */
export interface TestCore {
  readonly core: Core;
  /** The clock of the core, in milliseconds since the epoch. */
  readonly clock: { now: number };
  /** Throws if a follower or a worker is still open. */
  close(): Promise<void>;
}

export type TestParts = Partial<Omit<CoreParts, "database" | "bus">>;

/** Opens a core for one test file; `parts` replace its own. */
export async function openTestCore(parts: TestParts = {}): Promise<TestCore> {
  return createTestCore(await openTestDatabase(), parts);
}

/** Creates a core with a database of the test. */
export function createTestCore(database: Database, parts: TestParts = {}): TestCore {
  const bus = createLocalBus();
  const clock = { now: Date.UTC(2030, 0, 1) };
  const fileLimits = { fileBytes: 2 ** 20 };
  const settings = {
    blockingTimeoutMs: 10_000,
    safetyPollMs: 5000,
    fileLimits,
    conversationLimits: { messages: 10_000, bytes: 2 ** 26 },
    dataSourceLimits: { sources: 1000, nodes: 1000, bytes: 2 ** 26 },
    waitingRuns: 10_000,
    workspaceBytes: 2 ** 30,
    ...parts,
  };
  const core = createCore({ database, bus, ...settings }, () => "http://parley.test");
  return {
    core: Object.assign(core, { now: () => clock.now }),
    clock,
    close: async () => {
      await core.threads.close();
      await core.storage.flush();
      const left = bus.subscriptionCount();
      await database.close();
      if (left > 0) throw new Error(`${left} subscriptions were left open`);
    },
  };
}

/** Deletes conversations, invocations and runs, so that no run of another test is claimed. */
export async function clearRuns({ database }: Core): Promise<void> {
  // This takes 1 ms; truncating takes 45 ms.
  await database.db.execute(sql`
    with deleted_conversations as (delete from conversations),
      deleted_messages as (delete from messages),
      deleted_words as (delete from message_words),
      deleted_summaries as (delete from conversation_summaries),
      deleted_requests as (delete from recorded_requests),
      deleted_pieces as (delete from request_pieces),
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

/** The context of a request with a new key of the workspace. */
export async function openTestContext(
  core: Core,
  workspace: WorkspaceRow,
  role: WorkspaceRole = "user",
): Promise<CoreContext> {
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

/** Unlike a server's, they do not cache. */
function openTestDirectories(db: Queryable): Pick<CoreContext, "agents" | "functions"> {
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

/** Inserts a simulated function. */
export async function insertTestFunction(
  core: Core,
  workspace: WorkspaceRow,
  {
    slug,
    retryable = false,
    requiresApproval = false,
    code,
    ...behaviour
  }: Partial<ScriptedBehaviour> & {
    slug: string;
    retryable?: boolean;
    requiresApproval?: boolean;
    /** A module in JavaScript, in place of a scripted behaviour. */
    code?: string;
  },
): Promise<SandboxFunction> {
  const [row] = await insertSandboxFunctions(core.database.db, [
    {
      sid: core.newId("sfn"),
      workspaceId: workspace.id,
      slug,
      description: "",
      program:
        code === undefined
          ? { type: "simulated", behaviour: { durationMs: 0, steps: [], ...behaviour } }
          : {
              ...JavaScriptProgram.parse({ type: "javascript", source: code }),
              bundle: { code, map: "{}" },
            },
      retryable,
      requiresApproval,
      createdAt: core.now(),
    },
  ]);
  return row!;
}

type CreateBody = Omit<InputOf<(typeof endpoints)["conversations.create"]>, "wId">;

/** Creates a conversation with a message for these agents, as a request with `body` would. */
export async function createTestConversation(
  context: CoreContext,
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
  context: CoreContext,
  cId: string,
  { agentIds = [], ...body }: Partial<PostBody> & { agentIds?: readonly string[] } = {},
): Promise<PostedMessage> {
  const mentions = agentIds.map((configurationId) => ({ configurationId }));
  const raw = { wId: context.caller.workspace.sid, cId, content: "And?", mentions, ...body };
  return postMessage(context, parseInput(endpoints["messages.create"], raw));
}

type RunEvent = Exclude<LogEvent, ClientServerEvent>;

/** The events of a log of conversations and runs in order; throws when their numbers are not 1, 2, 3 … */
export async function readTestLog(core: Core, logId: string): Promise<RunEvent[]> {
  const events = await readEvents(core.database.db, logId, 0);
  if (events.length === PAGE_EVENTS) throw new Error(`The log ${logId} has more than one page`);
  return Array.fromAsync(events, async (event, index) => {
    if (event.seq !== index + 1) throw new Error(`The log ${logId} lacks ${index + 1}`);
    return JSON.parse((await renderEvent(configurationsOf(core), event)).payload) as RunEvent;
  });
}

/** Claims the waiting turns as a worker does; their leases end after `leaseMs`. */
export async function claimTestTurns(
  core: Core,
  leaseMs = 60_000,
): Promise<{ run: ClaimedRun; turn: Turn }[]> {
  const claimed = await claimRuns(core, { workerId: "test", leaseMs, limit: 100 });
  const turns = claimed.filter(({ kind }) => kind === "agent_turn");
  return Promise.all(turns.map(async (run) => ({ run, turn: (await loadTurn(core, run))! })));
}

/** Claims the waiting turns as a worker does, and ends each with `content`. */
export async function answerTestTurns(core: Core, content = "Done"): Promise<Turn[]> {
  const claimed = await claimTestTurns(core);
  const outcome = testOutcome(content);
  await finishTurns(
    core,
    claimed.map((one) => ({ ...one, outcome, events: [testToken(content)], actions: [] })),
  );
  return claimed.map(({ turn }) => turn);
}

/** The outcome of a turn of one step, without reasoning and calls. */
export function testOutcome(content: string, error: AgentError | null = null): TurnOutcome {
  return { content, chainOfThought: null, rawContents: [{ step: 0, content }], error, step: 0 };
}
