import { cp } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";

const folders = path.join(import.meta.dirname, "../../../skills/folders");

/** Commands about skills. */
export const skillEntries: readonly Entry[] = [
  {
    command: "skills import",
    prepare: async ({ home }) => cp(folders, path.join(home, "skills"), { recursive: true }),
    args: ["skills"],
  },
];
