import { endpoints, parseInput } from "@parley/schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestFunction, insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
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
  const test = workspaceTest({ role: "builder" });
  let directory: FunctionDirectory;
  beforeEach(() => {
    directory = createFunctionDirectory(test.core);
  });
  afterEach(() => directory.close());

  const create = async (slug: string) => {
    const raw = { wId: test.workspaceId, slug };
    const input = parseInput(endpoints["sandboxFunctions.create"], raw);
    return (await createSandboxFunction(test.context, input)).sandboxFunction.sId;
  };
  const describeAs = async (functionId: string, description: string, by = test.context) => {
    const raw = { wId: test.workspaceId, functionId, version: 1, description };
    await updateSandboxFunction(by, parseInput(endpoints["sandboxFunctions.update"], raw));
  };
  const find = async (idOrSlug: string, workspaceId = test.workspace.id) => {
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
    const about = { wId: test.workspaceId, functionId: id };
    await archiveSandboxFunction(test.context, about);
    expect(await refusalOf(find("sum"))).toBe(unknown);
    await restoreSandboxFunction(test.context, about);
    expect(await find("sum")).toBe(`${id} 2`);
    const elsewhere = Object.assign(Object.create(test.context) as CoreContext, {
      bus: { publish: () => {}, subscribe: () => () => {} },
    });
    await archiveSandboxFunction(elsewhere, about);
    expect(await find("sum")).toBe(`${id} 2`);
    test.clock.now += TRUST_MS;
    expect(await refusalOf(find("sum"))).toBe(unknown);
  });
});
