import { mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { isNightly } from "@parley/db/testing";
import type { MemoryCommand } from "@parley/schema";
import fc from "fast-check";
import { expect, it } from "vitest";
import { carryOut, type MemoryChange } from "./commands.ts";
import { MemoryRefusal } from "./paths.ts";
import type { RememberedFile } from "./trees.ts";

const RUNS = isNightly ? 3000 : 300;

const segment = fc.constantFrom("a", "b.md", "C", "é", ".hidden", "node_modules", "10", "2");
// Most commands are about the same few files, so that they find them.
const segments = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(["a"], ["b.md"], ["d", "a"], ["d", "e", "f"]) },
  { weight: 1, arbitrary: fc.array(segment, { minLength: 1, maxLength: 4 }) },
);
const end = fc.constantFrom("", "", "", "/");
const path = fc
  .tuple(segments, end)
  .map(([parts, last]) => `/memories/user/${parts.join("/")}${last}`);
const anyPath = fc.oneof(
  { weight: 20, arbitrary: path },
  { weight: 1, arbitrary: fc.constantFrom("/memories", "/etc/passwd", "memories/user/a") },
);
const word = fc.constantFrom("tea", "no tea", "", "x", "$&", "\u{1f375}", "two\nlines");
// Lines that are there once, and some that are not.
const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
const content = fc.oneof(
  fc.shuffledSubarray(numbers).map((words) => words.join("\n")),
  fc.array(word, { maxLength: 5 }).map((words) => words.join("\n")),
);
const sought = fc.oneof(fc.constantFrom(...numbers), word);
const line = fc.integer({ min: -2, max: 9 });
const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  fc.record({
    command: fc.constant("view"),
    path: fc.oneof(anyPath, fc.constantFrom("/memories/user", "/memories/user/")),
  }),
  fc.record({
    command: fc.constant("view"),
    path,
    view_range: fc.tuple(line, line).map((range): number[] => range),
  }),
  fc.record({ command: fc.constant("create"), path: anyPath, file_text: content }),
  fc.record({ command: fc.constant("create"), path, file_text: content }),
  fc.record({
    command: fc.constant("str_replace"),
    path: anyPath,
    old_str: sought,
    new_str: content,
  }),
  fc.record({
    command: fc.constant("insert"),
    path: anyPath,
    insert_line: line,
    insert_text: content,
  }),
  fc.record({ command: fc.constant("delete"), path }),
  fc.record({ command: fc.constant("rename"), old_path: path, new_path: path }),
);

type Answer = { readonly text: string } | { readonly refused: string | null };

/** What the SDK's files answer. Its own errors of the file system have a code, and no text that anybody wrote. */
async function askOracle(
  oracle: BetaLocalFilesystemMemoryTool,
  given: MemoryCommand,
): Promise<Answer> {
  try {
    const handler = oracle[given.command] as (command: MemoryCommand) => Promise<string>;
    return { text: await handler.call(oracle, given) };
  } catch (error) {
    const isWritten = error instanceof Error && !("code" in error);
    return { refused: isWritten ? error.message : null };
  }
}

/** Parley has no empty directories. */
async function removeEmpty(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const below = join(directory, entry.name);
    if (!entry.isDirectory()) continue;
    await removeEmpty(below);
    if ((await readdir(below)).length === 0) await rmdir(below);
  }
}

/** Sizes of directories are those of the file system. */
const withoutSizes = (text: string) =>
  text.replaceAll(/^[\d.]+[BKMG]\t(\/memories.*)$/gm, (whole, named: string, at: number) =>
    named.endsWith("/") || text.slice(0, at).split("\n").length === 2 ? `size\t${named}` : whole,
  );

function applyChange(files: Map<string, RememberedFile>, change: MemoryChange | undefined): void {
  if (change?.kind === "write") {
    files.set(change.path, { content: change.content, bytes: Buffer.byteLength(change.content) });
  }
  if (change?.kind === "remove") for (const one of change.paths) files.delete(one);
  if (change?.kind !== "move") return;
  for (const { from, to } of change.moves) {
    files.set(to, files.get(from)!);
    files.delete(from);
  }
}

it("answers as the file implementation of Anthropic's SDK does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 30 }), async (commands) => {
      const place = await mkdtemp(join(tmpdir(), "memories-"));
      try {
        const oracle = await BetaLocalFilesystemMemoryTool.init(place);
        // The scope is there before it has files, and has to stay.
        await oracle.create({ command: "create", path: "/memories/user/.keep", file_text: "" });
        const files = new Map<string, RememberedFile>([[".keep", { content: "", bytes: 0 }]]);
        const mounts = new Map([["user", { mayWrite: true, files }]]);
        for (const given of commands) {
          const expected = await askOracle(oracle, given);
          await removeEmpty(join(place, "memories"));
          let answer: Answer;
          try {
            const { output, change } = carryOut(mounts, given);
            applyChange(files, change);
            answer = { text: output };
          } catch (error) {
            if (!(error instanceof MemoryRefusal)) throw error;
            answer = {
              refused: "refused" in expected && expected.refused === null ? null : error.message,
            };
          }
          const sizeless = (one: Answer) => ("text" in one ? withoutSizes(one.text) : one);
          expect(sizeless(answer), JSON.stringify(given)).toEqual(sizeless(expected));
        }
      } finally {
        await rm(place, { recursive: true });
      }
    }),
    { numRuns: RUNS },
  );
}, 120_000);
