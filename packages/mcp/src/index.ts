export { createMcpConnections, type McpConnectionsOptions } from "./connections.ts";
export * from "./contract.ts";
export { FetchFault, type FetchFaultCode } from "./guard/fetch-fault.ts";
export type { FetchLimits } from "./guard/budget.ts";
export type { ResolveHost } from "./guard/resolve-host.ts";
export { createGuard, type FetchSession, type Guard, type GuardedInit } from "./guarded-fetch.ts";
export * from "./oauth/contract.ts";
export { discoverAuthorizationServer } from "./oauth/discover.ts";
export { type Introduction, registerClient } from "./oauth/register-client.ts";
export { revokeToken } from "./oauth/revoke-token.ts";
export {
  exchangeCode,
  type Party,
  refreshTokens,
  requestClientCredentials,
  startAuthorization,
  type StartedAuthorization,
} from "./oauth/tokens.ts";
