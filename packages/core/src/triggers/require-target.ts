import type { TriggerTarget } from "@parley/schema";
import type { RequestContext, WorkspaceCaller } from "../context.ts";
import { requireLaunch } from "../launches/require-launch.ts";

/** Checks what a trigger is to start for the caller. Throws what is wrong with it. */
export async function requireTarget(
  { database }: Pick<RequestContext, "database">,
  caller: WorkspaceCaller,
  { agent, function: invoked }: TriggerTarget,
): Promise<TriggerTarget> {
  await requireLaunch({ database }, caller, {
    // What is made of an event takes these places.
    agent: agent && { ...agent, message: "-" },
    function: invoked && { ...invoked, input: null },
  });
  return agent === undefined ? { function: invoked } : { agent };
}
