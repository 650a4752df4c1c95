import { agents, sandboxFunctionVersions } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestFunction } from "../../testing/testing.ts";
import { updateSandboxFunction } from "../functions/function-administration.ts";
import { createSchedule, removeSchedule } from "../schedules/schedules.ts";
import { createVersionSweep } from "./sweep-versions.ts";

const YEARS_MS = 1000 * 24 * 3_600_000;

const test = workspaceTest({ role: "builder" });
const db = () => test.core.database.db;

it("versions stay while a schedule names them", async () => {
  const wId = test.workspaceId;
  const model = { providerId: "simulated", modelId: "simulated-1" };
  const created = await test.operator.createAgent({ wId, name: "Ann", description: "", model });
  const { sId: agentId } = created.agentConfiguration;
  const { id, sid: functionId } = await insertTestFunction(test.core, test.workspace, {
    slug: "pinned",
  });
  const create = async (launched: object) => {
    const given = { wId, name: "x", cron: "@daily", ...launched };
    const input = parseInput(endpoints["schedules.create"], given);
    return (await createSchedule(test.context, input)).schedule.sId;
  };
  const schedules = [
    await create({ agent: { agentId, agentVersion: 0, message: "x" } }),
    await create({ function: { functionId: "pinned", functionVersion: 1 } }),
  ];
  for (let version = 1; version <= 2; version++) {
    await test.operator.updateAgent({ wId, agentId, description: `${version}` });
    const change = { wId, functionId, version, description: `${version}` };
    const input = parseInput(endpoints["sandboxFunctions.update"], change);
    await updateSandboxFunction(test.context, input);
  }
  const versions = async () => {
    const { version, functionId: ofFunction } = sandboxFunctionVersions;
    const ofAgent = db().select({ version: agents.version }).from(agents);
    const found = [
      await ofAgent.where(eq(agents.sid, agentId)).orderBy(asc(agents.version)),
      await db()
        .select({ version })
        .from(sandboxFunctionVersions)
        .where(eq(ofFunction, id))
        .orderBy(asc(version)),
    ];
    return found.map((rows) => rows.map((row) => row.version));
  };
  const sweep = async () => {
    for (const kind of ["agent", "function"] as const) {
      const once = createVersionSweep(test.core, { kind, retentionMs: 0, kept: 1 });
      while ((await once()) > 0);
    }
  };
  test.clock.now += YEARS_MS;
  await sweep();
  expect(await versions()).toEqual([
    [0, 2],
    [1, 3],
  ]);
  for (const scheduleId of schedules) {
    await removeSchedule(test.context, { wId, scheduleId, version: 0 });
  }
  await sweep();
  expect(await versions()).toEqual([[2], [3]]);
});
