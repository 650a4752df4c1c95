import { startLoadGenerator } from "../load/load-generator.ts";
import { partOfRound } from "../load/plan.ts";
import {
  type Measured,
  measureLoads,
  processorMicros,
  type Sample,
  samplesOf,
  tabulate,
} from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { conversationsPath, type MeasuredServer } from "../parley-server.ts";
import { type Findings, ratio } from "../report.ts";
import { big, MEASURED_DAYS_MS, quickBig, small, startSizedServer } from "../size/sized-server.ts";

/** An operation whose cost should not depend on what the database holds. */
interface Operation {
  readonly name: string;
  /** The requests of a round, of the conversations that it gets. */
  readonly requests: (server: MeasuredServer, conversationIds: readonly string[]) => string[];
  readonly mustBe?: number;
  readonly mustContain: string;
}

/** Conversations of a round: more than are read before the first is read again. */
const AT_LEAST = 500;

const message = {
  content: "What does a conversation cost?",
  mentions: [{ configurationId: "helper" }],
};

const operations: readonly Operation[] = [
  {
    name: "create, non-blocking",
    requests: ({ post }) => [post(conversationsPath, { message, blocking: false })],
    mustContain: '"status":"created"',
  },
  {
    name: "create, blocking",
    requests: ({ post }) => [post(conversationsPath, { message, blocking: true })],
    mustContain: '"status":"succeeded"',
  },
  {
    name: "post",
    requests: ({ post }, ids) =>
      ids.map((id) => post(`${conversationsPath}/${id}/messages`, message)),
    mustContain: '"status":"created"',
  },
  {
    name: "read a conversation",
    requests: ({ get }, ids) => ids.map((id) => get(`${conversationsPath}/${id}`)),
    mustContain: '"status":"succeeded"',
  },
  {
    name: "list conversations",
    requests: ({ get }) => [get(conversationsPath)],
    mustContain: '"hasMore":true',
  },
  {
    name: "list skills",
    requests: ({ get }) => [get("/api/v1/w/{wId}/skills")],
    mustContain: '{"skills":[{',
  },
  {
    name: "invoke",
    requests: ({ post }) => [
      post("/api/w/{wId}/sandbox-functions/add/invocations", { input: { a: 1, b: 2 } }),
    ],
    mustBe: 201,
    mustContain: '"outcome":{"status":"succeeded"',
  },
  {
    name: "follow an ended log",
    // The answer of a seeded conversation has the id of the conversation and its position.
    requests: ({ get }, ids) =>
      ids.map((id) =>
        get(`/api/sse${conversationsPath.replace("/api", "")}/${id}/messages/${id}1/events`),
      ),
    mustContain: '"agent_message_success"',
  },
  {
    name: "overview of 30 days",
    requests: ({ get }) => [
      get(
        `/api/admin/workspaces/{wId}/measures?dimension=agent&from=${Date.now() - MEASURED_DAYS_MS}`,
      ),
    ],
    mustContain: '"points":[',
  },
];

/**
 * Measures operations on an almost empty database, and on one of ten million events, on one
 * connection.
 */
export async function benchSize(options: BenchmarkOptions): Promise<Findings> {
  const { resources, rounds, quick } = options;
  const servers = [
    await startSizedServer(options, quick ? quickBig : big),
    await startSizedServer(options, small),
  ];
  const generator = startLoadGenerator(resources);
  const measured: Measured<Sample>[] = [];
  for (const { name, requests, mustBe = 200, mustContain } of operations) {
    const lanes = servers.map(({ server, conversationIds }) => ({
      labels: { operation: name, database: server.subject.name },
      subject: server.subject,
      generator,
      load: (round: number) => ({
        ...server.address,
        requests: requests(
          server,
          partOfRound(conversationIds, { round, rounds, atLeast: AT_LEAST }),
        ),
        mustBe,
        mustContain,
        connections: 1,
      }),
    }));
    measured.push(...(await measureLoads(options, name, lanes)));
  }
  const questions = operations.flatMap(({ name: operation }) => {
    const name = `big database over small, ${operation}`;
    const sides = {
      of: samplesOf(measured, { operation, database: big.name }),
      over: samplesOf(measured, { operation, database: small.name }),
    };
    return [
      ratio(`${name}: p50`, sides, {
        read: ({ p50Ms }) => p50Ms,
        target: { atMost: 1.2 },
      }),
      ratio(`${name}: processor time of server and database`, sides, { read: processorMicros }),
    ];
  });
  return { tables: [tabulate(measured, "operations")], questions };
}
