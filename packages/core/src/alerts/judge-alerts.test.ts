import {
  alertIncidents,
  budgetSpending,
  measurePositions,
  measureSums,
  webhookDeliveries,
  workers,
} from "@parley/db";
import { builtInAlerts, endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { createTestConversation } from "../../testing/testing.ts";
import { insertTestBudget } from "../../testing/usage.ts";
import { createWebhook } from "../webhooks/webhooks.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { minuteOf } from "../activity/minutes.ts";
import { createAlert, getAlert, listAlerts, removeAlert, updateAlert } from "./alerts.ts";
import { countOpenAlerts, listIncidents } from "./incidents.ts";
import { judgeAlerts } from "./judge-alerts.ts";

const MINUTE_MS = 60_000;

describe("alerts", () => {
  const test = workspaceTest({
    agents: ["ann"],
    role: "admin",
    parts: { secretBox: createSecretBox([new Uint8Array(32)]) },
  });
  const db = () => test.core.database.db;
  const ofWorkspace = () => ({ wId: test.workspaceId });

  beforeEach(async () => {
    await db().delete(measureSums);
    await db().delete(measurePositions);
    await db().delete(alertIncidents);
    await db().delete(workers);
    await db()
      .insert(workers)
      .values({ id: "w", aliveUntil: new Date(Date.now() + 3_600_000) });
  });

  /** Writes what happened in the current minute. */
  const happen = async (sums: Record<string, number>, agent?: string) => {
    const startsAt = minuteOf(test.clock.now);
    const row = { workspaceId: test.workspace.id, period: "minute", startsAt, sums } as const;
    await db()
      .insert(measureSums)
      .values(
        agent === undefined
          ? { ...row, dimension: "all", value: "" }
          : { ...row, dimension: "agent", value: agent },
      );
  };
  const pass = (minutes: number) => (test.clock.now += minutes * MINUTE_MS);
  const list = async (status?: "open" | "closed") =>
    (
      await listIncidents(
        test.context,
        parseInput(endpoints["alerts.listIncidents"], { ...ofWorkspace(), status }),
      )
    ).incidents;
  const create = (input: Omit<InputOf<(typeof endpoints)["alerts.create"]>, "wId">) =>
    createAlert(
      test.context,
      parseInput(endpoints["alerts.create"], { ...ofWorkspace(), ...input }),
    );
  const update = (input: Omit<InputOf<(typeof endpoints)["alerts.update"]>, "wId">) =>
    updateAlert(
      test.context,
      parseInput(endpoints["alerts.update"], { ...ofWorkspace(), ...input }),
    );
  const told = async () => {
    const rows = await db()
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.workspaceId, test.workspace.id))
      .orderBy(webhookDeliveries.id);
    return rows.map(({ event, subject }) => ({ event, ...subject }));
  };
  const listen = () =>
    createWebhook(
      test.context,
      parseInput(endpoints["webhooks.create"], {
        ...ofWorkspace(),
        url: "https://shop.example/hooks",
        events: ["alert.opened", "alert.closed"],
        isPulled: true,
      }),
    );

  it("are five of each workspace, which none has changed", async () => {
    const { alerts } = await listAlerts(test.context, ofWorkspace());
    expect(alerts.map(({ sId }) => sId)).toEqual(Object.keys(builtInAlerts));
    for (const alert of alerts) {
      expect(alert).toMatchObject({
        isBuiltIn: true,
        isEnabled: true,
        version: 0,
        openSince: null,
      });
    }
    await judgeAlerts(test.core);
    expect(await list()).toEqual([]);
  });

  it("open and close once, however many processes judge, with what webhooks are told", async () => {
    await listen();
    await happen({ answers: 20, errored: 5 });
    await Promise.all([1, 2, 3, 4].map(() => judgeAlerts(test.core)));
    const [incident] = await list("open");
    expect(await list()).toHaveLength(1);
    expect(incident).toMatchObject({
      alertId: "error-rate",
      threshold: 10,
      value: 25,
      worst: 25,
      openedAt: test.clock.now,
      closedAt: null,
    });
    expect(
      (await getAlert(test.context, { ...ofWorkspace(), alertId: "error-rate" })).alert,
    ).toMatchObject({ openSince: test.clock.now });
    const rates = async () =>
      (await countOpenAlerts(test.core)).find(({ measure }) => measure === "error_rate")?.count;
    expect(await rates()).toBe(1);
    pass(10);
    await happen({ answers: 20, errored: 10 });
    await judgeAlerts(test.core);
    expect(await list("open")).toMatchObject([{ value: 25, worst: 37.5 }]);
    // Only the later minute is left of the window: 50 %. Then nothing.
    pass(20);
    await happen({ answers: 100, errored: 6 });
    await judgeAlerts(test.core);
    expect(await list("open")).toHaveLength(1);
    pass(20);
    await Promise.all([1, 2, 3, 4].map(() => judgeAlerts(test.core)));
    expect(await list()).toMatchObject([
      { sId: incident!.sId, closedAt: test.clock.now, closedFor: "recovered", worst: 37.5 },
    ]);
    expect(await rates()).toBe(0);
    expect(await told()).toMatchObject([
      { event: "alert.opened", incidentId: incident!.sId, alertId: "error-rate", value: 25 },
      { event: "alert.closed", incidentId: incident!.sId, reason: "recovered" },
    ]);
  });

  it("are told by the next process if one is killed before its commit", async () => {
    await listen();
    await happen({ answers: 20, errored: 5 });
    const killed = Object.assign(Object.create(test.core) as typeof test.core, {
      database: {
        ...test.core.database,
        slow: {
          ...test.core.database.slow,
          transaction: (work: (tx: never) => Promise<unknown>) =>
            test.core.database.transaction(async (tx) => {
              await work(tx as never);
              throw new Error("Killed");
            }),
        },
      },
    });
    await expect(judgeAlerts(killed)).rejects.toThrow("Killed");
    expect(await list()).toEqual([]);
    expect(await told()).toEqual([]);
    await judgeAlerts(test.core);
    expect(await told()).toMatchObject([{ event: "alert.opened" }]);
  });

  it("look at queued runs, workers and budgets as they are", async () => {
    await createTestConversation(test.context, ["ann"]);
    await judgeAlerts(test.core);
    expect(await list()).toEqual([]);
    pass(3);
    await db().delete(workers);
    await judgeAlerts(test.core);
    expect(await list("open")).toMatchObject([{ alertId: "queue", value: 180_000 }]);
    const { id: budgetId } = await insertTestBudget(test.core, test.workspace.id, {
      period: "all",
      limit: 1000n,
    });
    const spending = { budgetId, subject: "", startsAt: 0, reserved: 0n };
    await db()
      .insert(budgetSpending)
      .values({ ...spending, spent: 900n });
    pass(1);
    await judgeAlerts(test.core);
    const open = (await list("open")).map(({ alertId, value }) => [alertId, value] as const);
    expect(Object.fromEntries(open)).toEqual({ budget: 90, queue: 180_000, workers: 0 });
    expect(open).toHaveLength(3);
    await db()
      .insert(workers)
      .values({ id: "w", aliveUntil: new Date(Date.now() + 3_600_000) });
    await db().delete(budgetSpending);
    await judgeAlerts(test.core);
    expect((await list("open")).map(({ alertId }) => alertId)).toEqual(["queue"]);
  });

  it("of a workspace look at an agent, and at what does not happen", async () => {
    const { alert } = await create({
      name: "Ann is silent",
      measure: "answers",
      agentId: "ann",
      comparison: "below",
      threshold: 1,
      windowMinutes: 5,
    });
    await happen({ answers: 3 }, "ann");
    await judgeAlerts(test.core);
    expect(await list()).toEqual([]);
    pass(6);
    await happen({ answers: 3 }, "bob");
    await judgeAlerts(test.core);
    expect(await list("open")).toMatchObject([{ alertId: alert.sId, value: 0, name: alert.name }]);
    await happen({ answers: 1 }, "ann");
    await judgeAlerts(test.core);
    expect(await list("open")).toEqual([]);
  });

  it("end when they are changed, switched off or removed", async () => {
    await listen();
    await happen({ answers: 20, errored: 5 });
    await judgeAlerts(test.core);
    const changed = await update({ alertId: "error-rate", version: 0, threshold: 30, until: 20 });
    expect(changed.alert).toMatchObject({ sId: "error-rate", version: 1, threshold: 30 });
    await judgeAlerts(test.core);
    expect(await list()).toMatchObject([{ closedFor: "changed" }]);
    await update({ alertId: "error-rate", version: 1, threshold: 10, until: 10 });
    await judgeAlerts(test.core);
    expect(await list("open")).toHaveLength(1);
    await update({ alertId: "error-rate", version: 2, isEnabled: false });
    await judgeAlerts(test.core);
    expect(await list("open")).toEqual([]);
    const named = { ...ofWorkspace(), alertId: "error-rate" };
    await removeAlert(test.context, { ...named, version: 3 });
    expect((await getAlert(test.context, named)).alert).toMatchObject({
      version: 0,
      threshold: 10,
      isEnabled: true,
    });
    expect((await told()).map(({ event }) => event)).toEqual([
      "alert.opened",
      "alert.closed",
      "alert.opened",
      "alert.closed",
    ]);
  });

  it("are refused if they contradict themselves", async () => {
    const given = { name: "x", measure: "error_rate", threshold: 10 } as const;
    expect(await refusalOf(create({ ...given, until: 11 }))).toBe("400 invalid_request_error");
    expect(await refusalOf(create({ ...given, comparison: "below", until: 9 }))).toBe(
      "400 invalid_request_error",
    );
    const live = { ...given, measure: "live_workers", agentId: "ann" } as const;
    expect(await refusalOf(create(live))).toBe("400 invalid_request_error");
    expect(await refusalOf(create({ ...given, agentId: "nobody" }))).toBe("404 agent_not_found");
    expect(await refusalOf(update({ alertId: "nothing", version: 0 }))).toBe("404 alert_not_found");
    expect(await refusalOf(update({ alertId: "queue", version: 1 }))).toBe("409 version_conflict");
  });

  it("are at most 50 of a workspace's own", async () => {
    const given = { name: "x", measure: "errors", threshold: 1 } as const;
    for (let count = 0; count < 50; count++) await create(given);
    expect(await refusalOf(create(given))).toBe("400 invalid_request_error");
    expect((await listAlerts(test.context, ofWorkspace())).alerts).toHaveLength(55);
  });
});
