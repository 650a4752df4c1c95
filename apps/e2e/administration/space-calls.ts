import { AnalyticsTable, type EndpointName } from "@parley/schema";
import { MARK, type Things } from "./closed-space.ts";
import { tableCalls } from "./table-calls.ts";
import { webSourceCalls } from "./web-source-calls.ts";

/** What a caller of the table has itself, in the open. */
export interface Own {
  readonly cId: string;
  readonly skillId: string;
  readonly agentId: string;
  readonly functionId: string;
}

type Inputs = (things: Things, own: Own) => readonly object[];

const fragment = { title: "t" };
const message = { content: "x", mentions: [] };
const model = { providerId: "simulated", modelId: "simulated-1" };
const node = ({ nodeId, dataSourceViewId }: Things) => ({
  nodeId,
  nodeDataSourceViewId: dataSourceViewId,
});
const ofSkill: Inputs = ({ skillId }) => [{ skillId, version: 0 }];
const ofTool: Inputs = ({ toolId }) => [{ toolId, version: 0 }];
const ofConversation =
  (more: object = {}): Inputs =>
  ({ cId }) => [{ cId, ...more }];
const ofAnswer =
  (more: object = {}): Inputs =>
  ({ cId, mId }) => [{ cId, mId, ...more }];
const ofSpace: Inputs = ({ spaceId }) => [{ spaceId }];
const ofView =
  (more: object = {}): Inputs =>
  ({ spaceId, dataSourceViewId }) => [{ spaceId, dsvId: dataSourceViewId, ...more }];
const inSource =
  (idOf: (things: Things) => object): Inputs =>
  (things) => {
    const given = { dsId: things.dataSourceId, ...idOf(things) };
    return [given, { ...given, spaceId: things.spaceId }];
  };
const document = (more: object = {}) => inSource(({ nodeId }) => ({ documentId: nodeId, ...more }));
const folder = (more: object = {}) => inSource(({ nodeId }) => ({ folderId: nodeId, ...more }));
const ofInvocation: Inputs = ({ invocationId }, { functionId }) => [{ functionId, invocationId }];

const agentWith = (agentId: string, skillId: string) =>
  JSON.stringify({ sId: agentId, name: "x", description: "", model, skills: [skillId] });

