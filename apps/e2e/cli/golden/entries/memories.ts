import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const path = "/memories/agent/tea.md";

async function withMemory({ rpc, wId }: World): Promise<void> {
  const file = { command: "create" as const, path, file_text: "Likes green tea" };
  await rpc.memories.run.mutate({ wId, agentId: "helper", ...file });
}

/** Commands about what agents remember. */
export const memoryEntries: readonly Entry[] = [
  { command: "memories list", prepare: withMemory },
  { command: "memories get", prepare: withMemory, args: [path] },
  { command: "memories create", args: [path, "--content", "Likes tea", "--agent", "helper"] },
  { command: "memories update", prepare: withMemory, args: [path, "--content", "Likes coffee"] },
  { command: "memories remove", prepare: withMemory, args: [path], confirmed: path },
  { command: "memories pending" },
];
