import { createRpcClient } from "parley-client";
import { type Endpoint, type EndpointName, endpoints, type ErrorType } from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { describeMutations } from "../administration/mutations.ts";
import { describeQueries } from "../administration/queries.ts";
import { sharePersonalTool } from "../administration/tool-mutations.ts";
import { pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";
import { uploadWrongContent } from "./upload-wrong-content.ts";
import { callByName } from "./call-by-name.ts";
import { fullDataSources } from "./full-data-sources.ts";
import { missingSubjects } from "./missing-subjects.ts";
import { skillForm } from "./skill-form.ts";
import { members, nobody, silent, unknownModel } from "./wrong-members.ts";
import { wrongStarts } from "./wrong-starts.ts";
import { wrongSummaries } from "./wrong-summaries.ts";
import { wrongTables } from "./wrong-tables.ts";
import { wrongTrials } from "./wrong-trials.ts";

// The endpoint table lists what an endpoint can answer beyond what all can: each type is provoked
// here. That nothing else is answered is seen by every suite, where its server ends.

const server = shareServer({
  PARLEY_PRIVATE_HOSTS: "127.0.0.1",
  PARLEY_WORKSPACE_DATA_SOURCES: "20",
  PARLEY_DATA_SOURCE_DOCUMENTS: "2",
  PARLEY_DATA_SOURCE_BYTES: "20000",
});
const calls = createCalls(server);
const mutations = describeMutations(server, calls);
const queries = describeQueries(server, calls);
const personalTool = sharePersonalTool(server);

/** What there is in the demo workspace, by the members of inputs that name it. */
let there: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  const { workspaceId, functions } = server().demo;
  const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
  const add = { wId: workspaceId, functionId: functions[0]?.sId ?? "", input: { a: 1, b: 2 } };
  const { invocation } = await calls.rpc().sandboxFunctions.invoke.mutate(add);
  await calls
    .rpc()
    .members.add.mutate({ wId: workspaceId, email: "ada@parley.test", firstName: "Ada" });
  there = {
    wId: workspaceId,
    cId: conversation.sId,
    sId: "helper",
    mId: conversation.content[1]?.[0]?.sId,
    functionId: add.functionId,
    invocationId: invocation.sId,
    message: { content: "x", mentions: [] },
    content: "x",
    contentType: "text/plain",
    title: "t",
    mentions: mentionOf("helper"),
    messageIds: [],
    actionId: "nobody",
    approved: "approved",
    skillId: "nobody",
    name: "find",
    result: { jsonrpc: "2.0", method: "notifications/message" },
    answer: { selectedOptions: [0] },
    outputs: [{ actionId: "nobody", output: "x" }],
    action: "add",
    mcp_server_view_id: "nobody",
    ...(await createSource()),
    documentId: "d",
    folderId: "f",
    tableId: "t",
    rowId: "r",
    rows: [],
    csv: "a",
    text: "x",
    timestamp: 1,
    mime_type: "text/plain",
    parentsIn: [],
    number: 1,
    n: 0,
    active: false,
    query: "x",
    thumbDirection: "up",
    asked: conversation.content[0]?.[0]?.sId,
  };
});

/** Creates a data source with a document and a folder, which are all that it may hold. */
async function createSource() {
  const { workspaceId: wId, spaceId } = server().demo;
  const view = { wId, spaceId, name: "x" };
  const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
  const { dataSourceId: dsId, sId: dsvId } = dataSourceView;
  await calls.rpc().documents.upsert.mutate({ wId, dsId, documentId: "d", text: "x" });
  const folder = { title: "x", timestamp: 1, mime_type: "x/x" };
  await calls.rpc().folders.upsert.mutate({ wId, dsId, folderId: "f", ...folder });
  return { spaceId, dsId, dsvId };
}

