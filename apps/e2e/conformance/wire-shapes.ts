import type { Shape } from "../shape.ts";
import { action } from "./action-shapes.ts";

// The interface's answers, written down again by hand, so that a member which the
// product's own schemas get wrong is found.

const sId = "string";

const workspace: Shape = {
  regionalModelsOnly: "bool",
  id: "int",
  sId,
  name: "string",
  role: "admin|manager|user|none",
  segmentation: "string?",
  flags: ["string"],
  ssoEnforced: "bool",
  whiteListedProviders: ["string"],
  defaultEmbeddingProvider: "string?",
};

const user: Shape = {
  sId,
  id: "int",
  createdAt: "int",
  username: "string",
  email: "string",
  firstName: "string",
  lastName: "string",
  fullName: "string",
  provider: "auth0|github|google|okta|samlp|waad|",
  image: "url",
};

export const agentConfiguration: Shape = {
  id: "int",
  sId,
  version: "int",
  versionCreatedAt: "iso?",
  versionAuthorId: "null",
  name: "string",
  description: "string",
  instructions: "string?",
  pictureUrl: "url",
  status: "active|archived|draft",
  scope: "global|hidden|visible",
  userFavorite: "bool",
  model: { providerId: "string", modelId: "string", temperature: "number" },
  actions: "empty",
  maxStepsPerRun: "int",
  templateId: "string?",
  visualizationEnabled: "false",
  requestedGroupIds: "empty",
};

const context = {
  username: "string",
  timezone: "string",
  "fullName?": "string",
  "email?": "string",
  "profilePictureUrl?": "string",
  "selectedSpaceIds?": ["string"],
  "clientSideMCPServerIds?": ["string"],
  "excludedRetrievalTags?": ["string"],
  "agenticMessageData?": { type: "run_agent|agent_handover", originMessageId: "string" },
} satisfies Shape;

const message = {
  id: "int",
  sId,
  visibility: "visible|deleted",
  version: "int",
  created: "ms",
} satisfies Shape;

export const userMessage = {
  ...message,
  type: "user_message",
  user,
  mentions: [{ configurationId: "string" }],
  content: "string",
  context: { ...context, origin: "api" },
} satisfies Shape;

export const agentMessage = {
  ...message,
  type: "agent_message",
  agentMessageId: "int",
  parentMessageId: "string",
  parentAgentMessageId: "string?",
  configuration: agentConfiguration,
  status: "created|succeeded|failed|cancelled",
  actions: [action],
  content: "string",
  chainOfThought: "string?",
  rawContents: [{ step: "int", content: "string" }],
  finishReason: "stop|length|content_filter|empty?",
  "notes?": [{ code: "string", fileId: "string?", title: "string", message: "string" }],
  "structuredOutput?": "any",
  error: "string?",
} satisfies Shape;

const anyFragment = {
  ...message,
  type: "content_fragment",
  sourceUrl: "string?",
  title: "string",
  contentType: "string",
  context,
  contentFragmentId: "string",
  contentFragmentVersion: "latest|superseded",
  expiredReason: "null",
  "path?": "string",
  "processedPath?": "string",
  "skipFileProcessing?": "bool",
} satisfies Shape;

const fileFragment: Shape = {
  ...anyFragment,
  contentFragmentType: "file",
  fileId: "string?",
  snippet: "string?",
  generatedTables: "empty",
  textUrl: "url",
  textBytes: "int?",
  sourceProvider: "null",
  sourceIcon: "null",
  contentNodeData: "null",
};

const node = {
  nodeId: "string",
  nodeDataSourceViewId: "string",
  nodeType: "document|table|folder",
} satisfies Shape;

const nodeFragment: Shape = {
  ...anyFragment,
  contentFragmentType: "content_node",
  fileId: "null",
  textUrl: "null",
  textBytes: "null",
  ...node,
  contentNodeData: { ...node, provider: "string?", spaceName: "string" },
};

