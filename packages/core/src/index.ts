export {
  isDatabaseBusy,
  isDatabaseUnavailable,
  isDatabaseUnwritable,
  isDataError,
  isWorkspaceDeleted,
} from "@parley/db";
export {
  KnownKeyRefused,
  type Credentials,
  createCredentials,
  requireWorkspace,
} from "./access/credentials.ts";
export { generateApiKey, hashSecret } from "./access/key-secrets.ts";
export { seesAllOfWorkspace } from "./access/ownership.ts";
export { type CallerAndSpace, findReachedSpaces } from "./access/space-reach.ts";
export { createCodeForKey, type SessionServices, sweepSessions } from "./access/sessions.ts";
export { startActivityRecorder } from "./activity/record-activity.ts";
export { countOpenAlerts } from "./alerts/incidents.ts";
export { judgeAlerts } from "./alerts/judge-alerts.ts";
export { startMeasureRecorder } from "./alerts/record-measures.ts";
export { sweepIncidents } from "./alerts/sweep-incidents.ts";
export { type AgentDirectory, createAgentDirectory } from "./agents/agent-directory.ts";
export {
  type CallableAgent,
  findCallableAgent,
  listCallableAgents,
} from "./agents/callable-agents.ts";
export type { StreamedText } from "./analytics/export-consumption.ts";
export { listAuditEvents, sweepAuditLog } from "./audit/audit-events.ts";
export { type AuditedMutation, actorOf, recordCommand } from "./audit/audited-mutations.ts";
export { type RefusedCredentials, createRefusedCredentials } from "./audit/refused-credentials.ts";
export { createRefusedMutations, type RefusedMutations } from "./audit/refused-mutations.ts";
export { applicationTools } from "./calls/application-tools.ts";
export { askUserTool } from "./calls/ask-user.ts";
export { referenceTo, storeCallFiles } from "./calls/call-files.ts";
export {
  type ComingBack,
  completeToolAuthorization,
  type DescribedAuthorization,
  describeToolAuthorization,
} from "./calls/complete-authorization.ts";
export { awaitPermission } from "./calls/refused-calls.ts";
export { hasOpenCalls, settleCalls } from "./calls/settle-calls.ts";
export { type StoredToolResult, textOfOutput } from "./calls/tool-results.ts";
export { validateAction } from "./calls/validate-action.ts";
export type { Caller, WorkspaceCaller } from "./context.ts";
export { cancelMessages } from "./conversations/cancel-messages.ts";
export { conversationIdOf } from "./conversations/conversation-ids.ts";
export { conversationOptIn, findConversationStream } from "./conversations/streams.ts";
export { giveMadeTitle, untitledMessage } from "./conversations/titles.ts";
export {
  type Core,
  type CoreContext as Context,
  type CoreRequest as RequestContext,
  createCore,
} from "./create-core.ts";
export { createBatcher } from "./data-access/batcher.ts";
export { startDatabaseClock } from "./data-access/database-clock.ts";
export * from "./data-access/retry-conflicts.ts";
export type { StoredStep } from "@parley/db";
export type { WorkspaceRow, ActionRow } from "./data-access/rows.ts";
export { onSlowDatabase } from "./data-access/slow-database.ts";
export { findStoredFile, readBytes } from "./files/file-bytes.ts";
export { extractText, FILE_TEXT_BYTES } from "./files/file-text.ts";
export {
  createFileTextSweep,
  type FileTextKey,
  findFileText,
  saveFileText,
  type StoredFileText,
} from "./files/file-texts.ts";
export { openFile, type ReadableFile, sweepFiles } from "./files/files.ts";
export {
  createModelFiles,
  isFragmentOfFile,
  type ModelFile,
  type ModelFiles,
} from "./files/model-files.ts";
export type { ReadUpload } from "./files/uploads.ts";
export { checkBehaviour, findPlanFault } from "./functions/check-behaviour.ts";
export { checkInput, checkOutcome, findSchemaFaults } from "./functions/check-values.ts";
export { updateSandboxFunction } from "./functions/function-administration.ts";
export { type FunctionDirectory, createFunctionDirectory } from "./functions/function-directory.ts";
export { readFunctionSecrets } from "./functions/function-secrets.ts";
export { listFunctionVersions } from "./functions/list-versions.ts";
export { recordBehaviour } from "./functions/record-behaviour.ts";
export { insertSandboxFunctions } from "./functions/sandbox-functions.ts";
export {
  findIdempotencyKey,
  type IdempotencyKey,
  once,
  scopeOfKey,
  sweepIdempotencyKeys,
} from "./idempotency.ts";
export type { AnswerState, Cached, Keyed } from "./implementation.ts";
export { implementations } from "./implementations.ts";
export { claimInvocations } from "./invocations/claim-invocations.ts";
export * from "./invocations/finish-invocations.ts";
export {
  findInvocationStream,
  invocationOptIn,
  invokeSandboxFunction,
} from "./invocations/invoke.ts";
export { readLargeInvocation, loadInvocation } from "./invocations/load-invocation.ts";
export { createInvocationSweep } from "./invocations/sweep-invocations.ts";
export { launch, type Launched } from "./launches/launch.ts";
export { isTerminal, appendEvents } from "./log/append.ts";
export { type StoredEvent, type Hint, createLocalBus } from "./log/bus.ts";
export type { BriefAgent } from "./agents/agents.ts";
export { eraseTemporaryConversations } from "./conversations/erase-temporary.ts";
export { followLog } from "./log/follow.ts";
export { followTasks } from "./log/follow-tasks.ts";
export type { LogStream, StreamSpace } from "./log/log-stream.ts";
export { readEvents, readLogEnd } from "./log/read-log.ts";
export { createRedisBus } from "./log/redis-bus.ts";
export { openRedis, type RedisConnection } from "./log/redis-connection.ts";
export * from "./log/resume.ts";
export { compactMessageLogs, trimInvocationLogs } from "./log/retention.ts";
export { startSafetyPoll } from "./log/safety-poll.ts";
export { inTransaction } from "./log/transaction.ts";
export type { Claimed, ClaimedRun } from "./runs/claim-parts.ts";
export { heldOfWorkspaces } from "./runs/claim-fairly.ts";
export { dropOrphan } from "./runs/drop-orphan.ts";
export { lookForDueRuns } from "./runs/due-runs.ts";
export {
  renewLeases,
  handBackRuns,
  handBackUnknownRuns,
  LostLease,
  lostLease,
} from "./runs/leases.ts";
export { hasLiveWorker, NO_WORKER, removeWorker } from "./runs/live-workers.ts";
export type { LocalWorker, NewRuns, RunHolder } from "./runs/local-workers.ts";
export { voidClaims } from "./runs/void-claims.ts";
export * from "./runs/waiting-runs.ts";
export { wakeSuspendedRuns, wakeQueuedRuns } from "./runs/wake-runs.ts";
export * from "./skills/skill-pages.ts";
export { countStorage, readStorageSums, type StorageSums } from "./storage/count-storage.ts";
export { reservingStorage } from "./storage/reserve-storage.ts";
export type { StorageServices } from "./storage/storage-meter.ts";
export { sweepDrafts } from "./storage/sweep-drafts.ts";
export { createVersionSweep } from "./storage/sweep-versions.ts";
export { answerAsClientServer } from "./tools/answer-requests.ts";
export {
  type CallableTool,
  openCallableTool,
  type ToolCallInput,
} from "./tools/callable-servers.ts";
export {
  CALLBACK_PATH,
  DOCUMENT_CALLBACK_PATH,
  CLIENT_DOCUMENT_PATH,
  renderClientDocument,
} from "./tools/client-document.ts";
export {
  findClientServerStream,
  keepClientServer,
  registerClientServer,
  sweepClientServers,
} from "./tools/client-servers.ts";
export { refreshUsedServer } from "./tools/refresh-tools.ts";
export type { ToolResult, ToolServerFailure, ToolServers } from "./tools/tool-servers.ts";
export { describeRequest } from "./requests/describe-request.ts";
export * from "./requests/record-requests.ts";
export type { SourceText } from "./requests/template-thread.ts";
export { carryItems } from "./summaries/carried-items.ts";
export { claimCompactions, type Compaction } from "./summaries/claim-compactions.ts";
export { compactionOf, isCompactionDue } from "./summaries/compaction-settings.ts";
export { planRange } from "./summaries/plan-range.ts";
export * from "./summaries/read-transcript.ts";
export {
  findActiveSummary,
  finishCompaction,
  type FinishedCompaction,
  type SavedSummary,
  saveSummary,
} from "./summaries/save-summary.ts";
export { startCompaction } from "./summaries/start-compaction.ts";
export { describeMounts, memoryTool } from "./memories/memory-tool.ts";
export { countWaitingProposals, sweepProposals } from "./memories/sweep-proposals.ts";
export { claimTurns } from "./turns/claim-turns.ts";
export { type FinishedTurn, finishTurns } from "./turns/finish-turns.ts";
export { type HistoryRow, type Turn, loadTurn } from "./turns/load-turns.ts";
export { findValueFault } from "./functions/json-schema/validate.ts";
export { readCallResult } from "./turns/read-call-result.ts";
export type { PromptNote } from "@parley/db";
export { saveRefusedAnswer } from "./turns/save-refused-answer.ts";
export { saveStep } from "./turns/save-step.ts";
export { isHandedOver, type TeamLimits, teamTools } from "./turns/turn-team.ts";
export { prepareTasks } from "./teams/create-tasks.ts";
export { endTasks } from "./teams/end-tasks.ts";
export { takeOverRuns } from "./take-over-runs.ts";
export { listSkillFiles, loadSkillInstructions, readSkillFile } from "./turns/turn-skills.ts";
export { type Job, threadModule } from "./untrusted/job.ts";
export { type Outcome, type Threads, createThreads } from "./untrusted/threads.ts";
export { insertApiKey, revokeApiKey, updateApiKey } from "./workspaces/api-keys.ts";
export { createTokenIssuer, type IssuerOfUsers } from "./workspaces/issued-users.ts";
export { isSafeUrl } from "./workspaces/issuer-tokens.ts";
export {
  contextTokensOf,
  filesTakenBy,
  isKnownModel,
  supportedEffort,
} from "./workspaces/models.ts";
export { isUsableOperatorKey, revokeAllOperatorKeys } from "./workspaces/operator-keys.ts";
export { picturePaths } from "./workspaces/pictures.ts";
export { readOwnBudgets } from "./usage/own-budgets.ts";
export type { PriceServices } from "./usage/price-lists.ts";
export {
  amountOf,
  greatestAmount,
  MIN_OUTPUT_TOKENS,
  outputTokensFor,
  type Price,
  type PriceList,
  shippedPriceList,
  toDecimal,
} from "./usage/prices.ts";
export { CallLimitReached } from "./usage/call-limits.ts";
export { describeSpentProcessor } from "./usage/processor-limits.ts";
export { type CallToReserve, type Reserved, settleLostUsage } from "./usage/reservations.ts";
export { type SummedUsage, sumUsage, sweepUsage } from "./usage/sum-usage.ts";
export { scopeNames } from "./usage/spent-limits.ts";
export type { Billing, Payer } from "./usage/turn-billing.ts";
export { type BilledCall, type UsagePlace, writeUsage } from "./usage/usage-ledger.ts";
export { findUsableModels, mayUseModel } from "./workspaces/usable-models.ts";
export { readProviderSecret, UnreadableSecret } from "./workspaces/provider-credentials.ts";
export { createSecretBox, ENCRYPTION_KEY_BYTES, encryptionKeyId } from "./workspaces/secret-box.ts";
export { createSpace, updateSpace } from "./workspaces/spaces.ts";
export { sweepUserTokens } from "./workspaces/user-tokens.ts";
export {
  beyondLimits,
  fileKindOf,
  MAX_REQUEST_FILE_BYTES,
  takenFiles,
} from "./workspaces/taken-files.ts";
export { insertWorkspace, updateWorkspace } from "./workspaces/workspaces.ts";
export {
  claimTriggerEvents,
  loadTriggerEvent,
  type LoadedTriggerEvent,
  type TriggerMappingRow,
} from "./triggers/claim-trigger-events.ts";
export { bodyAsJson } from "./triggers/event-content.ts";
export {
  findReceiver,
  receiveEvent,
  type Receiver,
  requireUrlSecret,
} from "./triggers/receive-event.ts";
export { settleTriggerEvent, type SettledTriggerEvent } from "./triggers/settle-trigger-event.ts";
export { sweepTriggerEvents } from "./triggers/sweep-trigger-events.ts";
export { sumMeasures } from "./measures/sum-measures.ts";
export { sweepMeasures } from "./measures/sweep-measures.ts";
export { beginFiring } from "./schedules/begin-firing.ts";
export { claimFirings, type Firing } from "./schedules/claim-firings.ts";
export { settleFiring, type SettledFiring } from "./schedules/settle-firing.ts";
export { sweepFirings } from "./schedules/sweep-firings.ts";
export { type IndexedMessages, indexMessages } from "./search/index-messages.ts";
export {
  claimTraceExports,
  type ExportSubject,
  readDestination,
} from "./trace-destinations/claim-exports.ts";
export { claimDivisions, type DivisionSubject } from "./retrieval/claim-divisions.ts";
export { claimEmbeddings, type EmbeddingSubject } from "./retrieval/claim-embeddings.ts";
export { embedSome, endEmbedding } from "./retrieval/embed-parts.ts";
export { findSearchMode } from "./retrieval/knowledge-status.ts";
export { startEmbeddings, sweepEmbeddingSets } from "./retrieval/start-embeddings.ts";
export { type DivisionEnd, divideSome, endDivision } from "./retrieval/divide-documents.ts";
export * from "./retrieval/look-up.ts";
export { indexVectors } from "./retrieval/vector-indexes.ts";
export { countWaitingDocuments, startDivisions } from "./retrieval/start-divisions.ts";
export { claimWebRefreshes } from "./web-sources/claim-refreshes.ts";
export { failRefresh, settleRefresh } from "./web-sources/end-refresh.ts";
export { pageUrl } from "./web-sources/page-urls.ts";
export { askWebRobots, readWebPage, readWebSitemap } from "./web-sources/read-web.ts";
export * from "./web-sources/settle-page.ts";
export { startRefreshes } from "./web-sources/start-refreshes.ts";
export type { WebPageRow, WebSourceRow } from "./web-sources/web-source-rows.ts";
export { openDestinationHeaders } from "./trace-destinations/destination-headers.ts";
export type { TraceDestinationRow } from "./trace-destinations/destination-rows.ts";
export {
  countEndedRuns,
  endsCommittedUntil,
  type EndedRun,
  type ExportPlace,
  MAX_BATCH_RUNS,
  readEndedRuns,
} from "./trace-destinations/ended-runs.ts";
export { traceparentOf } from "./runs/span-ids.ts";
export { readExportedTrace } from "./trace-destinations/read-exported.ts";
export * from "./trace-destinations/settle-export.ts";
export { startTraceExports } from "./trace-destinations/start-exports.ts";
export { composeDelivery, refusalOf, UNREADABLE_SECRET } from "./webhooks/compose-delivery.ts";
export { claimDeliveries, type Delivery } from "./webhooks/claim-deliveries.ts";
export { settleDelivery, type SettledDelivery } from "./webhooks/settle-delivery.ts";
export { removeAbandonedWebhooks } from "./webhooks/remove-abandoned.ts";
export { sweepDeliveries } from "./webhooks/sweep-deliveries.ts";
