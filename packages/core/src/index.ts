export {
  isDatabaseBusy,
  isDatabaseUnavailable,
  isDatabaseUnwritable,
  isDataError,
  isWorkspaceDeleted,
} from "@parley/db";

export type { Caller, RunOrigin, WorkspaceCaller } from "./context.ts";

export {
  type Core,
  type CoreContext as Context,
  type CoreParts,
  type CoreRequest as RequestContext,
  createCore,
} from "./create-core.ts";

export { createBatcher } from "./data-access/batcher.ts";
export { type DatabaseClock, startDatabaseClock } from "./data-access/database-clock.ts";
export * from "./data-access/retry-conflicts.ts";
export { createRowIds } from "./data-access/row-ids.ts";
export * from "./data-access/rows.ts";
export { onSlowDatabase } from "./data-access/slow-database.ts";

export { type Job, threadModule } from "./untrusted/job.ts";
export * from "./untrusted/threads.ts";

export * from "./log/append.ts";
export * from "./log/bus.ts";
export * from "./log/follow.ts";
export * from "./log/hub.ts";
export * from "./log/log-stream.ts";
export * from "./log/read-log.ts";
export * from "./log/redis-bus.ts";
export { openRedis, type RedisConnection } from "./log/redis-connection.ts";
export * from "./log/resume.ts";
export * from "./log/retention.ts";
export { startSafetyPoll } from "./log/safety-poll.ts";
export type { Follower, Following } from "./log/tail.ts";
export { inTransaction, type Transaction } from "./log/transaction.ts";

export {
  findIdempotencyKey,
  type IdempotencyKey,
  once,
  scopeOfKey,
  sweepIdempotencyKeys,
} from "./idempotency.ts";

export { createInvocationSweep } from "./invocations/sweep-invocations.ts";
export { createVersionSweep } from "./storage/sweep-versions.ts";
export { countStorage, readStorageSums, type StorageSums } from "./storage/count-storage.ts";
export { reservingStorage } from "./storage/reserve-storage.ts";
export type { StorageServices } from "./storage/storage-meter.ts";

export { listAuditEvents, sweepAuditLog } from "./audit/audit-events.ts";
export { type AuditedMutation, actorOf, recordCommand } from "./audit/audited-mutations.ts";
export * from "./audit/refused-credentials.ts";
export { createRefusedMutations, type RefusedMutations } from "./audit/refused-mutations.ts";

export * from "./access/credentials.ts";
export { generateApiKey, hashSecret } from "./access/key-secrets.ts";
export {
  createCodeForKey,
  createSession,
  createSignInCode,
  endSession,
  getSession,
  type SessionServices,
  sweepSessions,
} from "./access/sessions.ts";
export { seesAllOfWorkspace } from "./access/ownership.ts";
export { type CallerAndSpace, findReachedSpaces } from "./access/reached-spaces.ts";

export type { Claimed, ClaimedRun } from "./runs/claim-parts.ts";
export { dropOrphan } from "./runs/drop-orphan.ts";
export { lookForDueRuns } from "./runs/due-runs.ts";
export { hasLiveWorker, NO_WORKER, removeWorker } from "./runs/live-workers.ts";
export * from "./runs/leases.ts";
export type { LocalWorker, NewRuns, RunHolder } from "./runs/local-workers.ts";
export { voidClaims } from "./runs/void-claims.ts";
export * from "./runs/waiting-runs.ts";
export { wakeSuspendedRuns, wakeQueuedRuns } from "./runs/wake-runs.ts";