/** What no member of an input provokes. */
const others: Readonly<Record<string, () => Promise<string>>> = {
  "conversations.create model_disabled": async () =>
    call("conversations.create", {
      wId: server().demo.workspaceId,
      message: { content: "x", mentions: [], modelSelection: unknownModel },
    }),
  "conversations.create conversation_not_found": async () => {
    const key = { "idempotency-key": "conversation" };
    const json = { message: { content: "x", mentions: [] } };
    const { body } = await rest({ path: pathsOf(server()).conversations, json, headers: key });
    const { sId } = (body as { conversation: { sId: string } }).conversation;
    await rest({ method: "DELETE", path: `${pathsOf(server()).conversations}/${sId}` });
    return (await rest({ path: pathsOf(server()).conversations, json, headers: key })).type;
  },
  ...wrongStarts(calls, { server, call, mutations }),
  ...wrongTables(calls, { server, call, rest }),
  ...wrongTrials(calls, { server, call, callWithoutModels }),
  ...wrongSummaries(calls, { server, call, callWithoutModels }),
  ...missingSubjects(async (input) => call("budgets.create", input), mutations["budgets.create"]!),
  "messages.retry model_disabled": async () => {
    const { wId, cId, mId } = there;
    return callWithoutModels("messages.retry", { wId, cId, mId });
  },
  "messages.edit model_disabled": async () => {
    const { wId, cId, asked: mId, content, mentions } = there;
    return callWithoutModels("messages.edit", { wId, cId, mId, content, mentions });
  },
  "messages.create version_conflict": async () => {
    const { wId, cId, asked: afterMessageId, content } = there;
    return call("messages.create", { wId, cId, content, mentions: [], afterMessageId });
  },
  "agents.createGeneric model_disabled": async () => {
    const agent = { wId: there["wId"], name: "x", description: "", instructions: "" };
    return callWithoutModels("agents.createGeneric", agent);
  },
  "agents.import model_disabled": async () => {
    const yaml = JSON.stringify({ name: "x", description: "", model: unknownModel });
    return call("agents.import", { wId: there["wId"], yaml });
  },
  "skills.export skill_not_found": async () =>
    (await rest({ path: `${pathsOf(server()).workspace}/skills/nothing/export/zip` })).type,
  "agents.export agent_not_found": async () => {
    const agents = `${pathsOf(server()).workspace}/assistant/agent_configurations`;
    return (await rest({ path: `${agents}/nobody/export/yaml` })).type;
  },
  ...fullDataSources(calls, { call, mutations }),
  "clientServers.register mcp_server_not_found": async () => {
    const path = `${pathsOf(server()).workspace}/mcp/register`;
    const register = (key: string) =>
      rest({ path, json: { serverName: "x" }, headers: { "idempotency-key": key } });
    await register("first");
    // Of 16 more, the last takes the place of the first.
    for (let nth = 0; nth < 16; nth++) await register(`more ${nth}`);
    return (await register("first")).type;
  },
  ...Object.fromEntries(
    ["documents", "folders"].map((group) => [
      `${group}.upsert data_source_document_not_found`,
      async () => {
        const { wId } = there as { wId: string };
        const { dsId } = await createSource();
        const path = `/api/v1/w/${wId}/data_sources/${dsId}/${group}/${group[0]}`;
        const json = { title: "x", text: "x", timestamp: 1, mime_type: "x/x" };
        const again = { path, json, headers: { "idempotency-key": group } };
        await rest(again);
        await rest({ method: "DELETE", path });
        return (await rest(again)).type;
      },
    ]),
  ),
  "spaces.delete space_not_empty": async () => {
    const { space } = await calls
      .rpc()
      .spaces.create.mutate({ wId: there["wId"] as string, name: "x" });
    const held = { wId: there["wId"] as string, spaceId: space.sId };
    await calls.rpc().dataSourceViews.create.mutate({ ...held, name: "x" });
    return call("spaces.delete", held);
  },
  "tools.refresh tool_unreachable": async () => {
    const { input } = await mutations["tools.updateConnection"]!();
    await call("tools.updateConnection", { ...input, url: silent });
    const { wId, toolId } = input as Record<string, unknown>;
    return call("tools.refresh", { wId, toolId });
  },
  "tools.invoke tool_unreachable": async () => {
    const { wId, toolId } = await personalTool();
    return call("tools.invoke", { wId, toolId, name: "whoami" });
  },
  "userTokens.create member_not_found": async () => mint({ userId: nobody }),
  "userTokens.create space_not_found": async () => mint({ externalId: "x", spaceIds: [nobody] }),
  "userTokens.create member_already_exists": async () => {
    await mint({ externalId: "ada", email: "ada@parley.test" });
    return mint({ externalId: "another", email: "ada@parley.test" });
  },
  "userTokens.revoke member_not_found": async () =>
    call("userTokens.revoke", { wId: server().demo.workspaceId, userId: nobody }),
  "files.get file_not_found": async () =>
    (await rest({ path: `${pathsOf(server()).workspace}/files/fil_nobody` })).type,
  "files.upload file_type_not_supported": async () => uploadWrongContent(server()),
  ...Object.fromEntries(
    [
      ["files.getGenerated", "files?filePath=conversation/x.txt"],
      ["files.getByPath", "files/conversation/x.txt"],
    ].flatMap(([name, tail]) => [
      [
        `${name} conversation_not_found`,
        async () =>
          (await rest({ path: `${pathsOf(server()).conversations}/nobody/${tail}` })).type,
      ],
      [
        `${name} file_not_found`,
        async () => {
          const path = `${pathsOf(server()).conversations}/${String(there["cId"])}/${tail}`;
          return (await rest({ path })).type;
        },
      ],
    ]),
  ),
  "skills.import skill_already_exists": async () => {
    await importSkill({});
    return importSkill({});
  },
  "skills.import skill_not_found": async () => importSkill({ skillId: "skl_none", version: "0" }),
  "skills.import version_conflict": async () => {
    const { workspaceId: wId, adminKey } = server().demo;
    const { skill } = await createRpcClient({
      url: server().url,
      apiKey: adminKey,
    }).skills.create.mutate({ wId, name: "replaced", agentFacingDescription: "x" });
    return importSkill({ skillId: skill.sId, version: "7" });
  },
};

