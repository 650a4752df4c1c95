type Rooms = Readonly<Record<string, readonly string[]>>;

/** Other protocols, of which none knows another. */
const doors: Rooms = {
  "doors/durable-streams": ["http", "limits", "requests", "transports", "services.ts", "doors"],
  "doors/ag-ui": ["requests", "transports", "services.ts", "doors"],
  "doors/ai-sdk": ["http", "requests", "transports", "services.ts", "doors"],
  "doors/open-responses": ["requests", "services.ts", "doors"],
  "doors/chat-completions": ["requests", "services.ts", "doors"],
};

/** The rooms of the API, as `rooms.ts` has those of the other packages. */
export const api: Rooms = {
  "config.ts": [],
  http: ["config.ts"],
  metrics: ["http"],
  limits: ["config.ts", "http", "metrics"],
  "response-cache": ["http"],
  "services.ts": ["config.ts", "metrics", "limits", "response-cache"],
  requests: ["http", "limits", "services.ts"],
  transports: ["http", "limits", "response-cache", "requests", "services.ts"],
  mcp: ["config.ts", "http", "requests", "services.ts"],
  doors: ["http", "requests", "transports", "services.ts"],
  ...doors,
  triggers: ["http", "requests", "services.ts"],
  authorization: ["http", "requests", "services.ts"],
  console: [],
  site: ["http"],
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
    "doors",
    ...Object.keys(doors),
    "authorization",
    "triggers",
    "console",
    "site",
    "reference",
  ],
};
