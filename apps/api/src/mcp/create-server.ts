import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { AGENT, callAgent, READ, readAnswer } from "./conversation-tools.ts";
import { toErrorResult, unknownTool } from "./errors.ts";
import type { McpExchange } from "./exchange.ts";
import { callFunction, FUNCTION } from "./function-tools.ts";
import { readInvocation } from "./invocation-tools.ts";
import { logged } from "./logged.ts";
import { READ_INVOCATION } from "./outcomes.ts";
import { createSkillSource, listResources } from "./skill-resources.ts";
import { listTools } from "./tool-pages.ts";

// Servers never validate with it, but each would make its own.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Version of the kinds of tools and resources that there are. */
const VERSION = "1.0";

/** The MCP server of one request: of what its caller reaches, and nothing else. */
export function createServer(exchange: McpExchange): McpServer {
  const { services, context } = exchange;
  const mcp = new McpServer(
    { name: "parley", title: "Parley", version: VERSION },
    {
      // No session is kept, so nobody can be told of changes.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: `Agents, functions and skills of the workspace ${context.caller.workspace.name}.`,
      jsonSchemaValidator,
    },
  );
  const skills = new SkillsExtension({
    source: createSkillSource(exchange),
    onWarning: (warning) => services.logger.warn(warning, "A skill is not served over MCP"),
  });
  skills.attach(mcp);
  const { server } = mcp;
  server.setRequestHandler("tools/list", ({ method, params }) =>
    logged(exchange, method, () => listTools(exchange, params?.cursor)),
  );
  server.setRequestHandler("tools/call", ({ method, params }, call) =>
    logged(exchange, method, () => callTool(exchange, params, call)),
  );
  server.setRequestHandler("resources/list", ({ method, params }) =>
    logged(exchange, method, () => listResources(exchange, params?.cursor)),
  );
  return mcp;
}

interface ToolCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

const tools: readonly [
  isIt: (name: string) => boolean,
  call: (exchange: McpExchange, called: ToolCall, call: ServerContext) => Promise<CallToolResult>,
][] = [
  [(name) => name === READ, readAnswer],
  [(name) => name === READ_INVOCATION, readInvocation],
  [(name) => name.startsWith(AGENT), callAgent],
  [(name) => name.startsWith(FUNCTION), callFunction],
];

/** Calls a tool. What fails is a result that a model can read; only unknown tools are errors. */
async function callTool(
  exchange: McpExchange,
  called: ToolCall,
  context: ServerContext,
): Promise<CallToolResult> {
  const [, call] = tools.find(([isIt]) => isIt(called.name)) ?? [];
  if (call === undefined) throw unknownTool(called.name);
  try {
    return await call(exchange, called, context);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return toErrorResult(exchange, error);
  }
}
