import { agents, logs, sandboxFunctions } from "@parley/db";
import { type Driver, openTestDatabase } from "@parley/db/testing";
import type {
  MessageEvent,
  SimulatedBehaviour,
  SimulatedScript,
  WorkspaceRole,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import { generateApiKey, insertApiKey } from "./api-keys.ts";
import { type Context, type Core, createCore, type WorkspaceCaller } from "./context.ts";
import { createCredentials } from "./credentials.ts";
import { createLocalBus } from "./events/bus.ts";
import type { AgentRow, SandboxFunctionRow, WorkspaceRow } from "./rows.ts";
import { insertWorkspace } from "./workspaces.ts";

export { drivers } from "@parley/db/testing";

/** A core on an empty database of its own. */
export interface TestCore {
  readonly core: Core;
  /** What the core takes for the time, in milliseconds since the epoch. */
  readonly clock: { now: number };
  /** Throws when a follower or a worker was left open. */
  close(): Promise<void>;
}

/** Opens a core for one test file; `parts` replace its own. */
export async function openTestCore(
  driver: Driver,
  parts: Partial<Pick<Core, "blockingTimeoutMs" | "safetyPollMs">> = {},
): Promise<TestCore> {
  const database = await openTestDatabase(driver);
  const bus = createLocalBus();
  const clock = { now: Date.UTC(2030, 0, 1) };
  const patience = { blockingTimeoutMs: 10_000, safetyPollMs: 5000, ...parts };
  const core = createCore({ database, bus, ...patience }, () => "http://parley.test");
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
  await database.db.execute(
    sql`truncate conversations, messages, actions, invocations, logs, events, runs`,
  );
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
    return Object.assign(Object.create(core) as Core, { caller, signal, preferredWaitMs: 0 });
  } finally {
    credentials.close();
  }
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
    ...behaviour
  }: Partial<SimulatedBehaviour> & {
    slug: string;
    retryable?: boolean;
  },
): Promise<SandboxFunctionRow> {
  const [row] = await core.database.db
    .insert(sandboxFunctions)
    .values({
      sid: core.newId("sfn"),
      workspaceId: workspace.id,
      slug,
      description: "",
      behaviour: { durationMs: 0, steps: [], ...behaviour },
      retryable,
      createdAt: core.now(),
    })
    .returning();
  return row!;
}

/** Opens an empty log and gives its id. */
export async function openTestLog(core: Core, fence = 0): Promise<string> {
  const id = core.newId();
  await core.database.db.insert(logs).values({ id, lastSeq: 0, fence });
  return id;
}

const step = { created: 0, configurationId: "agent", messageId: "message", step: 0 };

/** An event with a text, for a log that nobody renders. */
export function testToken(text: string): MessageEvent {
  return { type: "generation_tokens", ...step, text, classification: "tokens" };
}

/** An event that ends a log. */
export const testEnd: MessageEvent = { type: "agent_generation_cancelled", ...step };
