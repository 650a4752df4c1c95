import { conversations, events, invocations, logs, messages, runs } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";

const LIMIT = 3;

describe("runs of a workspace that may wait", () => {
  const test = coreTest({ waitingRuns: LIMIT });
  let other: CoreContext;
  beforeAll(async () => {
    other = await openWorkspace();
  });
  beforeEach(() => clearRuns(test.core));

  async function openWorkspace(): Promise<CoreContext> {
    const workspace = await insertTestWorkspace(test.core);
    for (const sid of ["ann", "bob"]) {
      await insertTestAgent(test.core, workspace, { sid: `${sid}${workspace.id}` });
    }
    await insertTestFunction(test.core, workspace, { slug: "work" });
    return openTestContext(test.core, workspace);
  }
  const agentOf = ({ caller }: CoreContext, name = "ann") => `${name}${caller.workspace.id}`;
  const create = (context: CoreContext) => createTestConversation(context, [agentOf(context)]);
  const invoke = (context: CoreContext) =>
    invokeSandboxFunction(context, { functionId: "work", input: {} });
  const post = (context: CoreContext, cId: string) =>
    postTestMessage(context, cId, { agentIds: [agentOf(context)] });

  /** How many rows there are of all that a create writes. */
  const countRows = async () => {
    const counts = [];
    for (const table of [conversations, messages, invocations, logs, events, runs]) {
      counts.push(await test.core.database.db.$count(table));
    }
    return counts;
  };
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ParleyError)) throw new Error("It was not refused", { cause: error });
    return { type: error.type, status: error.status, after: error.retryAfterSeconds };
  };
  /** A process may count turns that have ended just now. */
  const untilAdmitted = (work: () => Promise<unknown>) => {
    const attempt = () =>
      work().then(
        () => "admitted",
        () => "refused",
      );
    return expect.poll(attempt, { timeout: 10_000 }).toBe("admitted");
  };
  const full = { type: "rate_limit_error", status: 429, after: 2 };

  it("are so many, and what is refused leaves no trace", async () => {
    const context = await openWorkspace();
    const { conversation } = await create(context);
    const cId = conversation.sId;
    await answerTestTurns(test.core);
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    // The first waits for a worker, the others wait after it.
    await untilAdmitted(() => post(context, cId));
    await untilAdmitted(() => post(context, cId));
    await untilAdmitted(() => post(context, cId));
    const before = await countRows();
    expect(await refusal(create(context))).toEqual(full);
    expect(await refusal(post(context, cId))).toEqual(full);
    expect(await refusal(retryMessage(context, { cId, mId }))).toEqual(full);
    expect(await countRows()).toEqual(before);
    // Neither what has no run is refused, nor another kind, nor another workspace.
    await createTestConversation(context, []);
    await invoke(context);
    await create(other);
  });

  it("count invocations for themselves", async () => {
    const context = await openWorkspace();
    for (let index = 0; index < LIMIT; index++) await invoke(context);
    const before = await countRows();
    expect(await refusal(invoke(context))).toEqual(full);
    expect(await countRows()).toEqual(before);
    await create(context);
  });

  it("are counted before any is accepted, whichever process wrote them", async () => {
    const context = await openWorkspace();
    const { id } = context.caller.workspace;
    await test.core.database.db.execute(sql`
        insert into runs (log_id, kind, workspace_id, subject_id, status, priority, attempt,
          max_attempts, run_after, created_at)
        select 'other-' || ${id}::text || n, 'agent_turn', ${id}, 0,
          case when n = 1 then 'waiting' else 'queued' end, 0, 0, 5, now(), 0
        from generate_series(1, ${LIMIT - 1}::int) n`);
    const both = [agentOf(context), agentOf(context, "bob")];
    expect(await refusal(createTestConversation(context, both))).toEqual(full);
    await create(context);
    expect(await refusal(create(context))).toEqual(full);
  });

  it("are no more when many come at once", async () => {
    const context = await openWorkspace();
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => create(context)));
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(LIMIT);
  });

  it("make room once workers have taken some", async () => {
    const context = await openWorkspace();
    for (let index = 0; index < LIMIT; index++) await create(context);
    expect(await refusal(create(context))).toEqual(full);
    await answerTestTurns(test.core);
    await untilAdmitted(() => create(context));
  });
});
