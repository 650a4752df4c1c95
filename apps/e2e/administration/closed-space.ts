import { createRpcClient } from "parley-client";
import pg from "pg";
import { pathsOf, send } from "../request.ts";
import { createFileCalls } from "../files/calls.ts";
import { eventually, type Server } from "../server.ts";
import { converse } from "./conversation-with-calls.ts";

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
  readonly dataSourceId: string;
  readonly nodeId: string;
  /** A table with one row. */
  readonly tableId: string;
  readonly webSourceId: string;
  readonly toolId: string;
  readonly skillId: string;
  readonly skillName: string;
  /** What an agent invoked in the conversation. */
  readonly invocationId: string;
  /** A file that agents remember. */
  readonly memoryId: string;
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
  dataSourceId: "dts_unknown000",
  nodeId: "unknown-node",
  tableId: "unknown-table",
  webSourceId: "web_unknown000",
  toolId: "msv_unknown000",
  skillId: "skl_unknown000",
  skillName: "unknown-skill",
  invocationId: "sfi_unknown000",
  memoryId: "mem_unknown000",
};

/** A restricted space with everything that one can hold, and the users who may see it. */
export interface ClosedSpace {
  readonly things: Things;
  /** The function that the agent invoked; it is not a space's. */
  readonly functionId: string;
  /** A key that reaches the space. */
  readonly insiderKey: string;
  /** Texts that nobody else may be told. */
  readonly secrets: readonly string[];
  /** Everything in the space, as the insider reads it. */
  readonly read: () => Promise<string>;
}

/** A word of everything in the space. */
export const MARK = "vermilion";

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
    wId: workspaceId,
    name: "insider",
    role: "admin",
  });
  const { space } = await admin.spaces.create.mutate({
    wId: workspaceId,
    name: `${MARK} space`,
    isRestricted: true,
    keyIds: [apiKey.sId],
  });
  const spaceId = space.sId;
  const rpc = createRpcClient({ url, apiKey: insiderKey });
  const view = await rpc.dataSourceViews.create.mutate({ wId: workspaceId, spaceId, name: MARK });
  const { sId: dataSourceViewId, dataSourceId } = view.dataSourceView;
  const nodeId = `${MARK}-node`;
  const node = { wId: workspaceId, dataSourceViewId, nodeId, title: MARK, content: `${MARK} node` };
  await rpc.dataSourceNodes.put.mutate({ ...node, nodeType: "document" });
  const tableId = `${MARK}-table`;
  const csv = `word\n${MARK} cell\n`;
  const table = { wId: workspaceId, dsId: dataSourceId, table_id: tableId, name: MARK, csv };
  await rpc.tables.uploadCsv.mutate(table);
  const page = { url: `http://127.0.0.1:9/${MARK}`, kind: "page" } as const;
  const ofView = { wId: workspaceId, dataSourceViewId, ...page };
  const { webSource } = await rpc.webSources.create.mutate(ofView);
  const { tool } = await rpc.tools.create.mutate({
    wId: workspaceId,
    spaceId,
    name: MARK,
    description: MARK,
    serverType: "remote",
    server: toolServer,
  });
  const attached = await createFileCalls(server).upload(`${MARK} file`);
  const skillName = "closed-skill";
  const { skill } = await rpc.skills.create.mutate({
    wId: workspaceId,
    name: skillName,
    agentFacingDescription: MARK,
    instructions: `${MARK} instructions`,
    availability: "users_and_agents",
    toolIds: [tool.sId],
    fileIds: [attached.sId],
  });
  const talk = await converse(server, rpc, { spaceId, key: insiderKey, text: MARK });
  const path = `/memories/space/${MARK}.md`;
  const file = { command: "create" as const, path, file_text: `${MARK} memory` };
  await rpc.memories.run.mutate({ wId: workspaceId, spaceId, ...file });
  const { memories } = await rpc.memories.list.query({ wId: workspaceId, spaceId });
  const things: Things = {
    spaceId,
    ...talk.things,
    memoryId: memories[0]?.sId ?? "",
    attachedFileId: attached.sId,
    dataSourceViewId,
    dataSourceId,
    nodeId,
    tableId,
    webSourceId: webSource.sId,
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
  const ofWorkspace = { wId: workspaceId };
  const all = await Promise.all([
    rpc.conversations.get.query({ wId: workspaceId, cId }),
    rpc.dataSourceViews.list.query(ofWorkspace),
    rpc.skills.get.query({ ...ofWorkspace, skillId }),
    rpc.tools.list.query(ofWorkspace),
    rpc.invocations.get.query({ wId: workspaceId, functionId, invocationId }),
    rpc.spaces.list.query({ wId: workspaceId }),
    rpc.memories.get.query({ wId: workspaceId, memoryId: things.memoryId }),
    ...bytes.map(async (answer) => (await answer).text),
    rpc.tableRows.list.query({
      ...ofWorkspace,
      dsId: things.dataSourceId,
      tableId: things.tableId,
    }),
    readNodes(server()),
  ]);
  return JSON.stringify(all);
}

/** All nodes, once the documents are divided into parts: what is in them is told to agents alone. */
async function readNodes({ place }: Server): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    return await eventually(async () => {
      const { rows } = await client.query("select * from data_source_nodes order by 1, 2");
      return rows.every((row) => row.divided_at !== null || row.node_type !== "document")
        ? { value: rows }
        : {};
    }, 20_000);
  } finally {
    await client.end();
  }
}
