import { sandboxFunctionVersions } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreRequest } from "../create-core.ts";
import {
  archiveSandboxFunction,
  createSandboxFunction,
  readSandboxFunction,
  updateSandboxFunction,
} from "./function-administration.ts";
import { listFunctionVersions } from "./list-versions.ts";

type Definition = Omit<InputOf<(typeof endpoints)["sandboxFunctions.create"]>, "wId" | "slug">;
const functionId = "add";

describe("the versions of a function", () => {
  const test = workspaceTest({ role: "builder" });

  const create = async (definition: Definition = {}) => {
    const raw = { wId: test.workspaceId, slug: functionId, ...definition };
    return createSandboxFunction(
      test.context,
      parseInput(endpoints["sandboxFunctions.create"], raw),
    );
  };
  const update = async (
    version: number,
    definition: Definition,
    by: CoreRequest = test.context,
  ) => {
    test.clock.now += 1000;
    const raw = { wId: test.workspaceId, functionId, version, ...definition };
    return updateSandboxFunction(by, parseInput(endpoints["sandboxFunctions.update"], raw));
  };
  const list = async (query: object = {}, by: CoreRequest = test.context) => {
    const raw = { wId: test.workspaceId, functionId, ...query };
    return listFunctionVersions(by, parseInput(endpoints["sandboxFunctions.listVersions"], raw));
  };
  const returns = (text: string) => ({
    type: "simulated" as const,
    behaviour: { result: `"${text}"` },
  });

  it("are whole definitions, the newest first, and stay as they were", async () => {
    const { createdAt } = (await create({ description: "First" })).sandboxFunction;
    const inputSchema = { type: "object" };
    await update(1, { inputSchema, timeoutMs: 500, program: returns("a") });
    await update(2, { description: "Third", retryable: true }, test.operator.context);
    const { versions, ...end } = await list();
    expect(end).toEqual({ hasMore: false, lastValue: "1" });
    const { name } = { name: test.context.caller.user.fullName };
    const editor = { sId: test.context.caller.user.sid, name };
    const written = { program: returns("a"), inputSchema, timeoutMs: 500 };
    expect(versions).toMatchObject([
      { version: 3, description: "Third", ...written, retryable: true, editor: null },
      { version: 2, description: "First", ...written, retryable: false, editor },
      { version: 1, description: "First", inputSchema: null, timeoutMs: 60_000, editor, createdAt },
    ]);
    expect(versions.map((one) => one.createdAt - createdAt)).toEqual([2000, 1000, 0]);
    const identity = { wId: test.workspaceId, functionId };
    const { sandboxFunction } = await readSandboxFunction(test.context, identity);
    const { sId: _sId, slug: _slug, status: _status, updatedAt: _at, ...current } = sandboxFunction;
    expect(versions[0]).toEqual({ ...current, createdAt: createdAt + 2000, editor: null });
    const { output } = endpoints["sandboxFunctions.listVersions"];
    expect(output.parse({ versions, ...end })).toEqual({ versions, ...end });
    await archiveSandboxFunction(test.context, identity);
    expect((await list()).versions).toEqual(versions);
  });

  it("are paged by their numbers", async () => {
    await create();
    for (const version of [1, 2, 3, 4]) await update(version, { description: `${version + 1}` });
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ hasMore: true, lastValue: "4" });
    const second = await list({ limit: 3, lastValue: first.lastValue });
    expect(second).toMatchObject({ hasMore: false, lastValue: "1" });
    const numbers = [...first.versions, ...second.versions].map(({ version }) => version);
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
    expect(await list({ lastValue: "1" })).toEqual({
      versions: [],
      hasMore: false,
      lastValue: null,
    });
  });

  it("are fewer on a page if they are large", async () => {
    await create();
    for (const version of [1, 2, 3]) await update(version, { description: "x" });
    const large = { type: "javascript", files: { "main.ts": "x".repeat(1_500_000) } };
    // What was bundled is not sent, and does not count.
    const program = { ...large, bundle: "x".repeat(1_500_000) } as never;
    await test.core.database.db.update(sandboxFunctionVersions).set({ program });
    const pages = [];
    for (let lastValue: string | null = "9"; lastValue !== null;) {
      const page = await list({ lastValue });
      pages.push(page.versions.map(({ version }) => version));
      lastValue = page.hasMore ? page.lastValue : null;
    }
    expect(pages).toEqual([
      [4, 3],
      [2, 1],
    ]);
  });

  it("are those of a function of the workspace", async () => {
    await create();
    const foreign = await openTestContext(
      test.core,
      await insertTestWorkspace(test.core),
      "builder",
    );
    expect(await refusalOf(list({}, foreign))).toBe("404 sandbox_function_not_found");
    expect(await refusalOf(list({ functionId: "other" }))).toBe("404 sandbox_function_not_found");
  });
});
