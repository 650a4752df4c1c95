import { setTimeout as sleep } from "node:timers/promises";
import {
  compactMessageLogs,
  type Core,
  countStorage,
  createFileTextSweep,
  createInvocationSweep,
  createVersionSweep,
  eraseTemporaryConversations,
  sweepAuditLog,
  removeAbandonedWebhooks,
  sweepDeliveries,
  sweepDrafts,
  sweepFirings,
  sweepClientServers,
  sweepFiles,
  sweepIdempotencyKeys,
  sweepRecordedRequests,
  sweepSessions,
  sweepProposals,
  sweepTriggerEvents,
  sweepIncidents,
  sweepMeasures,
  sweepUsage,
  sweepUserTokens,
  trimInvocationLogs,
} from "@parley/core";
import type { Logger } from "pino";
import type { WorkerSettings } from "./config.ts";
import type { WorkerMetrics } from "./runs/metrics.ts";
import { startMessageIndexing } from "./message-indexing.ts";
import { startUsageSums } from "./usage-sums.ts";

/** Time between sweeps, with jitter of a half, so that workers do not sweep together. */
const SWEEP_INTERVAL_MS = 300_000;
/** Time between looks for workspaces whose stored bytes are to be counted. */
const COUNT_INTERVAL_MS = 2000;
/** Time between looks for temporary conversations that have ended: they are erased within a minute. */
const ERASE_INTERVAL_MS = 10_000;
const ERASURE = "temporary_conversations";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface RetentionOptions {
  readonly core: Core;
  readonly settings: Pick<
    WorkerSettings,
    | "PARLEY_TOKEN_RETENTION_HOURS"
    | "PARLEY_INVOCATION_LOG_RETENTION_DAYS"
    | "PARLEY_INVOCATION_RETENTION_DAYS"
    | "PARLEY_VERSION_RETENTION_DAYS"
    | "PARLEY_VERSIONS_KEPT"
    | "PARLEY_AUDIT_RETENTION_DAYS"
    | "PARLEY_REQUEST_RETENTION_DAYS"
    | "PARLEY_WEBHOOK_RETENTION_DAYS"
    | "PARLEY_USAGE_RETENTION_DAYS"
  >;
  readonly logger: Logger;
  readonly metrics: Pick<WorkerMetrics, "swept" | "sweepEnded" | "usage" | "indexed">;
}

/**
 * Removes from closed logs what has passed its retention, and deletes old invocations, old versions, old
 * idempotency keys, old entries of the audit log, recorded requests, old deliveries of webhooks, old events of triggers, old entries and sums of usage, expired user
 * tokens, files that were not uploaded in time and texts of files that are gone; at once, and then every few minutes. A
 * sweep that fails is logged, and the others continue. Erases temporary conversations soon after they have ended. Counts what workspaces store if that may have changed, sums what they use, and indexes messages.
 * Gives a function that stops it, which resolves when the current sweep has ended.
 */
