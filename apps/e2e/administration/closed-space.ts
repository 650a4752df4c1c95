import { randomUUID } from "node:crypto";
import { createRpcClient, type RpcClient } from "parley-client";
import type { Action, Conversation } from "@parley/schema";
import pg from "pg";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { createFileCalls } from "../files/calls.ts";
import { eventually, type Server } from "../server.ts";
import { mentionOf, type SeenEvent } from "../siblings/calls.ts";

/** What stands in a space, by what it is: ids, and the names of its skill and of its node. */
export interface Things {
  readonly spaceId: string;
  readonly cId: string;
  /** An answer with a call that waits for approval. */
  readonly mId: string;
  readonly actionId: string;
  /** The file of an inline fragment of the conversation. */
  readonly fragmentFileId: string;
  /** A file that is attached to the skill. */
  readonly attachedFileId: string;
  readonly dataSourceViewId: string;
  readonly nodeId: string;
  readonly toolId: string;
  readonly skillId: string;
  readonly skillName: string;
  /** What an agent invoked in the conversation. */
  readonly invocationId: string;
}

/** What is not there, in place of each. */
export const unknownThings: Things = {
  spaceId: "vlt_unknown000",
  cId: "AAAAAAAAAA",
  mId: "BBBBBBBBBB",
  actionId: "CCCCCCCCCC",
  fragmentFileId: "fil_unknown000",
  attachedFileId: "fil_unknown111",
  dataSourceViewId: "dsv_unknown000",
  nodeId: "unknown-node",
  toolId: "msv_unknown000",
  skillId: "skl_unknown000",
  skillName: "unknown-skill",
  invocationId: "sfi_unknown000",
};

/** A restricted space with everything that can stand in one, and who may see it. */
export interface ClosedSpace {
  readonly things: Things;
  /** The function that the agent invoked; it is no space's. */
  readonly functionId: string;
  /** A key that reaches the space. */
  readonly insiderKey: string;
  /** Texts that nobody else may be told. */
  readonly secrets: readonly string[];
  /** Everything in the space, as the insider reads it. */
  readonly read: () => Promise<string>;
}

const MARK = "vermilion";
const model = { providerId: "simulated", modelId: "simulated-1" };

const toolServer = {
  sId: "x",
  name: MARK,
  version: "1",
  description: MARK,
  icon: "x",
  authorization: { provider: "x", supported_use_cases: [], scope: "" },
  tools: [],
  availability: "manual" as const,
  allowMultipleInstances: false,
  documentationUrl: "https://example.com/docs",
};

/** Makes a restricted space of the demo workspace, and fills it. */
export async function createClosedSpace(server: () => Server): Promise<ClosedSpace> {
  const { demo, url } = server();
  const { workspaceId } = demo;
  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const { apiKey, secret: insiderKey } = await admin.apiKeys.create.mutate({
    workspaceId,
    name: "insider",
    role: "admin",
  });
  const { space } = await admin.spaces.create.mutate({
    workspaceId,
    name: `${MARK} space`,
    isRestricted: true,
    keyIds: [apiKey.sId],
  });
  const spaceId = space.sId;
  const rpc = createRpcClient({ url, apiKey: insiderKey });
  const view = await rpc.dataSourceViews.create.mutate({ workspaceId, spaceId, name: MARK });
  const { sId: dataSourceViewId } = view.dataSourceView;
  const nodeId = `${MARK}-node`;
  const node = { workspaceId, dataSourceViewId, nodeId, title: MARK, content: `${MARK} node` };
  await rpc.dataSourceNodes.put.mutate({ ...node, nodeType: "document" });
  const { tool } = await rpc.tools.create.mutate({
    workspaceId,
    spaceId,
    name: MARK,
    description: MARK,
    serverType: "remote",
    server: toolServer,
  });
  const attached = await createFileCalls(server).upload(`${MARK} file`);
  const skillName = "closed-skill";
  const { skill } = await rpc.skills.create.mutate({
    workspaceId,
    name: skillName,
    agentFacingDescription: MARK,
    instructions: `${MARK} instructions`,
    availability: "users_and_agents",
    toolIds: [tool.sId],
    fileIds: [attached.sId],
  });
  const talk = await converse(server, rpc, { spaceId, key: insiderKey });
  const things: Things = {
    spaceId,
    ...talk.things,
    attachedFileId: attached.sId,
    dataSourceViewId,
    nodeId,
    toolId: tool.sId,
    skillId: skill.sId,
    skillName,
  };
  const { functionId } = talk;
  return {
    things,
    functionId,
    insiderKey,
    // Names are free: an outsider may have given the same to another skill.
    secrets: [...Object.values(things).filter((text) => text !== skillName), MARK],
    read: () => readAll(server, { things, functionId, key: insiderKey }),
  };
}

/** Has an agent of the closed conversation invoke a function, and another call wait for approval. */
async function converse(
  server: () => Server,
  rpc: RpcClient,
  { spaceId, key }: { spaceId: string; key: string },
) {
  const { workspaceId } = server().demo;
  const slugs = { direct: `direct-${randomUUID()}`, approved: `approved-${randomUUID()}` };
  const functions = await Promise.all(
    (["direct", "approved"] as const).map((kind) =>
      rpc.sandboxFunctions.create.mutate({
        workspaceId,
        slug: slugs[kind],
        description: "Repeats its input",
        inputSchema: {},
        program: { type: "simulated", behaviour: { steps: [], result: "$" } },
        requiresApproval: kind === "approved",
      }),
    ),
  );
  const toolCalls = Object.values(slugs).map((name) => ({ name, params: { text: MARK } }));
  const { agentConfiguration } = await rpc.agents.create.mutate({
    workspaceId,
    name: "Caller",
    description: "",
    model,
    functionIds: Object.values(slugs),
    script: { steps: [{ text: `${MARK} answer`, toolCalls }, { text: "Done" }] },
  });
  const path = pathsOf(server()).conversations;
  const json = {
    spaceId,
    message: { content: MARK, mentions: mentionOf(agentConfiguration.sId) },
    contentFragments: [{ title: MARK, content: `${MARK} text`, contentType: "text/plain" }],
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

async function readAll(
  server: () => Server,
  { things, functionId, key }: { things: Things; functionId: string; key: string },
): Promise<string> {
  const { workspaceId } = server().demo;
  const rpc = createRpcClient({ url: server().url, apiKey: key });
  const { workspace } = pathsOf(server());
  const { cId, invocationId, skillId } = things;
  const files = [things.fragmentFileId, things.attachedFileId];
  const bytes = files.map((id) => send(server(), { path: `${workspace}/files/${id}`, key }));
  const ofWorkspace = { workspaceId };
  const all = await Promise.all([
    rpc.conversations.get.query({ wId: workspaceId, cId }),
    rpc.dataSourceViews.list.query(ofWorkspace),
    rpc.skills.get.query({ ...ofWorkspace, skillId }),
    rpc.tools.list.query(ofWorkspace),
    rpc.invocations.get.query({ wId: workspaceId, functionId, invocationId }),
    rpc.spaces.list.query({ wId: workspaceId }),
    ...bytes.map(async (answer) => (await answer).text),
    readNodes(server()),
  ]);
  return JSON.stringify(all);
}

/** All nodes: what is in them is told to agents alone. */
async function readNodes({ place }: Server): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    return (await client.query("select * from data_source_nodes order by 1, 2")).rows;
  } finally {
    await client.end();
  }
}
