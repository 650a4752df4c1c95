import { oneLine } from "@parley/command/print";
import type { AdministeredTool, ConnectedTool } from "@parley/schema";

/** A line for a tool of a list. */
export function renderListed({ tool }: AdministeredTool): string {
  const { sId, name, serverType, server } = tool;
  const count = server.tools.length;
  return `${name} (${sId}): ${serverType}, ${count} ${count === 1 ? "tool" : "tools"}`;
}

/** The lines that show a tool, with its connection if it has one. */
export function renderTool(shown: AdministeredTool | ConnectedTool): string[] {
  const { tool, version } = shown;
  const connection = "connection" in shown ? shown.connection : undefined;
  const lines = [`${renderListed(shown)}, version ${version}`, `  space: ${tool.spaceId}`];
  if (tool.description !== "") lines.push(`  description: ${oneLine(tool.description)}`);
  if (connection !== undefined) {
    const { url, headerNames, oauth, fault, timeoutMs, maxConcurrent, refreshedAt } = connection;
    lines.push(`  server: ${url}`);
    if (headerNames.length > 0) lines.push(`  headers: ${headerNames.join(", ")}`);
    if (oauth !== null) lines.push(`  OAuth client: ${oauth.clientId}`);
    lines.push(`  timeout: ${timeoutMs} ms; at most ${maxConcurrent} concurrent`);
    lines.push(`  tools refreshed: ${new Date(refreshedAt).toISOString()}`);
    if (fault !== null) lines.push(`  fault: ${oneLine(fault)}`);
  }
  for (const { name, description } of tool.server.tools) {
    const words = [name];
    if (connection !== undefined) {
      const { stakes, defaultStake, retryableTools } = connection;
      words.push(Object.hasOwn(stakes, name) ? (stakes[name] ?? defaultStake) : defaultStake);
      if (retryableTools.includes(name)) words.push("retryable");
    }
    lines.push(`  - ${words.join(", ")}: ${oneLine(description)}`);
  }
  return lines;
}