export const contentFragment: Shape = {
  oneOf: ({ contentFragmentType }) =>
    contentFragmentType === "file" ? fileFragment : nodeFragment,
};

const byType: Record<string, Shape> = {
  user_message: userMessage,
  agent_message: agentMessage,
  content_fragment: contentFragment,
};

/** A conversation without its messages. */
export const conversationSummary = {
  id: "int",
  created: "ms",
  updated: "ms",
  sId,
  owner: workspace,
  title: "string",
  visibility: "unlisted",
  unread: "bool",
  actionRequired: "bool",
  url: "url",
  requestedGroupIds: "empty",
} satisfies Shape;

/** The answer to a create. */
export const createdConversation: Shape = {
  conversation: {
    ...conversationSummary,
    content: [[{ oneOf: ({ type }) => byType[String(type)] ?? "unknown type" }]],
  },
  message: userMessage,
  "warnings?": [{ path: "string", message: "string" }],
};

const toolServer: Shape = {
  sId,
  name: "string",
  version: "string",
  description: "string",
  icon: "string",
  authorization: { provider: "string", supported_use_cases: ["string"], scope: "string" },
  tools: [{ name: "string", description: "string", inputSchema: "object" }],
  availability: "manual|auto|auto_hidden_builder",
  allowMultipleInstances: "bool",
  documentationUrl: "url",
};

const tool: Shape = {
  isRestrictedToSkills: "bool",
  id: "int",
  sId,
  name: "string",
  description: "string",
  createdAt: "int",
  updatedAt: "int",
  spaceId: "string",
  serverType: "remote|internal",
  server: toolServer,
  oAuthUseCase: "personal_actions|platform_actions",
  editedByUser: { editedAt: "int", fullName: "string", imageUrl: "url" },
};

/** The answer to a listing of skills. */
export const skillList: Shape = {
  skills: [
    {
      sId,
      createdAt: "int?",
      updatedAt: "int?",
      editedBy: "int?",
      status: "active|archived|suggested",
      name: "string",
      agentFacingDescription: "string",
      userFacingDescription: "string",
      icon: "string?",
      source: "web_app|github|api|local_file|agent?",
      sourceMetadata: "object?",
      reinforcement: "auto|on|off",
      lastReinforcementAnalysisAt: "string?",
      requestedSpaceIds: ["string"],
      manuallyRequestedSpaceIds: ["string"],
      fileAttachments: [{ fileId: "string", fileName: "string" }],
      canRead: "bool",
      canWrite: "bool",
      isDefault: "bool",
      availability: "editors|workspace_users|users_and_agents",
      instructions: "string?",
      instructionsHtml: "string?",
      tools: [tool],
    },
  ],
};

/** An invocation of a sandbox function. */
export const invocation: Shape = {
  sId,
  functionId: "string",
  status: "created|succeeded|errored",
  createdAt: "iso",
};

const invocationError: Shape = { code: "string", message: "string", "status?": "int" };

/** The answer to an invocation. */
export const invokedSandboxFunction: Shape = {
  invocation,
  "outcome?": {
    oneOf: ({ status }) =>
      status === "succeeded"
        ? { status: "succeeded", result: "any" }
        : { status: "errored", error: invocationError },
  },
};

const ofInvocation = { created: "ms", invocationId: "string", functionId: "string" };
const prefix = "sandbox_function_invocation_";

/** Events of an invocation by their type, without its beginning. */
export const invocationEvents: Record<string, Shape> = {
  created: { type: `${prefix}created`, created: "ms", invocation },
  log: { type: `${prefix}log`, ...ofInvocation, stream: "stdout|stderr", text: "string" },
  progress: {
    type: `${prefix}progress`,
    ...ofInvocation,
    done: "number",
    total: "number",
    label: "string",
  },
  result: { type: `${prefix}result`, ...ofInvocation, result: "any" },
  error: { type: `${prefix}error`, ...ofInvocation, error: invocationError },
};
