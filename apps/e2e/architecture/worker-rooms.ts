import type { Rooms } from "./rooms.ts";

/** What a worker is composed of, besides its kinds of runs. */
const composed = ["config.ts", "models", "program-runner.ts", "runs"];

export const worker: Rooms = {
  runs: [],
  models: ["runs"],
  "config.ts": ["models"],
  executor: [],
  simulation: ["executor"],
  javascript: ["config.ts", "executor"],
  e2b: ["config.ts", "executor"],
  "e2b/testing": ["e2b", "executor"],
  tools: ["executor"],
  invocations: ["runs", "executor"],
  documents: [],
  metering: ["runs"],
  compaction: ["runs", "models", "metering"],
  webhooks: ["runs"],
  triggers: ["runs", "executor", "webhooks"],
  schedules: ["runs"],
  requests: ["runs"],
  prompts: ["runs", "models", "documents", "requests"],
  turns: ["runs", "models", "metering", "compaction", "prompts"],
  "usage-sums.ts": ["runs"],
  "retention.ts": ["config.ts", "runs", "usage-sums.ts"],
  "program-runner.ts": ["config.ts", "executor", "javascript", "e2b", "simulation", "tools"],
  "create-run-kinds.ts": [
    ...composed,
    "documents",
    "compaction",
    "invocations",
    "requests",
    "schedules",
    "triggers",
    "turns",
    "webhooks",
  ],
  "worker.ts": [...composed, "create-run-kinds.ts", "retention.ts"],
};
