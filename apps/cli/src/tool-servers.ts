import type { ToolServers } from "@parley/core";
import type { McpConnections } from "@parley/mcp";
import type { Settings } from "./config.ts";
import { readVersion } from "./read-version.ts";

/**
 * What calls remote servers. The protocol's code is loaded by the first call, because loading it would make each
 * start longer.
 */
export function createToolServers({
  PARLEY_PRIVATE_HOSTS: allowedHosts,
}: Pick<Settings, "PARLEY_PRIVATE_HOSTS">): ToolServers & { close(): Promise<void> } {
  let opened: Promise<McpConnections> | undefined;
  const open = (): Promise<McpConnections> => {
    opened ??= import("@parley/mcp").then(({ createMcpConnections }) =>
      createMcpConnections({ allowedHosts, name: "parley", version: readVersion() }),
    );
    return opened;
  };
  return {
    listTools: async (...given) => (await open()).listTools(...given),
    callTool: async (...given) => (await open()).callTool(...given),
    requestToken: async (...given) => (await open()).requestToken(...given),
    close: async () => (await opened)?.close(),
  };
}
