import * as z from "zod";

/** What memories may hold. */
export const MEMORY_BOUNDS = {
  fileBytes: 64 * 1024,
  scopeFiles: 200,
  scopeBytes: 1024 * 1024,
  /** Changes of a scope that wait for a person. */
  proposals: 100,
  /** Versions of a file, the current one included. */
  versions: 20,
} as const;

const path = z.string().describe("Path below /memories").meta({ example: "/memories/user/tea.md" });

/** The names of the commands. */
export const MemoryCommandName = z.enum([
  "view",
  "create",
  "str_replace",
  "insert",
  "delete",
  "rename",
]);

/** A command of the tool `memory`, with the arguments of `memory_20250818`. */
export const MemoryCommand = z.discriminatedUnion("command", [
  z.object({
    command: z.literal("view"),
    path,
    view_range: z.array(z.int()).length(2).optional(),
  }),
  z.object({ command: z.literal("create"), path, file_text: z.string() }),
  z.object({
    command: z.literal("str_replace"),
    path,
    old_str: z.string(),
    new_str: z.string(),
  }),
  z.object({
    command: z.literal("insert"),
    path,
    insert_line: z.int(),
    insert_text: z.string(),
  }),
  z.object({ command: z.literal("delete"), path }),
  z.object({ command: z.literal("rename"), old_path: path, new_path: path }),
]);
export type MemoryCommand = z.infer<typeof MemoryCommand>;
