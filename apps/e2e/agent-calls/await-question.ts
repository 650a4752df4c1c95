import { pathsOf } from "../request.ts";
import { eventually, type Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

/** Lets an agent ask its user; gives the path to answer at, and the id of the call that waits. */
export async function awaitQuestion(
  server: () => Server,
): Promise<{ path: string; actionId: string }> {
  const calls = createCalls(server);
  const { workspaceId: wId } = server().demo;
  const { agentConfiguration } = await calls.rpc().agents.create.mutate({
    wId,
    name: "Asking",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    asksUser: true,
    script: {
      steps: [{ text: "", toolCalls: [{ name: "ask_user", params: { question: "Who?" } }] }],
    },
  });
  const { conversation } = await calls.create("Hello", [agentConfiguration.sId]);
  const cId = conversation.sId;
  const actionId = await eventually(async () => {
    const list = calls.rpc().conversations.listBlockedActions;
    const [blocked] = (await list.query({ wId, cId })).blockedActions;
    return blocked === undefined ? {} : { value: blocked.actionId };
  }, 10_000);
  const mId = conversation.content.at(-1)!.at(-1)!.sId;
  const path = `${pathsOf(server()).conversations}/${cId}/messages/${mId}/answer-question`;
  return { path, actionId };
}
