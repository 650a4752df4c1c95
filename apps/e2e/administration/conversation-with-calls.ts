import { randomUUID } from "node:crypto";
import type { RpcClient } from "parley-client";
import type { Action, Conversation } from "@parley/schema";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { eventually, type Server } from "../server.ts";
import { mentionOf, type SeenEvent } from "../siblings/calls.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

/** Has an agent of a new conversation invoke a function, and another call wait for approval. */
export async function converse(
  server: () => Server,
  rpc: RpcClient,
  { spaceId, key, text }: { spaceId?: string; key: string; text: string },
) {
  const { workspaceId } = server().demo;
  const slugs = { direct: `direct-${randomUUID()}`, approved: `approved-${randomUUID()}` };
  const functions = await Promise.all(
    (["direct", "approved"] as const).map((kind) =>
      rpc.sandboxFunctions.create.mutate({
        wId: workspaceId,
        slug: slugs[kind],
        description: "Repeats its input",
        inputSchema: {},
        program: { type: "simulated", behaviour: { steps: [], result: "$" } },
        requiresApproval: kind === "approved",
      }),
    ),
  );
  const toolCalls = Object.values(slugs).map((name) => ({ name, params: { text } }));
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: "Caller",
    description: "",
    model,
    functionIds: Object.values(slugs),
    script: { steps: [{ text: `${text} answer`, toolCalls }, { text: "Done" }] },
  });
  const path = pathsOf(server()).conversations;
  const json = {
    spaceId,
    message: { content: text, mentions: mentionOf(agentConfiguration.sId) },
    contentFragments: [{ title: text, content: `${text} text`, contentType: "text/plain" }],
  };
  const created = await send(server(), { path, json, key });
  const { conversation } = JSON.parse(created.text) as { conversation: Conversation };
  const cId = conversation.sId;
  const mId = conversation.content.at(-1)!.at(-1)!.sId;
  const events = `${path.replace("/api/", "/api/sse/")}/${cId}/messages/${mId}/events`;
  const actionId = await findWaitingCall(await open(server(), { path: events, key }));
  const functionId = functions[0]!.sandboxFunction.sId;
  const invocationId = await eventually(async () => {
    const listed = await rpc.invocations.list.query({ wId: workspaceId, functionId });
    const [invocation] = listed.invocations;
    return invocation?.status === "succeeded" ? { value: invocation.sId } : {};
  }, 10_000);
  const [fragment] = conversation.content[0]!;
  const fragmentFileId = fragment && "fileId" in fragment ? fragment.fileId : null;
  if (!fragmentFileId) throw new Error("The fragment has no file");
  return { functionId, things: { cId, mId, actionId, fragmentFileId, invocationId } };
}

/** The call of the stream that waits for approval. */
async function findWaitingCall(response: Response): Promise<string> {
  for await (const { data } of readFrames(response)) {
    // As the interface describes the stream.
    const event = (data as unknown as SeenEvent).data;
    const action = event["action"] as Action | undefined;
    if (action?.status === "blocked_validation_required") return action.sId;
  }
  throw new Error("The call never waited for approval");
}
