import { countModule, type CountTokens } from "@parley/agent";
import { type ClaimedRun, type Compaction, type Core, type Job, type Turn } from "@parley/core";
import type { Logger } from "pino";
import type { UsageMetrics } from "../runs/usage-metrics.ts";
import { createMeter, type RunMeter } from "./create-meter.ts";

/** A prompt of a million tokens takes at most two seconds. */
const countJob: Job<readonly string[], number> = {
  url: countModule,
  name: "countTexts",
  deadlineMs: 10_000,
};

/** What runs are metered with. */
export interface MeterServices {
  readonly core: Core;
  readonly logger: Logger;
  readonly usage: Pick<UsageMetrics, "refused">;
}

interface MeteredAttempt {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  /** Repeats work on the database through an outage. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/** Creates the meter of an attempt at a turn: of its answer, or of the title of its conversation. */
export async function meterTurn(
  { core, logger, usage }: MeterServices,
  { run, turn, retry, signal }: MeteredAttempt,
  origin: "answer" | "title" = "answer",
): Promise<RunMeter> {
  const { billing, conversation, agent } = turn;
  const { workspaceId, attempt, apiKeyId, userId } = run;
  return createMeter({
    core,
    logger,
    usage,
    place: {
      workspaceId,
      origin,
      // A title is written beside the answer, and outlives its attempt.
      logId: origin === "title" ? `title ${run.logId}` : run.logId,
      attempt,
      conversationId: conversation.id,
      conversationSid: turn.rootSid,
      spaceId: conversation.spaceId,
      apiKeyId,
      userId,
      agentId: agent.sid,
      tags: billing.tags ?? undefined,
      sources: sourcesOf(turn),
    },
    billing,
    prices: await core.priceListOf(workspaceId, billing),
    countTokens: createTokenCounter(core, { workspaceId, signal }),
    retry,
    signal,
  });
}

/** Views of data sources whose nodes the conversation was given; undefined without any. */
function sourcesOf({ history }: Turn): string[] | undefined {
  const views = history.flatMap(({ fragment }) => fragment?.node?.nodeDataSourceViewId ?? []);
  return views.length === 0 ? undefined : [...new Set(views)];
}

/** A summary of a conversation that is being written. */
export interface MeteredCompaction extends Omit<MeteredAttempt, "turn"> {
  readonly compaction: Compaction;
}

/** Creates the meter of an attempt at a summary. */
export async function meterCompaction(
  { core, logger, usage }: MeterServices,
  { run, compaction, retry, signal }: MeteredCompaction,
): Promise<RunMeter> {
  const { billing, summary, conversationSid, agentSid, spaceId } = compaction;
  const { workspaceId, attempt, apiKeyId, userId, logId } = run;
  const { conversationId } = summary;
  const of = { workspaceId, origin: "summary", logId, attempt, apiKeyId, userId } as const;
  return createMeter({
    core,
    logger,
    usage,
    place: {
      ...of,
      conversationId,
      conversationSid,
      spaceId,
      agentId: agentSid,
      tags: billing.tags ?? undefined,
    },
    billing,
    prices: await core.priceListOf(workspaceId, billing),
    countTokens: createTokenCounter(core, { workspaceId, signal }),
    retry,
    signal,
  });
}

/** Counts tokens of a workspace's prompts outside of the event loop. */
export function createTokenCounter(
  core: Pick<Core, "threads">,
  given: { readonly workspaceId: number; readonly signal: AbortSignal },
): CountTokens {
  return async (texts) => {
    const counted = await core.threads.call(countJob, texts, { ...given, origin: "run" });
    if ("value" in counted) return counted.value;
    throw new Error(`The prompt's tokens cannot be counted: ${counted.failure}`);
  };
}
