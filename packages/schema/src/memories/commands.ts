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

const command = <Name extends z.infer<typeof MemoryCommandName>>(name: Name) =>
  z.literal(name).describe("Name of the command");
const text = (what: string) => z.string().describe(what).meta({ example: "Likes green tea" });

/** A command of the tool `memory`, with the arguments of `memory_20250818`. */
export const MemoryCommand = z.discriminatedUnion("command", [
  z.object({
    command: command("view"),
    path,
    view_range: z
      .array(z.int())
      .length(2)
      .optional()
      .describe("First and last line; -1 for the end of the file"),
  }),
  z.object({ command: command("create"), path, file_text: text("Text of the file") }),
  z.object({
    command: command("str_replace"),
    path,
    old_str: text("Text to replace"),
    new_str: text("Text in its place"),
  }),
  z.object({
    command: command("insert"),
    path,
    insert_line: z.int().describe("Line to insert after"),
    insert_text: text("Text to insert"),
  }),
  z.object({ command: command("delete"), path }),
  z.object({ command: command("rename"), old_path: path, new_path: path }),
]);
export type MemoryCommand = z.infer<typeof MemoryCommand>;
