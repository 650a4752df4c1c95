import { budgets } from "@parley/db";
import { endpoints, MEMORY_BOUNDS, parseInput } from "@parley/schema";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestLimit } from "../../testing/testing.ts";
import { listMemories, runMemoryCommand, updateMemory } from "./memories.ts";

const test = workspaceTest({ per: "test", agents: ["ann"], role: "builder" });
const run = async (given: object) => {
  const input = { wId: test.workspaceId, agentId: "ann", ...given };
  return runMemoryCommand(test.context, parseInput(endpoints["memories.run"], input));
};
const updateFile = async (at: string, change: { version: number; content: string }) => {
  const wId = test.workspaceId;
  const list = parseInput(endpoints["memories.list"], { wId });
  const { memories } = await listMemories(test.context, list);
  const memoryId = memories.find((one) => one.path === at)!.sId;
  return updateMemory(test.context, { wId, memoryId, ...change });
};
const path = "/memories/agent/tea.md";
const replace = (before: string, after: string) =>
  run({ command: "str_replace", path, old_str: before, new_str: after });

it("a full workspace refuses only what makes a memory larger", async () => {
  await run({ command: "create", path, file_text: "Likes green tea" });
  const of = { measure: "stored_bytes", period: "all", limit: 1n } as const;
  await insertTestLimit(test.core, test.context.caller.workspace.id, of);
  await test.core.storage.flush();
  const full = { type: "budget_exceeded" };
  const other = { command: "create", path: "/memories/agent/other.md", file_text: "x" };
  await expect(run(other)).rejects.toMatchObject(full);
  await expect(replace("tea", "tea and coffee")).rejects.toMatchObject(full);
  await expect(
    run({ command: "insert", path, insert_line: 1, insert_text: "x" }),
  ).rejects.toMatchObject(full);
  expect(await run({ command: "view", path })).toMatchObject({ isError: false });
  expect(await replace("green ", "")).toMatchObject({ isError: false });
  const update = (version: number, content: string) => updateFile(path, { version, content });
  await expect(update(1, "Likes green tea and coffee")).rejects.toMatchObject(full);
  expect(await update(1, "Tea")).toMatchObject({ content: "Tea", memory: { version: 2 } });
  const moved = "/memories/agent/drinks.md";
  const renamed = { command: "rename", old_path: path, new_path: moved };
  expect(await run(renamed)).toMatchObject({ isError: false });
  expect(await run({ command: "delete", path: moved })).toMatchObject({ isError: false });
  expect((await run({ command: "view", path: "/memories" })).output).not.toContain("drinks");
  await test.core.database.db.delete(budgets);
});

it("a refused command gives back the room that it was to take", async () => {
  const big = "x".repeat(MEMORY_BOUNDS.fileBytes);
  const { workspace } = test.context.caller;
  const of = { measure: "stored_bytes", period: "all", limit: BigInt(2 * big.length) } as const;
  await insertTestLimit(test.core, workspace.id, of);
  for (let attempt = 0; attempt < 4; attempt++) {
    const taken = { command: "create", path: "/memories/agent", file_text: big };
    expect(await run(taken)).toMatchObject({ isError: true });
  }
  expect(await run({ command: "create", path, file_text: big })).toMatchObject({ isError: false });
  await test.core.database.db.delete(budgets);
});
