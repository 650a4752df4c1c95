export { agentMessages, explainEnd, waitingOf } from "./agent-messages.ts";
export {
  type ApiKey,
  type NumberedSession,
  pageSession,
  type ParleyOptions,
} from "./connection.ts";
export { AnswerFailed, ParleyError, type ParleyErrorType } from "./errors.ts";
export type { FileContent, UploadedFile, UploadFile } from "./files.ts";
export type { ConnectionState, FollowOptions, Follower } from "./follow.ts";
export type { CallOptions, Input, InvokeOptions, Method, Output, PostOptions } from "./methods.ts";
export type { FollowConversation, FollowInvocation } from "./followed.ts";
export { createParley, type Parley } from "./parley.ts";

export { createRpcClient, type RpcClient, type RpcOptions } from "./rpc.ts";
export type { RpcRouter } from "./rpc-router.ts";
export type { RouteName } from "./schema-tables.ts";
export type { ImportSkillFolders } from "./skills.ts";
export {
  outputOf,
  type OutputSchema,
  responseFormat,
  type ResponseFormat,
} from "./structured-output.ts";

export type {
  Action,
  AgentConfiguration,
  AgentMessage,
  ContentFragment,
  Conversation,
  ConversationEvent,
  ConversationMessage,
  Invocation,
  InvocationEvent,
  InvocationOutcome,
  Issue,
  MessageEvent,
  SandboxFunction,
  Session as SessionOfCaller,
  Skill,
  UserMessage,
  Warning,
  WebhookPayload,
} from "@parley/schema";
export type { WaitingCall } from "@parley/schema/waiting-calls";
