import type { Client } from "@modelcontextprotocol/client";
import { toStorable } from "@parley/schema";
import type { McpCall, McpContent, McpProgress, ToolResult } from "./contract.ts";
import { storable } from "./list-tools.ts";

/** Calls a tool of a connected server, and makes its result storable. Throws what the client throws. */
export async function callTool(
  client: Client,
  call: McpCall,
  options: {
    signal: AbortSignal;
    timeout: number;
    onProgress?: ((progress: McpProgress) => void) | undefined;
  },
): Promise<Omit<ToolResult, "toolsChanged">> {
  const { signal, timeout, onProgress } = options;
  const { name, inputSchema = {} } = call;
  const result = await client.callTool(
    { name, arguments: call.arguments },
    {
      signal,
      timeout,
      // With a definition, the client neither asks for it nor sends the call again.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      ...(onProgress && { onprogress: boundProgress(onProgress) }),
    },
  );
  const { structuredContent } = result;
  return {
    type: "result",
    content: storable(result.content, "The content of the result") as McpContent[],
    ...(structuredContent !== undefined && {
      structuredContent: storable(structuredContent, "The structured content of the result"),
    }),
    isError: result.isError === true,
  };
}

const MAX_PROGRESS_MESSAGE = 2000;

function boundProgress(onProgress: (progress: McpProgress) => void) {
  return ({ progress, total, message }: ProgressParams): void => {
    if (!Number.isFinite(progress)) return;
    onProgress({
      progress,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message: toStorable(message.slice(0, MAX_PROGRESS_MESSAGE)) }),
    });
  };
}

interface ProgressParams {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
