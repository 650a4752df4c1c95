// A worker in a process of its own, on the database of DATABASE_URL. It ends with its parent.
import { createCore, createLocalBus } from "@parley/core";
import { openPostgres } from "@parley/db";
import { createWorker } from "@parley/worker";
import { WorkerSettings } from "@parley/worker/config";
import pino from "pino";

const [url = "", settings = "{}"] = process.argv.slice(2);
const core = createCore(
  {
    database: await openPostgres({ url, poolSize: 4 }),
    bus: createLocalBus(),
    blockingTimeoutMs: 1000,
    safetyPollMs: 100,
    waitingRuns: 0,
    fileLimits: { fileBytes: 0 },
    workspaceBytes: 2 ** 40,
    conversationLimits: { messages: 10_000, bytes: 2 ** 26 },
    dataSourceLimits: { sources: 0, nodes: 0, bytes: 0 },
  },
  () => "",
);
const logger = pino({ level: "warn" }, pino.destination(2));
createWorker({ core, settings: WorkerSettings.parse(JSON.parse(settings)), logger }).start();
process.on("disconnect", () => process.exit(0));
process.send?.("started");
