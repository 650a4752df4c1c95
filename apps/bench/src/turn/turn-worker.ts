import { setTimeout as sleep } from "node:timers/promises";
import { createCore, createLocalBus } from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
} from "@parley/core/testing";
import { events, openPostgres, runs, workspaces } from "@parley/db";
import { createWorker } from "@parley/worker";
import { WorkerSettings } from "@parley/worker/config";
import { eq, ne } from "drizzle-orm";
import { pino } from "pino";

const POLL_MS = 50;

/** A worker on a PostgreSQL database, and turns for it. */
export interface TurnWorker {
  /** Makes turns that wait, and gives what runs them all and counts their tokens. */
  prepare(url: string, turns: number): Promise<() => Promise<number>>;
}

/** Opens the database with the first turns that are asked for. */
export function openTurnWorker(databaseUrl: string | undefined): TurnWorker {
  const open = async () => {
    if (databaseUrl === undefined) throw new Error("The worker needs PostgreSQL");
    const database = await openPostgres({ url: databaseUrl });
    const parts = {
      database,
      bus: createLocalBus(),
      blockingTimeoutMs: 180_000,
      safetyPollMs: 30_000,
      waitingRuns: 0,
      fileLimits: { fileBytes: 0 },
      workspaceBytes: 2 ** 40,
      conversationLimits: { messages: 10_000, bytes: 2 ** 26 },
      dataSourceLimits: { sources: 0, nodes: 0, bytes: 0 },
    };
    const core = createCore(parts, () => "http://bench");
    const workspace = await insertTestWorkspace(core);
    const models = ["openai_compatible/bench"];
    await database.db.update(workspaces).set({ models }).where(eq(workspaces.id, workspace.id));
    const model = { providerId: "openai_compatible", modelId: "bench" };
    await insertTestAgent(core, workspace, { sid: "bench", ...model });
    const context = await openTestContext(core, workspace);
    return { core, context };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    prepare: async (url, turns) => {
      const { core, context } = await (opened ??= open());
      const { db } = core.database;
      await db.delete(events);
      for (let made = 0; made < turns; made++) await createTestConversation(context, ["bench"]);
      const settings = WorkerSettings.parse({
        PARLEY_OPENAI_COMPATIBLE_URL: url,
        PARLEY_WORKER_CONCURRENCY: turns,
        PARLEY_WORKSPACE_TURNS: turns,
      });
      const worker = createWorker({ core, settings, logger: pino({ level: "warn" }) });
      return async () => {
        worker.start();
        while ((await db.$count(runs, ne(runs.status, "finished"))) > 0) await sleep(POLL_MS);
        await worker.close(0);
        return db.$count(events, eq(events.type, "generation_tokens"));
      };
    },
  };
}