/** Every way in which the input of a call names something of a space. */
export const naming: Partial<Record<EndpointName, Inputs>> = {
  "conversations.create": (things) => [
    { message, spaceId: things.spaceId },
    { message, contentFragments: [{ ...fragment, fileId: things.fragmentFileId }] },
    { message, contentFragments: [{ ...fragment, fileId: things.attachedFileId }] },
    { message, contentFragments: [{ ...fragment, ...node(things) }] },
  ],
  "conversations.get": ofConversation(),
  "conversations.getConsumption": ofConversation(),
  "conversations.listTasks": ofConversation(),
  "conversations.listBlockedActions": ofConversation(),
  "conversations.update": ofConversation({ title: "POISONED" }),
  "conversations.delete": ofConversation(),
  "conversations.cancel": ({ cId, mId }, own) => [
    { cId, messageIds: [mId] },
    { cId: own.cId, messageIds: [mId] },
  ],
  "conversations.events": ofConversation(),
  "contentFragments.create": (things, own) => [
    { cId: things.cId, ...fragment, content: "POISONED", contentType: "text/plain" },
    { cId: own.cId, ...fragment, fileId: things.fragmentFileId },
    { cId: own.cId, ...fragment, fileId: things.attachedFileId },
    { cId: own.cId, ...fragment, ...node(things) },
  ],
  "memories.get": ({ memoryId }) => [{ memoryId }],
  "memories.update": ({ memoryId }) => [{ memoryId, version: 0, content: "POISONED" }],
  "memories.remove": ({ memoryId }) => [{ memoryId, version: 0 }],
  "memories.erase": ({ spaceId }) => [{ spaceId }],
  "memories.run": ({ spaceId }) => [{ spaceId, command: "view", path: "/memories/space" }],
  "mentions.suggest": ({ cId }) => [{ query: "", conversationId: cId }],
  "mentions.suggestInConversation": ofConversation({ query: "" }),
  "messages.create": ofConversation(message),
  "messages.edit": ofAnswer({ content: "POISONED", mentions: [] }),
  "messages.retry": ofAnswer(),
  "messages.validateAction": ({ cId, mId, actionId }, own) => [
    { cId, mId, actionId, approved: "rejected" },
    { cId: own.cId, mId, actionId, approved: "rejected" },
  ],
  "messages.answerQuestion": ({ cId, mId, actionId }, own) => [
    { cId, mId, actionId, answer: { selectedOptions: [0] } },
    { cId: own.cId, mId, actionId, answer: { selectedOptions: [0] } },
  ],
  "messages.sendToolOutputs": ({ cId, mId, actionId }, own) => [
    { cId, mId, outputs: [{ actionId, output: "POISONED" }] },
    { cId: own.cId, mId, outputs: [{ actionId, output: "POISONED" }] },
  ],
  "messages.events": ofAnswer(),
  "messages.getAnswer": ofAnswer({}),
  "messages.getTrace": ofAnswer(),
  "messages.getRequest": ofAnswer({ n: 0 }),
  "summaries.list": ofConversation(),
  "summaries.create": ofConversation({ agentId: "helper" }),
  "summaries.update": ofConversation({ number: 1, active: false }),
  "feedbacks.get": ofAnswer(),
  "feedbacks.give": ofAnswer({ thumbDirection: "up" }),
  "feedbacks.listOwn": ofConversation(),
  "feedbacks.withdraw": ofAnswer(),
  "files.upload": ({ fragmentFileId, attachedFileId }) => [
    { fileId: fragmentFileId },
    { fileId: attachedFileId },
  ],
  "files.delete": ({ fragmentFileId, attachedFileId }) => [
    { fileId: fragmentFileId },
    { fileId: attachedFileId },
  ],
  "files.get": ({ fragmentFileId, attachedFileId }) => [
    { fileId: fragmentFileId },
    { fileId: attachedFileId },
  ],
  "skills.import": ({ skillName }) => [
    { name: skillName, onConflict: "error" },
    { name: skillName, onConflict: "skip" },
    { name: skillName, onConflict: "override" },
  ],
  "files.getGenerated": ofConversation({ filePath: "conversation/x.txt" }),
  "files.getByPath": ofConversation({ rel: "conversation/x.txt" }),
  "skills.delete": ({ skillId }) => [{ skillId }],
  "skills.get": ({ skillId }) => [{ skillId }],
  "skills.listVersions": ({ skillId }) => [{ skillId }],
  "skills.export": ({ skillId }) => [{ skillId }],
  "skills.read": ({ skillId }) => [{ skillId }],
  "skills.create": ({ spaceId, toolId, attachedFileId }) =>
    [{ spaceIds: [spaceId] }, { toolIds: [toolId] }, { fileIds: [attachedFileId] }].map((more) => ({
      name: "x",
      agentFacingDescription: "x",
      ...more,
    })),
  "skills.update": ({ skillId, spaceId, toolId, attachedFileId }, own) => [
    { skillId, version: 0, name: "POISONED" },
    ...[{ spaceIds: [spaceId] }, { toolIds: [toolId] }, { fileIds: [attachedFileId] }].map(
      (more) => ({ skillId: own.skillId, version: 0, ...more }),
    ),
  ],
  "skills.approve": ofSkill,
  "skills.archive": ofSkill,
  "skills.restore": ofSkill,
  "skills.publish": ({ skillId }) => [{ skillId, version: 0, availability: "editors" }],
  "tools.create": ({ spaceId }) => [
    { spaceId, name: "POISONED", description: "x", serverType: "remote", server: "of the test" },
  ],
  "tools.invoke": ({ toolId }) => [{ toolId, name: "find" }],
  "tools.update": ({ toolId }) => [{ toolId, version: 0, name: "POISONED" }],
  "tools.remove": ofTool,
  "tools.register": ({ spaceId }) => [{ spaceId, url: "https://tools.example.com/mcp" }],
  "tools.getConnection": ({ toolId }) => [{ toolId }],
  "tools.updateConnection": ofTool,
  "tools.refresh": ({ toolId }) => [{ toolId }],
  "toolAuthorizations.get": ({ toolId }) => [{ toolId }],
  "toolAuthorizations.revoke": ({ toolId }) => [{ toolId }],
  "toolAuthorizations.start": ({ toolId }) => [{ toolId }],
  "tools.listOfSpace": ({ spaceId }) => [{ spaceId }],
  "conversations.changeTools": ({ cId, toolId }, own) => [
    { cId, action: "add", mcp_server_view_id: toolId },
    { cId: own.cId, action: "add", mcp_server_view_id: toolId },
  ],
  "invocations.get": ofInvocation,
  "runs.getTrace": ({ invocationId, mId }) => [{ runId: invocationId }, { runId: mId }],
  "runs.get": ({ invocationId, mId }) => [{ runId: invocationId }, { runId: mId }],
  "runs.cancel": ({ invocationId, mId }) => [{ runId: invocationId }, { runId: mId }],
  "invocations.cancel": ofInvocation,
  "sandboxFunctions.events": ofInvocation,
  "agents.create": ({ skillId, toolId }) =>
    [{ skillIds: [skillId] }, { toolIds: [toolId] }].map((more) => {
      return { name: "x", description: "", model, ...more };
    }),
  "agents.update": ({ skillId, toolId }, { agentId }) => [
    { agentId, skillIds: [skillId] },
    { agentId, toolIds: [toolId] },
  ],
  "agents.try": ({ skillId, toolId }) =>
    [{ skillIds: [skillId] }, { toolIds: [toolId] }].map((more) => {
      return { draft: { name: "x", description: "", model, ...more }, message: { content: "x" } };
    }),
  "agents.import": ({ skillId }, { agentId }) => [{ yaml: agentWith(agentId, skillId) }],
  "userTokens.create": ({ spaceId }) => [
    { externalId: "x", scopes: ["files:read"], spaceIds: [spaceId] },
  ],
  "dataSources.checkUpsertQueue": inSource(() => ({})),
  "dataSources.get": inSource(() => ({})),
  "dataSources.list": ofSpace,
  "dataSources.search": inSource(() => ({ query: MARK })),
  "dataSourceViews.create": ({ spaceId }) => [{ spaceId, name: "POISONED" }],
  "dataSourceViews.find": ({ spaceId, dataSourceId }) => [{ vaultId: spaceId }, { dataSourceId }],
  "dataSourceViews.get": ofView(),
  "dataSourceViews.listInSpace": ofSpace,
  "dataSourceViews.remove": ({ dataSourceViewId }) => [{ dataSourceViewId }],
  "dataSourceViews.searchDocuments": ofView({ query: MARK }),
  "dataSourceViews.update": ofView({ parentsIn: ["POISONED"] }),
  "documents.delete": document(),
  "documents.get": document(),
  "documents.getBlob": document(),
  "documents.list": inSource(() => ({})),
  "documents.setParents": inSource(({ nodeId }) => ({
    documentId: nodeId,
    parents: [nodeId, "POISONED"],
  })),
  "documents.upsert": document({ text: "POISONED" }),
  "folders.delete": folder(),
  "folders.upsert": folder({ title: "POISONED", timestamp: 1, mime_type: "x/x" }),
  "knowledge.search": ({ dataSourceId }) => [{ query: MARK, dataSourceIds: [dataSourceId] }],
  "nodes.find": ({ spaceId }) => [{ query: MARK, spaceIds: spaceId, includeDataSources: true }],
  "nodes.search": ({ spaceId, nodeId }) => [
    { query: MARK, spaceIds: [spaceId], includeDataSources: true },
    { nodeIds: [nodeId] },
  ],
  "spaces.getProjectMetadata": ofSpace,
  "spaces.listConversationIds": ofSpace,
  "spaces.listConversations": ofSpace,
  "spaces.listProjectFiles": ofSpace,
  ...tableCalls,
  ...webSourceCalls,
  "dataSourceNodes.divide": ({ dataSourceViewId, nodeId }) => [{ dataSourceViewId, nodeId }],
  "dataSourceNodes.list": ({ dataSourceViewId }) => [{ dataSourceViewId }],
  "dataSourceNodes.put": ({ dataSourceViewId, nodeId }) =>
    [nodeId, "planted"].map((id) => ({
      dataSourceViewId,
      nodeId: id,
      nodeType: "document",
      title: "POISONED",
      content: "POISONED",
    })),
  "dataSourceNodes.remove": ({ dataSourceViewId, nodeId }) => [{ dataSourceViewId, nodeId }],
};

