export { type Act, actorOf, recordCommand, recordRefusal } from "./acts.ts";
export * from "./agent-administration.ts";
export * from "./agent-directory.ts";
export { listAuditEvents, sweepAuditLog } from "./audit-events.ts";
export { createApiKey, insertApiKey, listApiKeys } from "./api-keys.ts";
export { revokeApiKey, updateApiKey } from "./api-keys.ts";
export {
  cancelInvocation,
  cancelInvocations,
  type CancelledInvocation,
  replayCancelInvocation,
} from "./cancel-invocation.ts";
export { cancelMessages } from "./cancel-messages.ts";
export { checkInput, checkOutput } from "./checked-values.ts";
export { checkBehaviour } from "./check-behaviour.ts";
export { createBatcher } from "./batcher.ts";
export * from "./context.ts";
export * from "./conversation-streams.ts";
export { createConversation } from "./conversations.ts";
export * from "./credentials.ts";
export {
  createDataSourceView,
  listDataSourceViews,
  putDataSourceNode,
  removeDataSourceNode,
} from "./data-sources.ts";
export { deleteWorkspace } from "./delete-workspace.ts";
export { contextTokensOf } from "./models.ts";
export * from "./events/append.ts";
export * from "./events/bus.ts";
export * from "./events/follow.ts";
export * from "./events/hub.ts";
export * from "./events/read.ts";
export * from "./events/redis-bus.ts";
export { openRedis, type RedisConnection } from "./events/redis-connection.ts";
export * from "./events/resume.ts";
export * from "./events/retention.ts";
export { startSafetyPoll } from "./events/safety-poll.ts";
export * from "./events/stream.ts";
export type { Follower, Following } from "./events/tail.ts";
export { announceFile, openFile, type ReadableFile, replayAnnouncement } from "./files.ts";
export { sweepFiles } from "./files.ts";
export {
  archiveSandboxFunction,
  createSandboxFunction,
  readSandboxFunction,
  restoreSandboxFunction,
  updateSandboxFunction,
} from "./function-administration.ts";
export { findKeptKey, type IdempotencyKey, once, scopeOfKey } from "./idempotency.ts";
export { sweepIdempotencyKeys } from "./idempotency.ts";
export { insertInvocation, type InvocationRequest } from "./insert-invocations.ts";
export { findInvocationStream, invokeSandboxFunction, replayInvocation } from "./invocations.ts";
export { importSkills } from "./import-skills.ts";
export { listAdministeredFunctions, listSandboxFunctions } from "./list-functions.ts";
export { generateApiKey, hashApiKey } from "./key-secrets.ts";
export { giveMadeTitle, mayUseModel, untitledMessage } from "./made-titles.ts";
export * from "./members.ts";
export {
  listProviderCredentials,
  putProviderCredential,
  readProviderSecret,
  removeProviderCredential,
  UnreadableSecret,
} from "./provider-credentials.ts";
export { createSecretBox, ENCRYPTION_KEY_BYTES } from "./secret-box.ts";
export { addContentFragment, postMessage, retryMessage } from "./posted-messages.ts";
export * from "./replays.ts";
export * from "./refused-credentials.ts";
export { recordBehaviour } from "./record-behaviour.ts";
export { createRowIds } from "./row-ids.ts";
export * from "./retry-conflicts.ts";
export * from "./rows.ts";
export * from "./runs/claim-runs.ts";
export * from "./runs/finish-invocations.ts";
export * from "./runs/finish-turns.ts";
export * from "./runs/leases.ts";
export * from "./runs/load-invocation.ts";
export * from "./runs/load-turns.ts";
export * from "./runs/lost-lease.ts";
export * from "./runs/save-step.ts";
export { hasOpenCalls, settleCalls } from "./runs/settle-calls.ts";
export * from "./runs/waiting-runs.ts";
export { wakeQueuedRuns } from "./runs/wake-runs.ts";
export * from "./function-directory.ts";
export { insertSandboxFunctions, type SandboxFunction } from "./sandbox-functions.ts";
export {
  type AnswerState,
  outliveRecentStates,
  skillStateReader,
  type StateReader,
} from "./listing-state.ts";
export { loadSkillInstructions } from "./turn-skills.ts";
export {
  approveSkill,
  archiveSkill,
  createSkill,
  getSkill,
  publishSkill,
  restoreSkill,
  updateSkill,
} from "./skill-administration.ts";
export { listSkills } from "./skills.ts";
export { createSpace, listSpaces, updateSpace } from "./spaces.ts";
export {
  deleteConversation,
  getConversation,
  listConversations,
  updateConversation,
} from "./stored-conversations.ts";
export { createTool, listTools, removeTool, updateTool } from "./tool-administration.ts";
export { getInvocation, listInvocations } from "./stored-invocations.ts";
export { type ReadUpload, uploadFile } from "./uploads.ts";
export { createWorkspace, getWorkspace, insertWorkspace, updateWorkspace } from "./workspaces.ts";
export { isDatabaseBusy, isDatabaseUnavailable } from "@parley/db";
export { replayValidateAction, validateAction } from "./validate-action.ts";
