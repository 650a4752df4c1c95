import type {
  AgentConfiguration,
  AgentMessage,
  File,
  Invocation,
  SandboxFunction,
  Skill,
  Space,
  User,
  UserMessage,
  Workspace,
} from "@parley/schema";

// What the examples of the document are made of: one workspace, one short conversation.

export const created = 1_780_000_000_000;

/** Values of the parameters of paths. */
export const pathValues: Readonly<Record<string, string>> = {
  wId: "Ab3dE5fG7h",
  cId: "Kd82jXq0Pz",
  mId: "Vn4tR9sWy1",
  fileId: "fil_Zk7Qm2Lx9C",
  functionId: "add",
  invocationId: "sfi_Hr5Tb8Nw3J",
};

export const workspace: Workspace = {
  id: 1,
  sId: "Ab3dE5fG7h",
  name: "Demo",
  role: "user",
  segmentation: null,
  flags: [],
  ssoEnforced: false,
  whiteListedProviders: [],
  defaultEmbeddingProvider: null,
  regionalModelsOnly: false,
};

export const user: User = {
  sId: "Us3rAb12Cd",
  id: 1,
  createdAt: created,
  username: "ada",
  email: "ada@example.com",
  firstName: "Ada",
  lastName: "Lovelace",
  fullName: "Ada Lovelace",
  provider: "",
  image: "",
};

export const agent: AgentConfiguration = {
  id: 1,
  sId: "helper",
  version: 0,
  versionCreatedAt: "2026-05-28T20:26:40.000Z",
  versionAuthorId: null,
  name: "helper",
  description: "Answers at once",
  instructions: null,
  pictureUrl: "",
  status: "active",
  scope: "visible",
  userFavorite: false,
  model: { providerId: "simulated", modelId: "simulated-1", temperature: 0.7 },
  actions: [],
  maxStepsPerRun: 8,
  templateId: null,
};

const context = { username: "ada", timezone: "Europe/London", origin: "api" } as const;

export const userMessage: UserMessage = {
  type: "user_message",
  id: 1,
  sId: "Mf6yC1vB8k",
  visibility: "visible",
  version: 0,
  created,
  user,
  mentions: [{ configurationId: "helper" }],
  content: "Hello!",
  context,
};

export const waitingAnswer: AgentMessage = {
  type: "agent_message",
  id: 2,
  sId: "Vn4tR9sWy1",
  visibility: "visible",
  version: 0,
  created,
  agentMessageId: 2,
  parentMessageId: "Mf6yC1vB8k",
  parentAgentMessageId: null,
  configuration: agent,
  status: "created",
  actions: [],
  content: "",
  chainOfThought: null,
  rawContents: [],
  error: null,
};

export const answer: AgentMessage = {
  ...waitingAnswer,
  status: "succeeded",
  content: "You said: Hello!",
  rawContents: [{ step: 0, content: "You said: Hello!" }],
};

export const summary = {
  id: 1,
  sId: "Kd82jXq0Pz",
  created,
  updated: created,
  owner: workspace,
  title: "Hello!",
  visibility: "unlisted",
  unread: true,
  actionRequired: false,
  url: "https://parley.test/w/Ab3dE5fG7h/conversations/Kd82jXq0Pz",
  requestedGroupIds: [],
} as const;

export const fragment = {
  type: "content_fragment",
  id: 3,
  sId: "Cf1mN6pQ0r",
  created,
  visibility: "visible",
  version: 0,
  sourceUrl: null,
  title: "Opening hours",
  contentType: "text/plain",
  context: { username: "API User", timezone: "UTC", origin: "api" },
  contentFragmentId: "Cf1mN6pQ0r",
  contentFragmentVersion: "latest",
  expiredReason: null,
  contentFragmentType: "file",
  fileId: null,
  snippet: "We open at nine.",
  generatedTables: [],
  textUrl: "https://parley.test/api/v1/w/Ab3dE5fG7h/files/fil_Zk7Qm2Lx9C",
  textBytes: 16,
  sourceProvider: null,
  sourceIcon: null,
} as const;

export const file: File = {
  id: "fil_Zk7Qm2Lx9C",
  sId: "fil_Zk7Qm2Lx9C",
  contentType: "text/plain",
  fileName: "hours.txt",
  fileSize: 16,
  status: "created",
  uploadUrl:
    "https://parley.test/api/v1/w/Ab3dE5fG7h/files/fil_Zk7Qm2Lx9C?expires=1780003600000&signature=c2lnbmF0dXJl",
  useCase: "conversation",
};

export const space: Space = {
  createdAt: created,
  groupIds: [],
  isRestricted: false,
  kind: "regular",
  name: "Support",
  sId: "vlt_Gw4Xs7Dq2M",
  updatedAt: created,
};

export const skill: Skill = {
  sId: "skl_Bp9Fj3Rt6A",
  createdAt: created,
  updatedAt: created,
  editedBy: null,
  status: "active",
  name: "greeting",
  agentFacingDescription: "How to greet a customer",
  userFacingDescription: "Greets customers",
  icon: null,
  source: "api",
  sourceMetadata: null,
  reinforcement: "auto",
  lastReinforcementAnalysisAt: null,
  requestedSpaceIds: [],
  manuallyRequestedSpaceIds: [],
  fileAttachments: [],
  canRead: true,
  canWrite: false,
  isDefault: false,
  availability: "workspace_users",
  instructions: "Say hello, and ask what can be done.",
  instructionsHtml: "<p>Say hello, and ask what can be done.</p>",
  tools: [],
};

export const sandboxFunction: SandboxFunction = {
  sId: "sfn_Lq2Ke5Vy8T",
  slug: "add",
  description: "Adds two numbers",
  version: 1,
  inputSchema: null,
  outputSchema: null,
  timeoutMs: 60_000,
  maxOutputBytes: 1_048_576,
  maxLogLines: 10_000,
  maxConcurrent: 10,
  retryable: false,
  stake: "low",
  createdAt: created,
  updatedAt: created,
};

export const invocation: Invocation = {
  sId: "sfi_Hr5Tb8Nw3J",
  functionId: "sfn_Lq2Ke5Vy8T",
  status: "created",
  createdAt: "2026-05-28T20:26:40.000Z",
};
