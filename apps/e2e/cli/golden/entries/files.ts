import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const file = { fileName: "notes.txt", contentType: "text/plain", useCase: "conversation" } as const;

async function uploaded({ parley }: World): Promise<void> {
  await parley.files.upload({ ...file, content: new Blob(["Remember\n"], { type: "text/plain" }) });
}

/** Commands about files. */
export const fileEntries: readonly Entry[] = [
  { command: "files list", prepare: uploaded },
  { command: "files get", prepare: uploaded, args: ["notes.txt"] },
  {
    command: "files create",
    prepare: async ({ home }) => writeFile(path.join(home, "notes.txt"), "Remember\n"),
    args: ["notes.txt"],
  },
  { command: "files remove", prepare: uploaded, args: ["notes.txt"], confirmed: "notes.txt" },
];
