import { runs } from "@parley/db";
import type { AgentError, ProviderError } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";
import { claimInvocations } from "../src/invocations/claim-invocations.ts";
import { finishInvocations } from "../src/invocations/finish-invocations.ts";
import { loadInvocation } from "../src/invocations/load-invocation.ts";
import { finishTurns } from "../src/turns/finish-turns.ts";
import { claimTestTurns, testOutcome } from "./testing.ts";

/** What each turn of `endTestTurns` takes in all. */
export const testTurn = {
  durationMs: 70,
  usage: {
    inputTokens: 20,
    outputTokens: 3,
    cachedInputTokens: 6,
    cacheWriteTokens: 4,
    reasoningTokens: 2,
  },
};

/** Claims the waiting turns and ends each after two steps. */
export async function endTestTurns(
  core: Core,
  error: AgentError | null = null,
  providerError?: ProviderError,
): Promise<void> {
  const steps = [1, 2].map((step) => ({
    step,
    inputTokens: 10,
    outputTokens: step,
    cachedInputTokens: 3,
    cacheWriteTokens: 2,
    reasoningTokens: 1,
    durationMs: 1,
  }));
  const outcome = { ...testOutcome("Hi", error), providerError, steps };
  const claimed = await claimTestTurns(core);
  // The clock of a test is not that of its database, which dates the claim.
  await core.database.db
    .update(runs)
    .set({ startedAt: core.now() - testTurn.durationMs })
    .where(eq(runs.kind, "agent_turn"));
  await finishTurns(
    core,
    claimed.map((one) => ({ ...one, outcome, events: [], actions: [] })),
  );
}

/** Claims the waiting invocations and ends them with a result. */
export async function endTestInvocations(core: Core): Promise<void> {
  const limits = { limit: 100, after: 0, perWorkspace: 100 };
  const claimed = await claimInvocations(core, { workerId: "test", leaseMs: 60_000, ...limits });
  const ended = claimed.runs.map(async (run) => ({
    run,
    ...(await loadInvocation(core, run)),
    outcome: { status: "succeeded" as const, result: 1 },
    events: [],
  }));
  await finishInvocations(core, await Promise.all(ended));
}
