import { actions, messages, type Queryable, runs } from "@parley/db";
import { sql } from "drizzle-orm";
import type { CoreContext } from "../src/create-core.ts";

/** An answer of the agent `ann` that has ended. */
export interface EndedAnswer {
  readonly at: number;
  readonly wholeMs: number;
  readonly firstMs: number | null;
  readonly outcome: "succeeded" | "errored" | "cancelled";
  readonly tools: readonly { readonly isErrored: boolean; readonly durationMs: number }[];
}

let numbers = 900_000_000;

/** Writes the rows that an ended answer leaves. */
export async function insertEndedAnswer(
  { caller: { workspace, apiKey, user } }: CoreContext,
  database: Pick<Queryable, "insert">,
  given: EndedAnswer,
): Promise<void> {
  const number = numbers++;
  const logId = `${workspace.sid}-${number}`;
  const createdAt = given.at - given.wholeMs;
  const { id: workspaceId } = workspace;
  const step = { step: 1, durationMs: 1, inputTokens: 1, outputTokens: 1, startedAt: createdAt };
  await database.insert(messages).values({
    sid: logId,
    id: number,
    workspaceId,
    conversationId: 1,
    rank: number,
    version: 0,
    type: "agent_message",
    visibility: "visible",
    createdAt,
    content: "",
    agentId: sql`(select max(id) from agents where workspace_id = ${workspaceId} and sid = ${"ann"})`,
    steps: given.firstMs === null ? [step] : [{ ...step, firstTokenMs: given.firstMs }],
  });
  const calls = given.tools.map(({ isErrored, durationMs }, position) => ({
    sid: `act_${number}_${position}`,
    messageId: number,
    step: 1,
    position,
    toolName: "search",
    functionCallName: "search",
    functionCallId: "x",
    status: isErrored ? "errored" : "succeeded",
    params: {},
    executionDurationMs: durationMs,
    createdAt,
    updatedAt: createdAt,
  }));
  if (calls.length > 0) await database.insert(actions).values(calls);
  await database.insert(runs).values({
    logId,
    kind: "agent_turn",
    workspaceId,
    subjectId: number,
    status: "finished",
    priority: 0,
    attempt: 1,
    maxAttempts: 1,
    runAfter: new Date(createdAt),
    createdAt,
    finishedAt: given.at,
    outcome: given.outcome,
    apiKeyId: apiKey.id,
    userId: user.id,
  });
}