export {
  createApiKey,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from "./workspaces/api-keys.ts";
export { createTokenIssuer, type IssuerOfUsers } from "./workspaces/issued-users.ts";
export { isSafeUrl } from "./workspaces/issuer-tokens.ts";
export * from "./workspaces/members.ts";
export { createUserToken, revokeUserTokens, sweepUserTokens } from "./workspaces/user-tokens.ts";
export {
  createOperatorKey,
  isUsableOperatorKey,
  listOperatorKeys,
  revokeAllOperatorKeys,
  revokeOperatorKey,
  rotateOperatorKey,
} from "./workspaces/operator-keys.ts";
export { listModels, listUsableModels } from "./workspaces/list-models.ts";
export { contextTokensOf, supportedEffort } from "./workspaces/models.ts";
export { picturePaths } from "./workspaces/pictures.ts";
export {
  listProviderCredentials,
  putProviderCredential,
  readProviderSecret,
  removeProviderCredential,
  UnreadableSecret,
} from "./workspaces/provider-credentials.ts";
export { createSecretBox, ENCRYPTION_KEY_BYTES, encryptionKeyId } from "./workspaces/secret-box.ts";
export {
  createSpace,
  getSpace,
  listAllSpaces,
  listSpaces,
  updateSpace,
} from "./workspaces/spaces.ts";
export {
  createWorkspace,
  getWorkspace,
  insertWorkspace,
  listWorkspaces,
  resumeWorkspace,
  suspendWorkspace,
  updateWorkspace,
} from "./workspaces/workspaces.ts";
export * from "./workspaces/workspace-facts.ts";
export { readWorkspaceUsage } from "./workspaces/workspace-usage.ts";

export {
  createDataSourceView,
  listDataSourceViews,
  putDataSourceNode,
  removeDataSourceNode,
  removeDataSourceView,
} from "./knowledge/data-source-administration.ts";
export { listDataSources, listViewsInSpace } from "./knowledge/data-sources.ts";
export {
  deleteDocument,
  deleteFolder,
  getDocument,
  listDocuments,
  replayDocument,
  upsertDocument,
} from "./knowledge/documents.ts";
export { replayFolder, upsertFolder } from "./knowledge/folders.ts";
export { searchDocuments } from "./knowledge/search-documents.ts";
export { findNodes, searchNodes } from "./knowledge/search-nodes.ts";
export { findDataSourceViews, getDataSourceView, updateDataSourceView } from "./knowledge/views.ts";

export {
  announceFile,
  deleteFile,
  openFile,
  type ReadableFile,
  replayAnnouncement,
  sweepFiles,
} from "./files/files.ts";
export { openByPath, openGeneratedFile } from "./files/generated-files.ts";
export { listFiles } from "./files/list-files.ts";
export { type ReadUpload, uploadFile } from "./files/uploads.ts";

export { checkBehaviour, findPlanFault } from "./functions/check-behaviour.ts";
export { checkOutcome } from "./functions/check-values.ts";
export * from "./functions/function-administration.ts";
export {
  listFunctionSecrets,
  putFunctionSecret,
  readFunctionSecrets,
  removeFunctionSecret,
} from "./functions/function-secrets.ts";
export * from "./functions/function-directory.ts";
export { listAdministeredFunctions, listSandboxFunctions } from "./functions/list-functions.ts";
export { listFunctionVersions } from "./functions/list-versions.ts";
export { recordBehaviour } from "./functions/record-behaviour.ts";
export { insertSandboxFunctions, type SandboxFunction } from "./functions/sandbox-functions.ts";

export { exportSkill } from "./skills/export-skill.ts";
export { importSkills } from "./skills/import-skills.ts";
export { type AnswerState, readSkillState } from "./skills/listing-state.ts";
export * from "./skills/skill-administration.ts";
export * from "./skills/skill-pages.ts";
export { listSkillVersions } from "./skills/skill-versions.ts";
export { listSkills, readSkill } from "./skills/skills.ts";
export { createTool, listTools, removeTool, updateTool } from "./tools/tool-administration.ts";
export {
  getToolConnection,
  refreshToolNow,
  registerTool,
  updateToolConnection,
} from "./tools/register-tools.ts";
export {
  getToolAuthorization,
  replayToolAuthorization,
  revokeToolAuthorization,
  startToolAuthorization,
} from "./tools/tool-authorizations.ts";
export * from "./tools/client-document.ts";
export { refreshUsedTool } from "./tools/refresh-tools.ts";
export { answerAsClientServer, replayClientAnswer } from "./tools/answer-requests.ts";
export {
  type CallableTool,
  openCallableTool,
  type ToolCallInput,
} from "./tools/callable-servers.ts";
export {
  findClientServerStream,
  keepClientServer,
  deregisterClientServer,
  registerClientServer,
  replayDeregistration,
  replayHeartbeat,
  replayRegistration,
  sweepClientServers,
} from "./tools/client-servers.ts";
export {
  changeConversationTools,
  listSpaceTools,
  replayChangedTools,
} from "./tools/conversation-tools.ts";
export type { ToolResult, ToolServerFailure, ToolServers } from "./tools/tool-servers.ts";
export {
  type ComingBack,
  completeToolAuthorization,
  type DescribedAuthorization,
  describeToolAuthorization,
} from "./turns/complete-authorization.ts";
export { answerQuestion, askUserTool, replayAnswer } from "./turns/ask-user.ts";
export { storeCallFiles } from "./turns/call-files.ts";
export { type StoredToolResult, textOfOutput } from "./turns/tool-results.ts";

export * from "./agents/agent-administration.ts";
export * from "./agents/agent-directory.ts";
export * from "./agents/callable-agents.ts";
export { exportAgent, importAgent, replayAgentImport } from "./agents/agent-files.ts";
export { patchAgent } from "./agents/patch-agent.ts";
export { createGenericAgent, replayGenericAgent } from "./agents/generic-agents.ts";
export * from "./agents/mentions.ts";
export * from "./agents/read-agents.ts";

export * from "./invocations/cancel-invocation.ts";
export { claimInvocations } from "./invocations/claim-invocations.ts";
export * from "./invocations/finish-invocations.ts";
export * from "./invocations/invoke.ts";
export * from "./invocations/load-invocation.ts";
export type { InvocationRequest } from "./invocations/new-invocations.ts";
export { insertInvocation } from "./invocations/write-invocations.ts";
export { getInvocation, listInvocations } from "./invocations/read-invocations.ts";

export { claimTurns } from "./turns/claim-turns.ts";
export * from "./turns/finish-turns.ts";
export * from "./turns/load-turns.ts";
export * from "./turns/save-step.ts";
export { awaitPermission } from "./turns/refused-calls.ts";
export { hasOpenCalls, settleCalls } from "./turns/settle-calls.ts";
export { takeOverRuns } from "./turns/take-over-runs.ts";
export { listAllBlockedActions, listBlockedActions } from "./turns/blocked-actions.ts";
export { listSkillFiles, loadSkillInstructions, readSkillFile } from "./turns/turn-skills.ts";
export { replayValidateAction, validateAction } from "./turns/validate-action.ts";

export { listAllConversations } from "./activity/list-conversations.ts";
export { callToolByHand, replayToolCall } from "./invocations/call-tool.ts";
export { getRun } from "./activity/get-run.ts";
export { listRuns } from "./activity/list-runs.ts";
export { listServerRuns } from "./activity/list-server-runs.ts";
export { getOverview, getServerOverview } from "./activity/overview.ts";
export { type ActivityRecorder, startActivityRecorder } from "./activity/record-activity.ts";

export { exportAnalytics } from "./analytics/export-analytics.ts";

export { cancelMessages } from "./conversations/cancel-messages.ts";
export { getConversation } from "./conversations/conversation-content.ts";
export {
  deleteConversation,
  listConversations,
  updateConversation,
} from "./conversations/conversations.ts";
export { createConversation } from "./conversations/create-conversation.ts";
export { addContentFragment, postMessage, retryMessage } from "./conversations/post-messages.ts";
export { getConsumption } from "./conversations/consumption.ts";
export { editMessage } from "./conversations/edit-message.ts";
export * from "./conversations/feedbacks.ts";
export * from "./conversations/replays.ts";
export {
  getProjectMetadata,
  listProjectFiles,
  listSpaceConversationIds,
  listSpaceConversations,
} from "./conversations/space-content.ts";
export * from "./conversations/streams.ts";
export { giveMadeTitle, mayUseModel, untitledMessage } from "./conversations/titles.ts";

export { deleteSpace } from "./delete-space.ts";
export { deleteWorkspace } from "./delete-workspace.ts";
