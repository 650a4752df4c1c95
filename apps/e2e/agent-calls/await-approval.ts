import { randomUUID } from "node:crypto";
import type { Action } from "@parley/schema";
import { readFrames } from "../frames.ts";
import { pathsOf } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls, type SeenEvent } from "../siblings/calls.ts";

/**
 * Lets a new agent call a new function that requires approval: gives the id of the call that waits
 * for a decision, and the path to post it to.
 */
export async function awaitApproval(
  server: () => Server,
): Promise<{ path: string; actionId: string }> {
  const calls = createCalls(server);
  const rpc = calls.rpc();
  const { workspaceId } = server().demo;
  const slug = `f-${randomUUID()}`;
  await rpc.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug,
    description: "Asks before it is called",
    inputSchema: {},
    program: { type: "simulated", behaviour: { steps: [] } },
    requiresApproval: true,
  });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: slug,
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    functionIds: [slug],
    script: { steps: [{ text: "", toolCalls: [{ name: slug, params: {} }] }, { text: "Done" }] },
  });
  // In the open space, where every key reaches it.
  const { spaceId } = server().demo;
  const { conversation } = await calls.create("Go on", [agentConfiguration.sId], { spaceId });
  const message = conversation.content.at(-1)!.at(-1)!;
  const tail = `/${conversation.sId}/messages/${message.sId}`;
  for await (const { data } of readFrames(await calls.stream(`${tail}/events`))) {
    // As the interface describes the stream.
    const action = (data as unknown as SeenEvent).data["action"] as Action | undefined;
    if (action?.status !== "blocked_validation_required") continue;
    const path = `${pathsOf(server()).conversations}${tail}/validate-action`;
    return { path, actionId: action.sId };
  }
  throw new Error("The call never waited for approval");
}
