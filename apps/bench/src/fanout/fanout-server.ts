// The real API with a publisher in its process, and without a worker: the logs of agents' messages
// stay open, and get only what the publisher appends.
// Usage: node fanout-server.ts <port> <data directory>, with DATABASE_URL if it is to be used.
import { ApiSettings, createApi } from "@parley/api";
import {
  appendEvents,
  createCore,
  createLocalBus,
  generateApiKey,
  type Hint,
  insertApiKey,
  insertWorkspace,
} from "@parley/core";
import { agents, openEmbedded, openPostgres } from "@parley/db";
import { pino } from "pino";
import { answerParent } from "../child-requests.ts";
import { readSettings } from "../config.ts";
import {
  collectGarbage,
  monotonicMs,
  type PublisherRequests,
  type PublishPlan,
  type Round,
  runPublishPlan,
  tokenOfRound,
} from "./publish-plan.ts";

const [, , port, directory = ""] = process.argv;
const { DATABASE_URL: url } = readSettings();
const database = await (url === undefined ? openEmbedded(directory) : openPostgres({ url }));
const settings = ApiSettings.parse({
  PARLEY_PORT: port,
  PARLEY_MAX_STREAMS: 20_000,
  PARLEY_MAX_STREAMS_PER_KEY: 20_000,
  PARLEY_MAX_STREAMS_PER_WORKSPACE: 20_000,
  PARLEY_MAX_CONNECTIONS_PER_ADDRESS: 20_000,
  PARLEY_RATE_CREATE_PER_MINUTE: 0,
  PARLEY_RATE_CREATE_PER_HOUR: 0,
  PARLEY_RATE_READ_PER_MINUTE: 0,
});
const core = createCore(
  {
    database,
    bus: createLocalBus(),
    blockingTimeoutMs: 180_000,
    safetyPollMs: 30_000,
    waitingRuns: 0,
    fileLimits: { fileBytes: 0 },
    workspaceBytes: 2 ** 40,
    conversationLimits: { messages: 10_000, bytes: 2 ** 26 },
    dataSourceLimits: { sources: 0, nodes: 0, bytes: 0 },
  },
  () => `http://127.0.0.1:${settings.PARLEY_PORT}`,
);
const api = await createApi({ core, settings, logger: pino({ level: "warn" }) });

/** A workspace to make messages in. */
export interface Seed {
  readonly workspaceId: string;
  readonly apiKey: string;
  /** As many as one message may mention: each mention makes a log. */
  readonly agentIds: readonly string[];
}

const AGENTS = 50;

async function seed(): Promise<Seed> {
  const { workspace } = await insertWorkspace(core, database.db, "Bench");
  const apiKey = generateApiKey();
  const key = {
    workspaceId: workspace.id,
    name: "bench",
    role: "builder",
    secret: apiKey,
  } as const;
  await insertApiKey(core, database.db, key);
  const agentIds = Array.from({ length: AGENTS }, (_, index) => `bench-${index}`);
  await database.db.insert(agents).values(
    agentIds.map((sid) => ({
      sid,
      workspaceId: workspace.id,
      version: 0,
      isCurrent: true,
      name: sid,
      description: "",
      pictureUrl: "",
      status: "active" as const,
      scope: "visible" as const,
      providerId: "simulated",
      modelId: "simulated-1",
      temperature: 0.7,
      maxStepsPerRun: 8,
      createdAt: core.now(),
    })),
  );
  return { workspaceId: workspace.sid, apiKey, agentIds };
}

/** Appends a round's events in one commit, as a worker does with what its turns have said. */
async function publishRound({ number, logs, eventsPerLog }: Round): Promise<number> {
  const hints: Hint[] = [];
  const appends = logs.map((logId) => ({
    logId,
    events: Array.from({ length: eventsPerLog }, () => tokenOfRound(number, logId)),
  }));
  const written = await appendEvents(database.db, appends, hints);
  const committedAt = monotonicMs();
  core.bus.publish(hints);
  if (written.size < logs.length) throw new Error("A log was not open");
  return committedAt;
}

const requests = {
  seed,
  publish: (plan: PublishPlan) => runPublishPlan(plan, publishRound),
  collectGarbage,
} satisfies PublisherRequests & Record<"seed", unknown>;
export type FanoutServerRequests = typeof requests;

await api.app.listen({ host: settings.PARLEY_HOST, port: settings.PARLEY_PORT });
answerParent(requests);
