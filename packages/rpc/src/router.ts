import * as core from "@parley/core";
import { endpoints, type HttpInput, type JsonEndpoint } from "@parley/schema";
import { callTRPCProcedure } from "@trpc/server";
import { activityRouters } from "./activity-routers.ts";
import type { ProcedureContext } from "./procedure-context.ts";
import { accessRouters } from "./access-routers.ts";
import { toolRouters } from "./tool-routers.ts";
import { cachedQuery, mutation, post, query, router, subscription } from "./trpc.ts";

/** The function that finds the log, per endpoint of kind stream. */
export const streams = {
  "clientServers.events": core.findClientServerStream,
  "conversations.events": core.findConversationStream,
  "messages.events": core.findMessageStream,
  "sandboxFunctions.events": core.findInvocationStream,
};

/** The implementation of each endpoint. */
export const appRouter = router({
  ...activityRouters,
  actions: router({
    listBlocked: query(endpoints["actions.listBlocked"], core.listAllBlockedActions),
  }),
  agents: router({
    archive: mutation(endpoints["agents.archive"], core.archiveAgent),
    create: mutation(endpoints["agents.create"], core.createAgent),
    createGeneric: post(
      endpoints["agents.createGeneric"],
      core.createGenericAgent,
      core.replayGenericAgent,
    ),
    delete: mutation(endpoints["agents.delete"], core.deleteAgent),
    get: query(endpoints["agents.get"], core.getAgent),
    getDefinition: query(endpoints["agents.getDefinition"], core.getAgentDefinition),
    import: post(endpoints["agents.import"], core.importAgent, core.replayAgentImport),
    list: query(endpoints["agents.list"], core.listAgents),
    listAll: query(endpoints["agents.listAll"], core.listAllAgents),
    patch: mutation(endpoints["agents.patch"], core.patchAgent),
    restore: mutation(endpoints["agents.restore"], core.restoreAgent),
    search: query(endpoints["agents.search"], core.searchAgents),
    update: mutation(endpoints["agents.update"], core.updateAgent),
  }),
  audit: router({
    list: query(endpoints["audit.list"], core.listAuditEvents),
  }),
  clientServers: router({
    answer: post(
      endpoints["clientServers.answer"],
      core.answerAsClientServer,
      core.replayClientAnswer,
    ),
    deregister: post(
      endpoints["clientServers.deregister"],
      core.deregisterClientServer,
      core.replayDeregistration,
    ),
    events: subscription(endpoints["clientServers.events"], streams["clientServers.events"]),
    heartbeat: post(
      endpoints["clientServers.heartbeat"],
      core.keepClientServer,
      core.replayHeartbeat,
    ),
    register: post(
      endpoints["clientServers.register"],
      core.registerClientServer,
      core.replayRegistration,
    ),
  }),
  contentFragments: router({
    create: post(
      endpoints["contentFragments.create"],
      core.addContentFragment,
      core.replayContentFragment,
    ),
  }),
  conversations: router({
    cancel: post(endpoints["conversations.cancel"], core.cancelMessages, core.replayCancel),
    changeTools: post(
      endpoints["conversations.changeTools"],
      core.changeConversationTools,
      core.replayChangedTools,
    ),
    create: post(
      endpoints["conversations.create"],
      core.createConversation,
      core.replayConversation,
    ),
    delete: mutation(endpoints["conversations.delete"], core.deleteConversation),
    events: subscription(endpoints["conversations.events"], streams["conversations.events"]),
    get: query(endpoints["conversations.get"], core.getConversation),
    getConsumption: query(endpoints["conversations.getConsumption"], core.getConsumption),
    list: query(endpoints["conversations.list"], core.listConversations),
    listAll: query(endpoints["conversations.listAll"], core.listAllConversations),
    listBlockedActions: query(
      endpoints["conversations.listBlockedActions"],
      core.listBlockedActions,
    ),
    update: mutation(endpoints["conversations.update"], core.updateConversation),
  }),
  dataSourceNodes: router({
    put: mutation(endpoints["dataSourceNodes.put"], core.putDataSourceNode),
    remove: mutation(endpoints["dataSourceNodes.remove"], core.removeDataSourceNode),
  }),
  dataSources: router({
    list: query(endpoints["dataSources.list"], core.listDataSources),
  }),
  dataSourceViews: router({
    create: mutation(endpoints["dataSourceViews.create"], core.createDataSourceView),
    find: query(endpoints["dataSourceViews.find"], core.findDataSourceViews),
    get: query(endpoints["dataSourceViews.get"], core.getDataSourceView),
    list: query(endpoints["dataSourceViews.list"], core.listDataSourceViews),
    listInSpace: query(endpoints["dataSourceViews.listInSpace"], core.listViewsInSpace),
    remove: mutation(endpoints["dataSourceViews.remove"], core.removeDataSourceView),
    searchDocuments: query(endpoints["dataSourceViews.searchDocuments"], core.searchDocuments),
    update: mutation(endpoints["dataSourceViews.update"], core.updateDataSourceView),
  }),
  documents: router({
    delete: mutation(endpoints["documents.delete"], core.deleteDocument),
    get: query(endpoints["documents.get"], core.getDocument),
    list: query(endpoints["documents.list"], core.listDocuments),
    upsert: post(endpoints["documents.upsert"], core.upsertDocument, core.replayDocument),
  }),
  featureFlags: router({
    list: query(endpoints["featureFlags.list"], core.listFeatureFlags),
  }),
  feedbacks: router({
    get: query(endpoints["feedbacks.get"], core.getFeedback),
    give: post(endpoints["feedbacks.give"], core.giveFeedback, core.replayFeedback),
    list: query(endpoints["feedbacks.list"], core.listFeedback),
    listOwn: query(endpoints["feedbacks.listOwn"], core.listOwnFeedback),
    withdraw: mutation(endpoints["feedbacks.withdraw"], core.withdrawFeedback),
  }),
  files: router({
    create: post(endpoints["files.create"], core.announceFile, core.replayAnnouncement),
    delete: mutation(endpoints["files.delete"], core.deleteFile),
    list: query(endpoints["files.list"], core.listFiles),
  }),
  folders: router({
    delete: mutation(endpoints["folders.delete"], core.deleteFolder),
    upsert: post(endpoints["folders.upsert"], core.upsertFolder, core.replayFolder),
  }),
  functionSecrets: router({
    list: query(endpoints["functionSecrets.list"], core.listFunctionSecrets),
    put: mutation(endpoints["functionSecrets.put"], core.putFunctionSecret),
    remove: mutation(endpoints["functionSecrets.remove"], core.removeFunctionSecret),
  }),
  invocations: router({
    cancel: post(
      endpoints["invocations.cancel"],
      core.cancelInvocation,
      core.replayCancelInvocation,
    ),
    get: query(endpoints["invocations.get"], core.getInvocation),
    list: query(endpoints["invocations.list"], core.listInvocations),
  }),
  members: router({
    add: mutation(endpoints["members.add"], core.addMember),
    list: query(endpoints["members.list"], core.listMembers),
    listEmails: query(endpoints["members.listEmails"], core.listMemberEmails),
    readLocale: mutation(endpoints["members.readLocale"], core.readLocale),
    remove: mutation(endpoints["members.remove"], core.removeMember),
  }),
  mentions: router({
    parse: post(endpoints["mentions.parse"], core.parseMentions, core.replayMentions),
    suggest: query(endpoints["mentions.suggest"], core.suggestMentions),
    suggestInConversation: query(
      endpoints["mentions.suggestInConversation"],
      core.suggestInConversation,
    ),
  }),
  messages: router({
    answerQuestion: post(
      endpoints["messages.answerQuestion"],
      core.answerQuestion,
      core.replayAnswer,
    ),
    create: post(endpoints["messages.create"], core.postMessage, core.replayPost),
    edit: post(endpoints["messages.edit"], core.editMessage, core.replayEdit),
    events: subscription(endpoints["messages.events"], streams["messages.events"]),
    retry: post(endpoints["messages.retry"], core.retryMessage, core.replayRetry),
    validateAction: post(
      endpoints["messages.validateAction"],
      core.validateAction,
      core.replayValidateAction,
    ),
  }),
  models: router({
    list: query(endpoints["models.list"], core.listModels),
    listUsable: query(endpoints["models.listUsable"], core.listUsableModels),
  }),
  nodes: router({
    find: query(endpoints["nodes.find"], core.findNodes),
    search: mutation(endpoints["nodes.search"], core.searchNodes),
  }),
  providerCredentials: router({
    list: query(endpoints["providerCredentials.list"], core.listProviderCredentials),
    put: mutation(endpoints["providerCredentials.put"], core.putProviderCredential),
    remove: mutation(endpoints["providerCredentials.remove"], core.removeProviderCredential),
  }),
  sandboxFunctions: router({
    archive: mutation(endpoints["sandboxFunctions.archive"], core.archiveSandboxFunction),
    create: mutation(endpoints["sandboxFunctions.create"], core.createSandboxFunction),
    events: subscription(endpoints["sandboxFunctions.events"], streams["sandboxFunctions.events"]),
    get: query(endpoints["sandboxFunctions.get"], core.readSandboxFunction),
    invoke: post(
      endpoints["sandboxFunctions.invoke"],
      core.invokeSandboxFunction,
      core.replayInvocation,
    ),
    list: query(endpoints["sandboxFunctions.list"], core.listSandboxFunctions),
    listAll: query(endpoints["sandboxFunctions.listAll"], core.listAdministeredFunctions),
    listVersions: query(endpoints["sandboxFunctions.listVersions"], core.listFunctionVersions),
    restore: mutation(endpoints["sandboxFunctions.restore"], core.restoreSandboxFunction),
    update: mutation(endpoints["sandboxFunctions.update"], core.updateSandboxFunction),
  }),
  skills: router({
    list: cachedQuery(endpoints["skills.list"], core.listSkills, core.readSkillState),
    approve: mutation(endpoints["skills.approve"], core.approveSkill),
    archive: mutation(endpoints["skills.archive"], core.archiveSkill),
    create: mutation(endpoints["skills.create"], core.createSkill),
    delete: mutation(endpoints["skills.delete"], core.deleteSkill),
    get: query(endpoints["skills.get"], core.getSkill),
    listVersions: query(endpoints["skills.listVersions"], core.listSkillVersions),
    publish: mutation(endpoints["skills.publish"], core.publishSkill),
    read: query(endpoints["skills.read"], core.readSkill),
    restore: mutation(endpoints["skills.restore"], core.restoreSkill),
    update: mutation(endpoints["skills.update"], core.updateSkill),
  }),
  spaces: router({
    create: mutation(endpoints["spaces.create"], core.createSpace),
    delete: mutation(endpoints["spaces.delete"], core.deleteSpace),
    get: query(endpoints["spaces.get"], core.getSpace),
    getProjectMetadata: query(endpoints["spaces.getProjectMetadata"], core.getProjectMetadata),
    list: query(endpoints["spaces.list"], core.listSpaces),
    listAll: query(endpoints["spaces.listAll"], core.listAllSpaces),
    listConversationIds: query(
      endpoints["spaces.listConversationIds"],
      core.listSpaceConversationIds,
    ),
    listConversations: query(endpoints["spaces.listConversations"], core.listSpaceConversations),
    listProjectFiles: query(endpoints["spaces.listProjectFiles"], core.listProjectFiles),
    update: mutation(endpoints["spaces.update"], core.updateSpace),
  }),
  ...accessRouters,
  ...toolRouters,
  verifiedDomains: router({
    list: query(endpoints["verifiedDomains.list"], core.listVerifiedDomains),
  }),
  workspaces: router({
    create: mutation(endpoints["workspaces.create"], core.createWorkspace),
    delete: mutation(endpoints["workspaces.delete"], core.deleteWorkspace),
    exists: query(endpoints["workspaces.exists"], core.confirmWorkspace),
    get: query(endpoints["workspaces.get"], core.getWorkspace),
    list: query(endpoints["workspaces.list"], core.listWorkspaces),
    resume: mutation(endpoints["workspaces.resume"], core.resumeWorkspace),
    suspend: mutation(endpoints["workspaces.suspend"], core.suspendWorkspace),
    update: mutation(endpoints["workspaces.update"], core.updateWorkspace),
    usage: query(endpoints["workspaces.usage"], core.readWorkspaceUsage),
  }),
});

export type AppRouter = typeof appRouter;

/** Calls the procedure of an endpoint, as REST does. */
export function callProcedure(
  { name, method }: { name: string; method: JsonEndpoint["method"] },
  context: ProcedureContext,
  input: HttpInput,
): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path: name,
    type: method === "GET" ? "query" : "mutation",
    ctx: context,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });
}

/** The function that stores the bytes, per endpoint of kind upload. */
export const uploads = { "files.upload": core.uploadFile };

/** The implementation, per endpoint of kind form. */
export const forms = { "skills.import": core.importSkills };

/** The function that opens the bytes, per endpoint of kind bytes. */
export const downloads = {
  "agents.export": core.exportAgent,
  "analytics.export": core.exportAnalytics,
  "files.get": core.openFile,
  "files.getGenerated": core.openGeneratedFile,
  "files.getByPath": core.openByPath,
  "skills.export": core.exportSkill,
};
