import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

/** A folder that declares an agent. */
async function declared({ home }: World): Promise<void> {
  const folder = path.join(home, "workspace/agents");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(home, "workspace/parley.yaml"), "workspace: {}\n");
  const agent =
    "name: Clerk\ndescription: Answers\nmodel: { providerId: simulated, modelId: simulated-1 }\n";
  await writeFile(path.join(folder, "clerk.yaml"), agent);
}

/** Commands about workspaces in folders. */
export const folderEntries: readonly Entry[] = [
  { command: "apply", prepare: declared, args: ["workspace", "--yes"] },
  {
    command: "pull",
    prepare: async (world) => void (await world.createAgent("Clerk")),
    args: ["workspace"],
  },
];
