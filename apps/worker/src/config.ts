import { isHost } from "@parley/guarded-fetch/hosts";
import * as z from "zod";
import { integer, modelSettings } from "./models/model-settings.ts";
import { traceSettings } from "./traces/trace-settings.ts";

const list = z
  .string()
  .default("")
  .transform((value) => value.split(",").flatMap((one) => one.trim() || []));

/** Hosts, or hosts with ports, separated by commas. */
export const hostList = list.refine((hosts) => hosts.every(isHost), {
  error: "it must be hosts separated by commas, such as tools.internal or 10.0.0.7:8080",
});

/** Pairs of hosts, separated by commas. */
export const hostPairs = list.refine(
  (pairs) => pairs.map((pair) => pair.split("=")).every(isHostPair),
  {
    error:
      "it must be pairs of hosts separated by commas, such as login.example.com=api.example.net",
  },
);

function isHostPair(hosts: readonly string[]): boolean {
  return hosts.length === 2 && hosts.every(isHost);
}

const httpUrl = z
  .url({ protocol: /^https?$/, error: "it must be a URL, such as https://e2b.example.com" })
  .optional();

/** Settings of the worker, by the name of their environment variable. */
export const WorkerSettings = z.object({
  PARLEY_WORKER_CONCURRENCY: integer(1, 10_000)
    .default(200)
    .describe(
      "Agent turns that a worker runs at once, and as many invocations; invocations that take longer than a second do not count, up to five times as many",
    ),
  PARLEY_WORKSPACE_CONCURRENCY: integer(1, 10_000)
    .default(100)
    .describe("Invocations of a workspace that run at once, on all workers together"),
  PARLEY_WORKSPACE_TURNS: integer(1, 10_000)
    .default(100)
    .describe("Agent turns of a workspace that a worker runs at once"),
  PARLEY_TASK_DEPTH: integer(1, 3)
    .default(3)
    .describe("How many tasks of agents may lead to a further one"),
  PARLEY_TASKS_AT_ONCE: integer(1, 64)
    .default(8)
    .describe("Tasks that an answer gives to other agents at once"),
  PARLEY_CONVERSATION_TASKS: integer(1, 1000)
    .default(50)
    .describe("Tasks in all below a conversation"),
  PARLEY_LEASE_MS: integer(100, 600_000)
    .default(6000)
    .describe("Lease of a run: how long a worker without contact keeps it, in milliseconds"),
  PARLEY_PRIVATE_HOSTS: hostList.describe(
    "Hosts in private networks that tools may call and that webhooks and traces may be sent to, also over http, such as 10.0.0.7:8080",
  ),
  PARLEY_WEBHOOK_DISABLE_DAYS: integer(1, 365)
    .default(5)
    .describe("Days after which a webhook is switched off whose deliveries have all failed"),
  PARLEY_SIMULATION_TIME_SCALE: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(1)
    .describe("Factor for the delays of simulated functions; 0 for none"),
  PARLEY_SANDBOX_PROCESSES: integer(1, 1000)
    .optional()
    .describe(
      "Code that runs at once, of which a workspace has at most half; by default four for each processor, and 8 at least",
    ),
  PARLEY_SANDBOX_WAITING_BYTES: integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      "Memory of all code that waits for a timer or an answer, in bytes; by default a quarter of the machine's",
    ),
  PARLEY_SANDBOX_REQUIRE: z
    .literal("namespace", { error: "it must be namespace, or not set" })
    .optional()
    .describe("namespace: refuse to start if bubblewrap does not work"),
  PARLEY_SANDBOX_PRIVATE_HOSTS: hostList.describe(
    "Hosts in private networks that code may call, also over http, such as 10.0.0.7:8080",
  ),
  PARLEY_SANDBOX_MAX_TIMEOUT_MS: integer(100, 600_000)
    .default(600_000)
    .describe("Longest time of an invocation of code, in milliseconds"),
  PARLEY_SANDBOX_MAX_INPUT_BYTES: integer(1024, 1_048_576)
    .default(1_048_576)
    .describe("Largest input of an invocation of code, in bytes of JSON"),
  PARLEY_SANDBOX_MAX_OUTPUT_BYTES: integer(1024, 1_048_576)
    .default(1_048_576)
    .describe("Largest result of an invocation of code, in bytes of JSON"),
  PARLEY_SANDBOX_MAX_CPU_MS: integer(10, 600_000)
    .default(60_000)
    .describe("Most processor time of an invocation of code, in milliseconds"),
  PARLEY_SANDBOX_MAX_MEMORY_BYTES: integer(4_194_304, 1_073_741_824)
    .default(268_435_456)
    .describe("Most memory of an invocation of code, in bytes"),
  PARLEY_SANDBOX_MAX_LOG_LINES: integer(0, 10_000)
    .default(10_000)
    .describe(
      "Most lines that an invocation of code may print; further ones are counted and dropped",
    ),
  PARLEY_SANDBOX_MAX_LOG_BYTES: integer(0, 67_108_864)
    .default(16_777_216)
    .describe("Most that an invocation of code may print, in bytes"),
  PARLEY_SANDBOX_MAX_FETCHES: integer(0, 1000)
    .default(1000)
    .describe("Most requests that an invocation of code may send"),
  PARLEY_SANDBOX_MAX_FETCH_BYTES: integer(0, 268_435_456)
    .default(67_108_864)
    .describe("Most that an invocation of code may send, and receive, in bytes"),
  PARLEY_E2B_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, { error: "it must be an API key of E2B" })
    .optional()
    .describe("Credential for E2B; required for functions of type e2b"),
  PARLEY_E2B_DOMAIN: z
    .string()
    .refine(isHost, { error: "it must be a host, such as e2b.example.com" })
    .default("e2b.app")
    .describe("Domain of E2B and its sandboxes; defaults to the hosted service's"),
  PARLEY_E2B_API_URL: httpUrl.describe("URL of E2B's API, instead of api. and its domain"),
  PARLEY_E2B_SANDBOX_URL: httpUrl.describe(
    "URL that reaches every sandbox of E2B by headers, instead of one host per sandbox",
  ),
  PARLEY_E2B_TEMPLATE: z
    .string()
    .min(1)
    .max(128)
    .default("base")
    .describe("E2B template for functions that do not name one"),
  ...modelSettings,
  ...traceSettings,
  PARLEY_TOKEN_RETENTION_HOURS: integer(1, 1_000_000)
    .default(24)
    .describe("Retention of the single tokens of an answer after its end, in hours"),
  PARLEY_INVOCATION_LOG_RETENTION_DAYS: integer(1, 100_000)
    .default(7)
    .describe("Retention of the log and progress of an invocation after its end, in days"),
  PARLEY_INVOCATION_RETENTION_DAYS: integer(1, 36_500)
    .default(90)
    .describe("Retention of invocations, with input and result, after their end, in days"),
  PARLEY_VERSION_RETENTION_DAYS: integer(1, 36_500)
    .default(90)
    .describe(
      "Retention of replaced versions of agents, functions and skills that nothing uses, in days",
    ),
  PARLEY_VERSIONS_KEPT: integer(1, 10_000)
    .default(50)
    .describe("Newest versions of each agent, function and skill that are always kept"),
  PARLEY_WEBHOOK_RETENTION_DAYS: integer(1, 36_500)
    .default(30)
    .describe(
      "Retention of the deliveries of webhooks, with their answers, after their end, in days",
    ),
  PARLEY_REQUEST_RETENTION_DAYS: integer(1, 36_500)
    .default(30)
    .describe("Retention of the recorded requests to the services of models, in days"),
  PARLEY_USAGE_RETENTION_DAYS: integer(1, 36_500)
    .default(400)
    .describe(
      "Retention of the entries of each call of a model with what it cost, in days; sums by day are kept",
    ),
  PARLEY_AUDIT_RETENTION_DAYS: integer(1, 36_500)
    .default(365)
    .describe("Retention of the audit log, in days"),
});
export type WorkerSettings = z.output<typeof WorkerSettings>;