/** Calls that name nothing of a space but could tell of it. */
export const telling: Partial<Record<EndpointName, (own: Own) => readonly object[]>> = {
  "conversations.list": () => [{}],
  "conversations.listAll": () => [{}, { status: "succeeded" }],
  "memories.list": () => [{}, { scope: "space" }],
  "search.messages": () => [{ query: "a" }, { query: "-nothing" }],
  "search.ids": ({ cId }) => [{ id: cId }],
  "conversations.get": ({ cId }) => [{ cId }],
  "skills.list": () =>
    ["active", "suggested", "archived"].flatMap((status) => [
      { status },
      { status, bypassEditorVisibility: "true" },
    ]),
  "tools.list": () => [{}],
  "actions.listBlocked": () => [{}],
  "runs.list": () => [{ limit: 100 }, { limit: 100, kind: "turn" }],
  "invocations.list": ({ functionId }) => [{ functionId }, { functionId, status: "succeeded" }],
  "sandboxFunctions.get": ({ functionId }) => [{ functionId }],
  "sandboxFunctions.listVersions": ({ functionId }) => [{ functionId }],
  "sandboxFunctions.list": () => [{}],
  "sandboxFunctions.listAll": () => [{}],
  "spaces.list": () => [{}],
  "agents.list": () => [{ view: "all" }],
  "agents.search": () => [{ q: "a" }],
  "agents.patch": ({ agentId }) => [
    { sId: agentId, userFavorite: true },
    { sId: agentId, agent: { description: "changed" } },
  ],
  "agents.export": ({ agentId }) => [{ sId: agentId }],
  "agents.listAll": () => [{}],
  "agents.getDefinition": ({ agentId }) => [{ agentId }],
  "agents.listVersions": ({ agentId }) => [{ agentId }],
  "agents.getVersion": ({ agentId }) => [{ agentId, agentVersion: 0 }],
  "agents.restoreVersion": ({ agentId }) => [{ agentId, agentVersion: 0 }],
  "agents.get": ({ agentId }) => [{ sId: agentId }],
  "agents.update": ({ agentId }) => [{ agentId, description: "changed" }],
  "webSources.list": () => [{}],
  "dataSources.list": () => [{}],
  "dataSourceViews.find": () => [{}],
  "dataSourceViews.list": () => [{}],
  "knowledge.search": () => [{ query: MARK }],
  "knowledge.status": () => [{}],
  "nodes.find": () => [{ query: MARK, includeDataSources: true }],
  "nodes.search": () => [{ query: MARK, includeDataSources: true }],
  "feedbacks.list": () => [{}],
  "members.list": () => [{}],
  "files.list": () => [{}],
  "functionSecrets.list": () => [{}],
  "providerCredentials.list": () => [{}],
  "workspaces.get": () => [{}],
  "analytics.exportConsumption": () =>
    (["csv", "ndjson"] as const).map((format) => ({ ...lastDays(), format })),
  "analytics.export": () =>
    AnalyticsTable.options.map((table) => ({
      table,
      startDate: "2026-01-01",
      endDate: "2026-12-31",
    })),
};

/** The longest range of days that ends today. */
function lastDays(): { startDate: string; endDate: string } {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { startDate: dayOf(Date.now() - 29 * 86_400_000), endDate: dayOf(Date.now()) };
}
