import { cli } from "./cli-rooms.ts";
/**
 * The rooms of a package, each with the rooms that it may import. A room is a folder of `src` or a
 * file at its root, and may import only rooms that stand before it.
 */
export type Rooms = Readonly<Record<string, readonly string[]>>;

const schema: Rooms = {
  errors: [],
  "examples.ts": [],
  "ids.ts": [],
  "roles.ts": [],
  "endpoint.ts": ["errors", "roles.ts"],
  "endpoint-errors.ts": ["errors", "endpoint.ts"],
  parsing: ["errors", "endpoint.ts"],
  "params.ts": ["parsing"],
  invocations: ["examples.ts", "parsing"],
  simulation: ["parsing", "invocations"],
  functions: ["parsing", "params.ts", "invocations", "simulation"],
  tools: ["parsing", "params.ts"],
  skills: ["parsing", "params.ts", "tools"],
  knowledge: ["parsing", "params.ts"],
  workspaces: ["parsing", "params.ts", "roles.ts", "simulation"],
  conversations: ["examples.ts", "parsing", "params.ts", "tools", "workspaces"],
  activity: ["parsing", "params.ts"],
  "events.ts": ["conversations", "invocations", "tools"],
  endpoints: [
    "activity",
    "endpoint.ts",
    "examples.ts",
    "params.ts",
    "parsing",
    "invocations",
    "functions",
    "tools",
    "skills",
    "knowledge",
    "workspaces",
    "conversations",
  ],
  "endpoints.ts": ["endpoint.ts", "endpoints"],
};

/** What every feature is built on. */
const ground = ["data-access", "untrusted", "log", "context.ts"];

/** What requests of workspaces are built on; and what admins manage, with its meter. */
const keyed = [...ground, "idempotency.ts", "access"];
const managed = ["storage", "workspaces", "files"];

const core: Rooms = {
  "data-access": [],
  untrusted: [],
  log: ["data-access"],
  "context.ts": ["data-access", "untrusted", "log"],
  "idempotency.ts": ground,
  audit: ground,
  access: ground,
  runs: ground,
  storage: ground,
  workspaces: [...ground, "access", "storage"],
  files: [...keyed, "storage", "workspaces"],
  "functions/json-schema": ["untrusted"],
  knowledge: [...keyed, "workspaces"],
  functions: [...ground, "workspaces", "functions/json-schema"],
  tools: [...keyed, "runs", "workspaces", "functions", "functions/json-schema"],
  "skills/folders": ["untrusted"],
  "skill-folders.ts": ["skills/folders"],
  skills: [...ground, "access", "storage", "workspaces", "files", "skills/folders", "tools"],
  agents: [...keyed, "workspaces", "files", "skills/folders", "tools"],
  invocations: [...keyed, "runs", "storage", "functions", "tools"],
  messages: [...ground, "workspaces", "agents"],
  analytics: [...ground, "files", "messages"],
  activity: [...ground, "access", "runs", "workspaces"],
  turns: [
    ...ground,
    "idempotency.ts",
    "audit",
    "access",
    "runs",
    ...managed,
    "functions",
    "tools",
    "agents",
    "invocations",
    "messages",
  ],
  conversations: [
    ...keyed,
    "runs",
    "workspaces",
    "files",
    "tools",
    "knowledge",
    "agents",
    "messages",
    "turns",
  ],
  "create-core.ts": [
    ...ground,
    "activity",
    "idempotency.ts",
    "audit",
    "runs",
    ...managed,
    "knowledge",
    "functions",
    "tools",
    "skills",
    "agents",
    "invocations",
    "conversations",
  ],
  "delete-space.ts": [...ground, "access", "workspaces", "knowledge", "conversations"],
  "delete-workspace.ts": [
    ...ground,
    "activity",
    "workspaces",
    "functions",
    "knowledge",
    "tools",
    "invocations",
    "conversations",
  ],
};

const api: Rooms = {
  "config.ts": [],
  http: ["config.ts"],
  metrics: ["http"],
  limits: ["config.ts", "http", "metrics"],
  "response-cache": ["http"],
  "services.ts": ["config.ts", "metrics", "limits", "response-cache"],
  requests: ["http", "limits", "services.ts"],
  transports: ["http", "limits", "response-cache", "requests", "services.ts"],
  mcp: ["config.ts", "http", "requests", "services.ts"],
  authorization: ["http", "requests", "services.ts"],
  console: [],
  reference: ["http", "response-cache", "services.ts"],
  "server.ts": [
    "config.ts",
    "http",
    "metrics",
    "limits",
    "response-cache",
    "services.ts",
    "requests",
    "transports",
    "mcp",
    "authorization",
    "console",
    "reference",
  ],
};

const worker: Rooms = {
  runs: [],
  models: ["runs"],
  "config.ts": ["models"],
  executor: [],
  simulation: ["executor"],
  javascript: ["config.ts", "executor"],
  e2b: ["config.ts", "executor"],
  "e2b/testing": ["e2b", "executor"],
  tools: ["executor"],
  invocations: ["runs", "executor"],
  turns: ["runs", "models"],
  "retention.ts": ["config.ts", "runs"],
  "worker.ts": [
    "config.ts",
    "e2b",
    "executor",
    "invocations",
    "javascript",
    "models",
    "retention.ts",
    "runs",
    "simulation",
    "tools",
    "turns",
  ],
};

/** What every feature of the console is built on. */
const page = ["api", "ui", "routing"];

/** Features, of which one may use what stands before it, and the app that puts them together. */
const features: Rooms = {
  editor: ["ui"],
  "functions/types": ["editor"],
  "functions/edit": ["api", "ui", "editor", "functions/types"],
  "functions/versions": ["api", "ui", "functions/edit"],
  functions: [...page, "functions/edit", "functions/versions"],
  tools: [...page, "functions"],
  "conversations/search": ["api", "ui"],
  conversations: [...page, "functions", "conversations/search"],
  approvals: [...page, "conversations"],
  agents: [...page, "editor", "conversations"],
  skills: page,
  knowledge: page,
  runs: page,
  overview: page,
  administration: page,
  operators: [...page, "administration"],
};

const console: Rooms = {
  api: [],
  ui: ["api"],
  routing: ["api"],
  ...features,
  app: [...page, ...Object.keys(features)],
  "main.tsx": ["api", "ui", "app"],
};

/** The packages that have rooms, by their folders. */
export const packagesWithRooms: Readonly<Record<string, Rooms>> = {
  "packages/schema": schema,
  "packages/core": core,
  "apps/api": api,
  "apps/worker": worker,
  "apps/cli": cli,
  "apps/console": console,
};