/** The error of an import of the skill `greeting` with these fields. */
const importSkill = async (fields: Readonly<Record<string, string>>): Promise<string> =>
  (await rest({ path: pathsOf(server()).skills, ...skillForm(fields) })).type;

/** The same as `call`, while the workspace may use no model. */
async function callWithoutModels(name: string, input: object): Promise<string> {
  const { workspaceId } = server().demo;
  const { get, update } = calls.operator().workspaces;
  const { models } = await get.query({ wId: workspaceId });
  await update.mutate({ wId: workspaceId, models: [] });
  try {
    return await call(name, input);
  } finally {
    await update.mutate({ wId: workspaceId, models });
  }
}

/** Creates a token, which only a key of the workspace may. */
async function mint(input: object): Promise<string> {
  const token = { wId: server().demo.workspaceId, scopes: ["files:read"], ...input };
  return call("userTokens.create", token, server().demo.adminKey);
}

async function call(name: string, input: object, key?: string): Promise<string> {
  return callByName(server(), name, { input, key });
}

/** Sends a request of the workspace's admin, and gives the body and the type of its error. */
async function rest(request: Request): Promise<{ body: unknown; type: string }> {
  const { text, status } = await send(server(), { key: server().demo.adminKey, ...request });
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const { error } = (body ?? {}) as { error?: { type: string } };
  return { body, type: error?.type ?? `no error, but ${status}` };
}

/** Of a file that was announced and is forgotten a day later. */
const unprovoked = new Set(["files.create file_not_found", "files.upload file_not_found"]);

const listed = Object.entries(endpoints as Record<string, Endpoint>).flatMap(([name, { errors }]) =>
  errors.filter((type) => !unprovoked.has(`${name} ${type}`)).map((type) => ({ name, type })),
);

/** Members that an endpoint's input may have. */
function membersOf(endpoint: Endpoint): Set<string> {
  const { params, query, body } = endpoint;
  return new Set([params, query, body].flatMap((part) => Object.keys(part?.shape ?? {})));
}

test.for(listed)("$name answers $type", async ({ name, type }) => {
  const provoke = others[`${name} ${type}`] ?? (() => callWrongly(name, type));
  expect(await provoke()).toBe(type);
});

/** Calls an endpoint with the members of its input that provoke an error. */
async function callWrongly(name: string, type: ErrorType): Promise<string> {
  const known = membersOf(endpoints[name as EndpointName]);
  const ofInput = (all: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(all).filter(([member]) => known.has(member)));
  const wrong = ofInput(members[type] ?? {});
  if (Object.keys(wrong).length === 0) return "no member of the input provokes it";
  const right = (await (mutations[name] ?? queries[name])?.())?.input ?? ofInput(there);
  return call(name, { ...right, ...wrong });
}
