import { callServer } from "../connection/call-server.ts";
import type { Applying, Step } from "./plan.ts";
import { declaredNames, type Planning } from "./planning.ts";
import type { Kind, Listed } from "./workspace-state.ts";

/** What depends on others comes before them. */
const order: readonly Kind[] = ["agent", "function", "skill", "tool"];

/** Plans what is not in the folder: it is removed or archived where that was asked for, else kept. */
export function planOthers(planning: Planning): Step[] {
  const { state, prune } = planning;
  return order.flatMap((kind) => {
    const declared = declaredNames(planning, kind);
    return state.listed[kind]
      .filter((one) => !one.isArchived && one.isBuiltIn !== true && !declared.has(one.name))
      .map((one): Step => {
        const step = { kind, name: one.name, members: [], secrets: [] } as const;
        if (!prune) return { ...step, action: "keep" };
        return { ...step, action: "remove", run: async (applying) => remove(applying, kind, one) };
      });
  });
}

/** Archives what can be restored; tools are removed. */
async function remove(
  { connection: { rpc, wId } }: Applying,
  kind: Kind,
  { id, version = 0 }: Listed,
): Promise<void> {
  if (kind === "agent") {
    await callServer(rpc.agents.archive.mutate({ wId, agentId: id }));
  } else if (kind === "function") {
    await callServer(rpc.sandboxFunctions.archive.mutate({ wId, functionId: id }));
  } else if (kind === "skill") {
    const shown = await callServer(rpc.skills.get.query({ wId, skillId: id }));
    const archiving = rpc.skills.archive.mutate({ wId, skillId: id, version: shown.version });
    await callServer(archiving);
  } else {
    await callServer(rpc.tools.remove.mutate({ wId, toolId: id, version }));
  }
}
