import type { CoreContext } from "../src/create-core.ts";
import { runMemoryCommands } from "../src/memories/run-commands.ts";

/** Writes a file of the agent `ann`, and a change of it that waits. */
export async function insertTestMemories({
  database,
  caller,
  newId,
  now,
}: CoreContext): Promise<void> {
  const { id: workspaceId } = caller.workspace;
  const none = { userId: null, agentSid: null, spaceId: null };
  const mount = { ...none, scope: "agent", agentSid: "ann", mayWrite: true } as const;
  const origin = {};
  const file = { command: "create", path: "/memories/agent/a", file_text: "Tea" };
  const removal = { command: "delete", path: "/memories/agent/a" };
  await runMemoryCommands({ newId, now }, database.db, {
    workspaceId,
    mounts: [mount],
    commands: [
      { params: file, writer: { origin, sources: [] } },
      { params: removal, writer: { origin, sources: [{ type: "tool", name: "look" }] } },
    ],
  });
}
