import { actions, logs, messages, runs } from "@parley/db";
import { isNightly } from "@parley/db/testing";
import { type LogEvent, ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  expireTestLeases,
  postTestMessage,
  readTestLog,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import { appendEvents, isTerminal } from "../log/append.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { LostLease } from "../runs/leases.ts";
import { finishTurns } from "./finish-turns.ts";
import { loadTurn, type Turn } from "./load-turns.ts";
import { saveStep } from "./save-step.ts";
import { takeOverRuns } from "../take-over-runs.ts";

const RUNS = isNightly ? 2000 : 80;
const failure = { code: "broken", message: "It broke", metadata: null };

const test = workspaceTest({ per: "suite", agents: ["ann", "bob"], keepRuns: true });

const agentIds = fc.subarray(["ann", "bob"], { minLength: 1 });
// Which attempt or message is meant: the newest ones are, more often than not.
const which = fc.oneof(fc.nat(2), fc.nat(9));
const command = fc.oneof(
  fc.record({ type: fc.constant("post"), agentIds }),
  fc.record({ type: fc.constant("claim") }),
  fc.record({
    type: fc.constant("publish"),
    which,
    text: fc.constantFrom("x", "yes ", "\ud83d\ude00"),
  }),
  fc.record({ type: fc.constant("step"), which }),
  fc.record({ type: fc.constant("finish"), which, fails: fc.boolean() }),
  fc.record({ type: fc.constant("cancel"), which: fc.array(which, { maxLength: 3 }) }),
  fc.record({ type: fc.constant("retry"), which }),
  fc.record({ type: fc.constant("steal") }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What one worker has of a run: it never learns that the run was taken from it. */
interface Attempt {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  text: string;
  step: number;
}

function toAttempt({ run, turn }: Pick<Attempt, "run" | "turn">): Attempt {
  const published = turn.published.map((payload) => JSON.parse(payload) as LogEvent);
  const step = turn.actions.reduce((last, action) => Math.max(last, action.step + 1), 0);
  return { run, turn, text: tokensOf(published), step };
}

function tokensOf(events: readonly LogEvent[]): string {
  return events.map((event) => (event.type === "generation_tokens" ? event.text : "")).join("");
}

/** Counted from the newest. */
function pick<T>(rows: readonly T[], index: number): T | undefined {
  return rows.toReversed()[index % rows.length];
}

async function publish(attempt: Attempt, text: string): Promise<void> {
  const { logId, attempt: fence } = attempt.run;
  const append = { logId, events: [testToken(text)], guard: { logId, fence } };
  const written = await inTransaction(test.core, ({ db, afterCommit }) =>
    appendEvents(db, [append], afterCommit),
  );
  if (written.has(logId)) attempt.text += text;
}

async function finishStep(attempt: Attempt): Promise<void> {
  const call = { id: "c", name: "f", params: {}, output: "", isError: false, durationMs: 1 };
  const { run, turn, step } = attempt;
  const events = [testToken("so ")];
  const rest = { step, calls: [call, call], events, rawContents: [], chainOfThought: null };
  try {
    await saveStep(test.core, { run, turn, ...rest });
    attempt.text += "so ";
    attempt.step++;
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
  }
}

async function play(commands: readonly Command[]): Promise<string> {
  const { conversation } = await createTestConversation(test.context, ["ann"]);
  const cId = conversation.sId;
  const known = conversation.content.flat().map((message) => message.sId);
  const attempts: Attempt[] = [];
  for (const one of commands) {
    if (one.type === "post") {
      const posted = await postTestMessage(test.context, cId, { agentIds: one.agentIds });
      known.push(...posted.agentMessages.map((message) => message.sId));
    } else if (one.type === "claim") {
      attempts.push(...(await claimTestTurns(test.core)).map(toAttempt));
    } else if (one.type === "steal") {
      await expireTestLeases(test.core);
      const options = { workerId: "thief", leaseMs: 60_000, limit: 100 };
      const taken = await takeOverRuns(test.core, options);
      for (const run of taken) {
        attempts.push(toAttempt({ run, turn: (await loadTurn(test.core, run))! }));
      }
    } else if (one.type === "cancel") {
      const messageIds = one.which.map((index) => pick(known, index) ?? "unknown");
      await cancelMessages(test.context, { cId, messageIds });
    } else if (one.type === "retry") {
      const mId = pick(known, one.which) ?? "unknown";
      const retried = await retryMessage(test.context, { cId, mId }).catch((error: unknown) => {
        if (!(error instanceof ParleyError) || error.status !== 400) throw error;
      });
      if (retried !== undefined) known.push(retried.message.sId);
    } else {
      const attempt = pick(attempts, one.which);
      if (attempt === undefined) continue;
      if (one.type === "publish") await publish(attempt, one.text);
      else if (one.type === "step") await finishStep(attempt);
      else {
        const events = [testToken("end")];
        const outcome = testOutcome(`${attempt.text}end`, one.fails ? failure : null);
        await finishTurns(test.core, [{ ...attempt, outcome, events, actions: [] }]);
      }
    }
  }
  return cId;
}

const statusOf: Record<string, string> = {
  agent_message_success: "succeeded",
  agent_error: "failed",
  agent_generation_cancelled: "cancelled",
};

async function check(cId: string): Promise<void> {
  const { db } = test.core.database;
  const rows = await db.select().from(messages).orderBy(messages.rank, messages.version);
  const positions = Map.groupBy(rows, (row) => row.rank);
  expect([...positions.keys()]).toEqual(Array.from({ length: positions.size }, (_, rank) => rank));
  for (const versions of positions.values()) {
    expect(versions.map((row) => row.version)).toEqual(versions.map((_, version) => version));
  }

  const ofLogs = await db.select().from(logs).leftJoin(runs, eq(runs.logId, logs.id));
  const byLog = new Map(ofLogs.map((row) => [row.logs.id, row]));
  const calls = Map.groupBy(await db.select().from(actions), (action) => action.messageId);
  const ofConversation = await readTestLog(test.core, cId);
  for (const row of rows.filter(({ type }) => type === "agent_message")) {
    const log = byLog.get(row.sid);
    const events = await readTestLog(test.core, row.sid);
    const ends = events.filter((event) => isTerminal(event.type));
    const told = ofConversation.filter(
      (event) => "messageId" in event && event.messageId === row.sid,
    );
    const ended = ends.length > 0;
    expect({
      status: row.status,
      content: row.content,
      ends: ends.length,
      endsLast: isTerminal(events.at(-1)?.type ?? ""),
      closed: log?.logs.closedAt !== null,
      finished: log?.runs?.status === "finished",
      lastSeq: log?.logs.lastSeq,
      told: told.map((event) => event.type),
      calls: calls.get(row.id)?.length ?? 0,
    }).toEqual({
      status: statusOf[ends[0]?.type ?? ""] ?? "created",
      content: ended ? tokensOf(events) : "",
      ends: ended ? 1 : 0,
      endsLast: ended,
      closed: ended,
      finished: ended,
      lastSeq: events.length,
      told: ended ? ["agent_message_new", "agent_message_done"] : ["agent_message_new"],
      calls: events.filter((event) => event.type === "agent_action_success").length,
    });
  }
  const running = ofLogs.filter((row) => row.runs?.status === "running");
  expect(new Set(running.map((row) => row.runs?.orderingKey)).size).toBe(running.length);
}

it(
  "ends every answer at most once, as its log says, whatever workers and clients do",
  { timeout: 1_800_000 },
  async () => {
    let played = 0;
    const property = fc.asyncProperty(fc.array(command, { maxLength: 18 }), async (commands) => {
      await clearRuns(test.core);
      await check(await play([{ type: "claim" }, ...commands]));
      played++;
    });
    await fc.assert(property, { numRuns: RUNS });
    expect(played).toBe(RUNS);
  },
);
