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
  skills: ["parsing", "params.ts"],
  workspaces: ["parsing", "params.ts", "roles.ts", "simulation"],
  conversations: ["examples.ts", "parsing", "workspaces"],
  "events.ts": ["conversations", "invocations"],
  endpoints: [
    "endpoint.ts",
    "examples.ts",
    "params.ts",
    "parsing",
    "invocations",
    "functions",
    "skills",
    "workspaces",
    "conversations",
  ],
  "endpoints.ts": ["endpoint.ts", "endpoints"],
};

/** What every feature is built on. */
const ground = ["data-access", "untrusted", "log", "context.ts"];

const core: Rooms = {
  "data-access": [],
  untrusted: [],
  log: ["data-access"],
  "context.ts": ["data-access", "untrusted", "log"],
  "idempotency.ts": ground,
  audit: ground,
  access: ground,
  runs: ground,
  workspaces: [...ground, "access"],
  files: [...ground, "idempotency.ts", "access"],
  "functions/json-schema": ["untrusted"],
  functions: [...ground, "workspaces", "functions/json-schema"],
  "skills/folders": ["untrusted"],
  skills: [...ground, "access", "workspaces", "files", "skills/folders"],
  agents: [...ground, "access", "workspaces"],
  invocations: [...ground, "idempotency.ts", "access", "runs", "functions"],
  messages: [...ground, "workspaces", "agents"],
  turns: [
    ...ground,
    "idempotency.ts",
    "access",
    "runs",
    "workspaces",
    "functions",
    "agents",
    "invocations",
    "messages",
  ],
  conversations: [
    ...ground,
    "idempotency.ts",
    "access",
    "runs",
    "workspaces",
    "files",
    "agents",
    "messages",
    "turns",
  ],
  "create-core.ts": [
    ...ground,
    "idempotency.ts",
    "audit",
    "runs",
    "workspaces",
    "files",
    "functions",
    "skills",
    "agents",
    "invocations",
    "conversations",
  ],
  "delete-space.ts": [...ground, "access", "workspaces", "conversations"],
  "delete-workspace.ts": [...ground, "workspaces", "conversations"],
};

const api: Rooms = {
  "config.ts": [],
  http: ["config.ts"],
  metrics: ["http"],
  limits: ["config.ts", "metrics"],
  "response-cache": ["http"],
  "services.ts": ["config.ts", "metrics", "limits", "response-cache"],
  requests: ["http", "limits", "services.ts"],
  transports: ["http", "limits", "response-cache", "requests", "services.ts"],
  mcp: ["config.ts", "http", "requests", "services.ts"],
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
    "reference",
  ],
};

const worker: Rooms = {
  runs: [],
  models: ["runs"],
  "config.ts": ["models"],
  executor: [],
  simulation: ["executor"],
  invocations: ["runs", "executor"],
  turns: ["runs", "models"],
  "retention.ts": ["config.ts", "runs"],
  "worker.ts": [
    "config.ts",
    "invocations",
    "models",
    "retention.ts",
    "runs",
    "simulation",
    "turns",
  ],
};

/** The packages that have rooms, by their folders. */
export const packagesWithRooms: Readonly<Record<string, Rooms>> = {
  "packages/schema": schema,
  "packages/core": core,
  "apps/api": api,
  "apps/worker": worker,
};