export function startRetention({
  core,
  settings,
  logger,
  metrics,
}: RetentionOptions): () => Promise<void> {
  const tokens = { retentionMs: settings.PARLEY_TOKEN_RETENTION_HOURS * HOUR_MS };
  const invocationLogs = { retentionMs: settings.PARLEY_INVOCATION_LOG_RETENTION_DAYS * DAY_MS };
  const invocations = { retentionMs: settings.PARLEY_INVOCATION_RETENTION_DAYS * DAY_MS };
  const versions = {
    retentionMs: settings.PARLEY_VERSION_RETENTION_DAYS * DAY_MS,
    kept: settings.PARLEY_VERSIONS_KEPT,
  };
  const requests = { retentionMs: settings.PARLEY_REQUEST_RETENTION_DAYS * DAY_MS };
  const deliveries = { retentionMs: settings.PARLEY_WEBHOOK_RETENTION_DAYS * DAY_MS };
  const usage = { retentionMs: settings.PARLEY_USAGE_RETENTION_DAYS * DAY_MS };
  const audited = { retentionMs: settings.PARLEY_AUDIT_RETENTION_DAYS * DAY_MS };
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function sweep(what: string, trim: () => Promise<number>): Promise<void> {
    for (let found = 1; found > 0 && !signal.aborted;) {
      const startedAt = performance.now();
      found = await trim();
      if (found > 0) metrics.swept(what, found);
      // At most half of the time is spent on sweeping, however much there is to remove.
      if (found > 0) await pause(performance.now() - startedAt);
    }
  }

  const { limitBytes } = core.storage;
  const pauseCount = async (ms: number): Promise<void> => {
    await pause(ms);
    signal.throwIfAborted();
  };

  async function count(): Promise<void> {
    while (!signal.aborted) {
      try {
        const counted = await countStorage(core, { limitBytes, pause: pauseCount });
        if (counted > 0) metrics.swept("storage_counts", counted);
        else await pause((0.5 + core.random()) * COUNT_INTERVAL_MS);
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error }, "What a workspace stores could not be counted");
        await pause(COUNT_INTERVAL_MS);
      }
    }
  }

  const sweeps: [what: string, trim: () => Promise<number>][] = [
    ["message_logs", () => compactMessageLogs(core, tokens)],
    ["invocation_logs", () => trimInvocationLogs(core, invocationLogs)],
    ["invocations", createInvocationSweep(core, invocations)],
    ["agent_versions", createVersionSweep(core, { kind: "agent", ...versions })],
    // After the invocations that were of them.
    ["function_versions", createVersionSweep(core, { kind: "function", ...versions })],
    ["agent_drafts", () => sweepDrafts(core)],
    ["skill_versions", createVersionSweep(core, { kind: "skill", ...versions })],
    ["idempotency_keys", () => sweepIdempotencyKeys(core)],
    ["audit_events", () => sweepAuditLog(core, audited)],
    ["recorded_requests", () => sweepRecordedRequests(core, requests)],
    ["usage", () => sweepUsage(core, usage)],
    ["measures", () => sweepMeasures(core)],
    ["alert_incidents", () => sweepIncidents(core)],
    ["schedule_firings", () => sweepFirings(core)],
    ["webhook_deliveries", () => sweepDeliveries(core, deliveries)],
    ["webhooks", () => removeAbandonedWebhooks(core)],
    ["trigger_events", () => sweepTriggerEvents(core)],
    ["memory_proposals", () => sweepProposals(core)],
    ["files", () => sweepFiles(core)],
    ["file_texts", createFileTextSweep(core)],
    ["client_servers", () => sweepClientServers(core)],
    ["user_tokens", () => sweepUserTokens(core)],
    ["sessions", () => sweepSessions(core)],
  ];

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let outcome: "done" | "failed" = "done";
      for (const [what, trim] of sweeps) {
        try {
          await sweep(what, trim);
        } catch (error) {
          // It may fail each time: the others do not wait for it.
          outcome = "failed";
          logger.error({ err: error, sweep: what }, "A sweep failed");
        }
      }
      metrics.sweepEnded(outcome);
      await pause((0.5 + core.random()) * SWEEP_INTERVAL_MS);
    }
  }

  async function erase(): Promise<void> {
    while (!signal.aborted) {
      try {
        await sweep(ERASURE, () => eraseTemporaryConversations(core));
      } catch (error) {
        logger.error({ err: error, sweep: ERASURE }, "A sweep failed");
      }
      await pause((0.5 + core.random()) * ERASE_INTERVAL_MS);
    }
  }

  const running = Promise.all([run(), count(), erase()]);
  const stopIndexing = startMessageIndexing({ core, logger, metrics });
  const stopUsageSums = startUsageSums({ core, logger, metrics: metrics.usage });
  return async () => {
    stop.abort();
    await Promise.all([running, stopUsageSums(), stopIndexing()]);
  };
}
