import type { ToolServerFailure, ToolServers } from "@parley/core";
import type { McpConnections } from "@parley/mcp";
import type { Settings } from "../config.ts";
import type { ProcessMetrics } from "../metrics/process-metrics.ts";

interface ToolServersOptions {
  readonly readVersion: () => string;
  readonly settings: Pick<Settings, "PARLEY_PRIVATE_HOSTS" | "PARLEY_OAUTH_ENDPOINT_HOSTS">;
  readonly onServerAsked?: ProcessMetrics["onServerAsked"] | undefined;
}

/**
 * What calls remote servers; reports what they were asked, besides calls. The protocol's code is loaded by the
 * first call, because loading it would make each start longer.
 */
export function createToolServers({
  readVersion,
  settings: { PARLEY_PRIVATE_HOSTS: allowedHosts, PARLEY_OAUTH_ENDPOINT_HOSTS: endpointHosts },
  onServerAsked: onAsked = () => {},
}: ToolServersOptions): ToolServers & { close(): Promise<void> } {
  let opened: Promise<McpConnections> | undefined;
  const open = (): Promise<McpConnections> => {
    opened ??= import("@parley/mcp").then(({ createMcpConnections }) =>
      createMcpConnections({ allowedHosts, endpointHosts, name: "parley", version: readVersion() }),
    );
    return opened;
  };
  type Asked = Parameters<ProcessMetrics["onServerAsked"]>[0];
  const count = async <T extends object>(asked: Asked, answering: Promise<T>): Promise<T> => {
    const answer = await answering;
    onAsked(asked, outcomeOf(answer));
    return answer;
  };
  return {
    listTools: async (...given) => count("tools", (await open()).listTools(...given)),
    callTool: async (...given) => (await open()).callTool(...given),
    authorization: {
      prepare: async (...given) => (await open()).authorization.prepare(...given),
      start: async (...given) => (await open()).authorization.start(...given),
      exchange: async (...given) => count("token", (await open()).authorization.exchange(...given)),
      refresh: async (...given) => count("token", (await open()).authorization.refresh(...given)),
      revoke: async (...given) => (await open()).authorization.revoke(...given),
    },
    requestToken: async (...given) => count("token", (await open()).requestToken(...given)),
    close: async () => (await opened)?.close(),
  };
}

function outcomeOf(answer: object | ToolServerFailure): string {
  return "code" in answer ? answer.code : "done";
}
