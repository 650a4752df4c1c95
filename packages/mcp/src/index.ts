export { createMcpConnections, type McpConnectionsOptions } from "./connections.ts";
export * from "./contract.ts";
export * from "./failure-contract.ts";
export * from "./oauth/contract.ts";
