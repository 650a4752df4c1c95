/** The tool with which an agent remembers. */
import { MemoryCommandName } from "@parley/schema";
import { isShared, type MemoryMount } from "./mounts.ts";
import { ROOT } from "./paths.ts";

const path = { type: "string", description: "Path below /memories" };

/** The tool as a model is shown it that was not trained on it. */
export const memoryTool = {
  name: "memory",
  description: "Views and changes the files that you remember, below /memories",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        enum: MemoryCommandName.options,
        description: "What to do",
      },
      path: { ...path, description: "Path below /memories; for every command but rename" },
      view_range: {
        type: "array",
        items: { type: "integer" },
        description: "For view: the first and the last line; -1 for the end of the file",
      },
      file_text: { type: "string", description: "For create: the text of the new file" },
      old_str: { type: "string", description: "For str_replace: the text to replace" },
      new_str: { type: "string", description: "For str_replace: the text in its place" },
      insert_line: {
        type: "integer",
        description: "For insert: the line to insert after; 0 for the top",
      },
      insert_text: { type: "string", description: "For insert: the text to insert" },
      old_path: { ...path, description: "For rename: the path before" },
      new_path: { ...path, description: "For rename: the path after" },
    },
    required: ["command"],
  },
} as const;

const meanings = {
  user: "about the user, for all agents",
  agent: "for all users of this agent",
  "agent-user": "about the user, for you alone",
  space: "for all in the space of this conversation",
} as const;

/** Says which directories a model has; null without any. */
export function describeMounts(mounts: readonly MemoryMount[]): string | null {
  if (mounts.length === 0) return null;
  const lines = mounts.map((mount) => {
    const access = mount.mayWrite ? "" : "; read-only";
    return `- ${ROOT}/${mount.scope}: ${meanings[mount.scope]}${access}`;
  });
  const shared = mounts.some((mount) => isShared(mount) && mount.mayWrite)
    ? "\nWrite nothing about a user where others read it."
    : "";
  return `You have a memory: files that the tool memory views and changes, in these directories.\n${lines.join("\n")}${shared}`;
}
