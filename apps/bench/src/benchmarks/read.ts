import { startLoadGenerator } from "../load/load-generator.ts";
import { formatGet, type Load } from "../load/plan.ts";
import { measureLanes, type Sample } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { answerRatio, processorMicros, type ResultRow, summarize } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { settleDatabase } from "../seed/settle-database.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";
import { planLane, startCreator } from "./create-lanes.ts";

const CONNECTIONS = 16;
const CONVERSATIONS = 1000;

/** What is read, and what it is held to. */
const reads = {
  "conversation of two messages": targets.readOverBlockingCreate,
  "page of its messages": targets.readOverBlockingCreate,
  "list of 20 conversations": targets.readOverBlockingCreate,
  "list of 20 runs": targets.readOverBlockingCreate,
} as const;

/** Measures reads beside blocking creates, by the processor time of the server and its database. */
export async function benchRead(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, print } = options;
  const database = await postgres.createDatabase(resources, "read");
  const creator = await startCreator(resources, database);
  const client = await openClient(resources, database.url);
  const seed = { conversations: CONVERSATIONS, messages: 2, tokens: 1 };
  const conversations = await seedConversations(client, seed);
  await settleDatabase(client);
  const { subject, url, headers } = creator;
  const loadOf = (paths: readonly string[], mustContain: string): Load => ({
    host: url.hostname,
    port: Number(url.port),
    requests: paths.map((path) => formatGet(new URL(path, url), headers)),
    mustContain,
    connections: CONNECTIONS,
  });
  const workspaceId = url.pathname.split("/")[4] ?? "";
  const answered = '"status":"succeeded"';
  const loads: Readonly<Record<keyof typeof reads, Load>> = {
    "conversation of two messages": loadOf(
      conversations.map((sid) => `${url.pathname}/${sid}`),
      answered,
    ),
    "page of its messages": loadOf(
      conversations.map((sid) => `${url.pathname}/${sid}?limit=20`),
      answered,
    ),
    "list of 20 conversations": loadOf([url.pathname], '"hasMore":true'),
    "list of 20 runs": loadOf([`/api/admin/workspaces/${workspaceId}/runs`], '"runs":['),
  };
  const create = planLane(creator, { blocking: true, connections: CONNECTIONS }).load;
  const generator = startLoadGenerator(resources);
  const lanes = [create, ...Object.values(loads)].map((load) => ({
    subject,
    generator,
    loadOf: () => load,
  }));
  const [creates = [], ...samples] = await measureLanes(options, lanes);
  const measured = Object.keys(reads).map((name, index) => ({
    name,
    samples: samples[index] ?? [],
  }));
  const results = Object.entries(reads).map(([name, target], index) =>
    answerRatio<Sample>({
      name: `${name} over a blocking create: processor time of server and database`,
      of: samples[index] ?? [],
      over: creates,
      read: processorMicros,
      target,
    }),
  );
  const rows = [{ name: "blocking create", samples: creates }, ...measured].map((one) => ({
    request: one.name,
    ...summarize(one.samples, "requests"),
  }));
  print(`\n${renderTable(rows)}\n${renderTable(results)}`);
  return results;
}
