import { endpoints, parseInput } from "@parley/schema";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { refusalOf } from "../../testing/operator.ts";
import {
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import {
  archiveSandboxFunction,
  createSandboxFunction,
  restoreSandboxFunction,
  updateSandboxFunction,
} from "./function-administration.ts";
import { createFunctionDirectory, type FunctionDirectory } from "./function-directory.ts";

/** How long a function is believed: a change in another process is seen after it. */
const TRUST_MS = 4000;

describe("the directory of functions", () => {
  let test: TestCore;
  let workspace: WorkspaceRow;
  let builder: CoreContext;
  let directory: FunctionDirectory;
  beforeAll(async () => void (test = await openTestCore()));
  beforeEach(async () => {
    workspace = await insertTestWorkspace(test.core);
    builder = await openTestContext(test.core, workspace, "builder");
    directory = createFunctionDirectory(test.core);
  });
  afterEach(() => directory.close());
  afterAll(() => test.close());

  const create = async (slug: string) => {
    const raw = { wId: workspace.sid, slug };
    const input = parseInput(endpoints["sandboxFunctions.create"], raw);
    return (await createSandboxFunction(builder, input)).sandboxFunction.sId;
  };
  const describeAs = async (functionId: string, description: string, by = builder) => {
    const raw = { wId: workspace.sid, functionId, version: 1, description };
    await updateSandboxFunction(by, parseInput(endpoints["sandboxFunctions.update"], raw));
  };
  const find = async (idOrSlug: string, workspaceId = workspace.id) => {
    const { sid, version } = await directory.getActive(workspaceId, idOrSlug);
    return `${sid} ${version}`;
  };
  const unknown = "404 sandbox_function_not_found";

  it("finds a workspace's own, by id and by slug", async () => {
    const id = await create("sum");
    expect([await find(id), await find("sum")]).toEqual([`${id} 1`, `${id} 1`]);
    const other = await insertTestWorkspace(test.core);
    for (const name of [id, "sum"]) expect(await refusalOf(find(name, other.id))).toBe(unknown);
    const theirs = await insertTestFunction(test.core, other, { slug: "sum" });
    expect(await find("sum", other.id)).toBe(`${theirs.sid} 1`);
    expect(await find("sum")).toBe(`${id} 1`);
  });

  it("finds one right after it is created, also one that was asked for before", async () => {
    expect(await refusalOf(find("late"))).toBe(unknown);
    expect(await find("late").catch(() => create("late"))).toMatch(/^sfn_/);
    expect(await find("late")).toMatch(/^sfn_\w+ 1$/);
  });

  it("sees a change in this process at once, and one elsewhere after some seconds", async () => {
    const id = await create("sum");
    expect(await find("sum")).toBe(`${id} 1`);
    await describeAs(id, "Adds");
    expect(await find("sum")).toBe(`${id} 2`);
    const about = { wId: workspace.sid, functionId: id };
    await archiveSandboxFunction(builder, about);
    expect(await refusalOf(find("sum"))).toBe(unknown);
    await restoreSandboxFunction(builder, about);
    expect(await find("sum")).toBe(`${id} 2`);
    const elsewhere = Object.assign(Object.create(builder) as CoreContext, {
      bus: { publish: () => {}, subscribe: () => () => {} },
    });
    await archiveSandboxFunction(elsewhere, about);
    expect(await find("sum")).toBe(`${id} 2`);
    test.clock.now += TRUST_MS;
    expect(await refusalOf(find("sum"))).toBe(unknown);
  });
});
