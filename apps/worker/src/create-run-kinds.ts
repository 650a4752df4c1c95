import { type Core, createModelFiles } from "@parley/core";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createCompactionRuns } from "./compaction/compaction-runs.ts";
import type { WorkerSettings } from "./config.ts";
import { createDocuments } from "./documents/create-documents.ts";
import { createDocumentMetrics } from "./documents/document-metrics.ts";
import { createInvocationMetrics } from "./invocations/invocation-metrics.ts";
import { createInvocationRuns } from "./invocations/run-invocation.ts";
import { createCircuits } from "./models/circuits.ts";
import {
  createModelProviders,
  measureProviders,
  readTitleModel,
} from "./models/model-providers.ts";
import { createProgramRunner, type ProgramRunner } from "./program-runner.ts";
import { createDivisionMetrics } from "./retrieval/division-metrics.ts";
import { createDivisionRuns } from "./retrieval/division-runs.ts";
import { createEmbeddingRuns } from "./retrieval/embedding-runs.ts";
import { createRequestRecorder, type RequestRecorder } from "./requests/request-recorder.ts";
import type { WorkerMetrics } from "./runs/metrics.ts";
import type { Persistence } from "./runs/outage.ts";
import type { RunKinds } from "./runs/run-kind.ts";
import { createOwnCallMetrics } from "./turns/own-call-metrics.ts";
import { createTitleMaker, type TitleMaker } from "./turns/title-maker.ts";
import { createTargets } from "./traces/destination-targets.ts";
import { createExportRuns } from "./traces/export-runs.ts";
import { createTraceMetrics } from "./traces/trace-metrics.ts";
import { followsGenAi, serverTarget } from "./traces/trace-settings.ts";
import { createTriggerRuns } from "./triggers/trigger-runs.ts";
import { createFiringRuns } from "./schedules/firing-runs.ts";
import { createRefreshRuns } from "./web-sources/refresh-runs.ts";
import { createWebMetrics } from "./web-sources/web-metrics.ts";
import { createDeliveryRuns } from "./webhooks/delivery-runs.ts";
import { createTurnRuns } from "./turns/turn-runs.ts";

/** What the runs of a worker need from it. */
interface RunKindsParts {
  readonly core: Core;
  readonly settings: WorkerSettings;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly metrics: WorkerMetrics;
  readonly persistence: Persistence;
  /** Version of the server, for traces. */
  readonly version: string;
}

/** The kinds of runs of a worker, with what is to be closed after them. */
interface MadeRunKinds {
  readonly kinds: RunKinds;
  readonly titles: TitleMaker;
  readonly requests: RequestRecorder;
  readonly executor: ProgramRunner["executor"];
  readonly probes: Omit<ProgramRunner, "executor">;
}

/** Composes what each kind of run is executed with. */
export function createRunKinds({ metrics, persistence, ...parts }: RunKindsParts): MadeRunKinds {
  const { core, settings, logger, registry, version } = parts;
  const { usage, operations } = metrics;
  const { executor, ...probes } = createProgramRunner(parts);
  const circuits = createCircuits(registry);
  const measuring = { operations, logger, circuits };
  const providers = measureProviders(createModelProviders(settings), measuring);
  const model = readTitleModel(settings);
  const titles = createTitleMaker({ core, logger, providers, usage, model });
  const documents = createDocuments({ core, metrics: createDocumentMetrics(registry) });
  const modelFiles = createModelFiles(core, settings.PARLEY_MODEL_FILE_BYTES);
  const requests = createRequestRecorder({ core, logger, registry });
  const models = { providers, circuits, modelFiles, documents, requests };
  const services = { core, logger, usage, persistence, ...models, titles, executor };
  const kinds: RunKinds = {
    agent_turn: createTurnRuns({
      ...services,
      ownCalls: createOwnCallMetrics(registry),
      perWorkspace: settings.PARLEY_WORKSPACE_TURNS,
      teamLimits: {
        depth: settings.PARLEY_TASK_DEPTH,
        atOnce: settings.PARLEY_TASKS_AT_ONCE,
        inAll: settings.PARLEY_CONVERSATION_TASKS,
      },
    }),
    compaction: createCompactionRuns(services),
    delivery: createDeliveryRuns({
      core,
      persistence,
      allowedHosts: settings.PARLEY_PRIVATE_HOSTS,
      disableAfterDays: settings.PARLEY_WEBHOOK_DISABLE_DAYS,
    }),
    division: createDivisionRuns({
      core,
      persistence,
      metrics: createDivisionMetrics(registry),
    }),
    embedding: createEmbeddingRuns({ core, persistence }),
    firing: createFiringRuns({ core, persistence }),
    invocation: createInvocationRuns({
      ...services,
      metrics: createInvocationMetrics(registry),
      perWorkspace: settings.PARLEY_WORKSPACE_CONCURRENCY,
    }),
    trace_export: createExportRuns({
      core,
      persistence,
      targets: createTargets(core, {
        allowedHosts: settings.PARLEY_PRIVATE_HOSTS,
        server: serverTarget(settings),
      }),
      metrics: createTraceMetrics(registry),
      origin: { serviceName: settings.OTEL_SERVICE_NAME, version },
      isGenAi: followsGenAi(settings),
    }),
    web_refresh: createRefreshRuns({
      core,
      persistence,
      allowedHosts: settings.PARLEY_PRIVATE_HOSTS,
      metrics: createWebMetrics(registry),
    }),
    trigger_event: createTriggerRuns({ core, persistence, executor }),
  };
  return { kinds, titles, requests, executor, probes };
}
