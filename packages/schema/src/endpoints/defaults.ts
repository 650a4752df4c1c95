/** Defaults of JSON requests that read. */
export const get = {
  kind: "json",
  method: "GET",
  status: 200,
  role: "user",
  rateLimit: "read",
  specified: false,
  errors: [],
} as const;

/** Defaults of JSON requests that create. */
export const post = { ...get, method: "POST", rateLimit: "create" } as const;

/** Defaults of streams. */
export const stream = { ...get, kind: "stream", rateLimit: "stream" } as const;

const rpc = {
  kind: "rpc",
  scope: null,
  rateLimit: "operate",
  tags: ["administration"],
  errors: ["workspace_not_found"],
} as const;

// Defaults of procedures that only the RPC offers, by their kind and the role that they require.
export const adminQuery = { ...rpc, operation: "query", role: "admin" } as const;
export const adminMutation = { ...rpc, operation: "mutation", role: "admin" } as const;
export const builderQuery = { ...adminQuery, role: "builder" } as const;
export const builderMutation = { ...adminMutation, role: "builder" } as const;
