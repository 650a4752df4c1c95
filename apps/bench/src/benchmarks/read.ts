import { startLoadGenerator } from "../load/load-generator.ts";
import type { Load } from "../load/plan.ts";
import { measureLoads, processorMicros, samplesOf, tabulate } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { conversationsPath } from "../parley-server.ts";
import { type Findings, ratio } from "../report.ts";
import { openClient, settleDatabase } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { startCreator } from "./create.ts";

const CONNECTIONS = 16;
const CONVERSATIONS = 1000;

/** Measures reads beside blocking creates, by the processor time of the server and its database. */
export async function benchRead(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources } = options;
  const database = await postgres.createDatabase(resources, "read");
  const { subject, address, get, loadOf } = await startCreator(resources, database);
  const client = await openClient(resources, database.url);
  const seed = { conversations: CONVERSATIONS, messages: 2, tokens: 1 };
  const paths = (await seedConversations(client, seed)).map((sid) => `${conversationsPath}/${sid}`);
  await settleDatabase(client);
  const read = (of: readonly string[], mustContain: string): Load => ({
    ...address,
    requests: of.map((path) => get(path)),
    mustContain,
    connections: CONNECTIONS,
  });
  const create = "blocking create";
  const answered = '"status":"succeeded"';
  const reads: Readonly<Record<string, Load>> = {
    "conversation of two messages": read(paths, answered),
    "page of its messages": read(
      paths.map((path) => `${path}?limit=20`),
      answered,
    ),
    "list of 20 conversations": read([conversationsPath], '"hasMore":true'),
    "list of 20 runs": read(["/api/admin/workspaces/{wId}/runs"], '"runs":['),
  };
  const loads = { [create]: loadOf({ blocking: true, connections: CONNECTIONS }), ...reads };
  const generator = startLoadGenerator(resources);
  const measured = await measureLoads(
    options,
    "reads",
    Object.entries(loads).map(([request, load]) => ({
      labels: { request },
      subject,
      generator,
      load,
    })),
  );
  const questions = Object.keys(reads).map((request) =>
    ratio(
      `${request} over a blocking create: processor time of server and database`,
      { of: samplesOf(measured, { request }), over: samplesOf(measured, { request: create }) },
      { read: processorMicros, target: { atMost: 0.8 } },
    ),
  );
  return { tables: [tabulate(measured, "requests")], questions };
}
