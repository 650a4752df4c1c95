/** What calls remote MCP servers. The process that composes the core gives it: core knows no protocol. */
import type {
  IssuedToken,
  McpChallenge,
  McpClientCredentials,
  McpFailureCode,
  McpServer,
  PersonalAuthorization,
} from "@parley/mcp";
import { ParleyError } from "@parley/schema";
import type { ListLifetimes } from "./list-lifetimes.ts";

interface CallLimits {
  readonly timeoutMs: number;
  /** Bytes of all of its answers together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What a server says that it offers. */
export interface ListedTools {
  readonly type: "listed";
  readonly server: {
    readonly name: string;
    readonly version: string;
    readonly title?: string | undefined;
    readonly instructions?: string | undefined;
  };
  readonly tools: readonly ListedTool[];
  /** How long the list holds, as the server says. */
  readonly ttlMs?: number | undefined;
}

/** A tool as its server describes it: nobody has checked its schema. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether it runs as a task only. */
  readonly requiresTask?: boolean | undefined;
}

/** The result of a call, as MCP has it. */
export interface ToolResult {
  readonly type: "result";
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  /** Whether the server said in the meantime that its tools have changed. */
  readonly toolsChanged: boolean;
}

/** Why a server was not asked, or did not answer. */
export interface ToolServerFailure {
  readonly type: "failed";
  readonly code: McpFailureCode;
  /** One sentence, without secrets. */
  readonly message: string;
  /** What a 401 or 403 says of how to get a token. */
  readonly authorization?: McpChallenge;
  /**
   * Where the call, which was refused, may be made again once its user has allowed more. The user may be asked once it
   * has resolved, which it does within ten seconds: it is not part of the call.
   */
  readonly asksUser?: Promise<void>;
}

interface Report {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A call of a tool by its name. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The tool's schema as it was listed. */
  readonly inputSchema?: Record<string, unknown>;
  /** The W3C `traceparent` of the call. */
  readonly traceparent?: string | undefined;
}

export interface ToolCallOptions extends CallLimits {
  readonly onProgress?: (report: Report) => void;
}

/** Calls remote servers, and asks them for their tools; a failure is a value. */
export interface ToolServers {
  /** Calls a tool once, and never sends the call twice. */
  callTool(
    server: McpServer,
    call: ToolCall,
    options: ToolCallOptions,
  ): Promise<ToolResult | ToolServerFailure>;
  /** How a person allows calls. */
  readonly authorization: PersonalAuthorization;
  /** Asks the authorization server of a server for a token. */
  requestToken(
    server: Pick<McpServer, "url">,
    client: McpClientCredentials,
    limits: Omit<CallLimits, "maxBytes">,
  ): Promise<IssuedToken | ToolServerFailure>;
  listTools(server: McpServer, limits: CallLimits): Promise<ListedTools | ToolServerFailure>;
}

/** What reaches remote servers. */
export interface ToolServices {
  readonly toolServers: ToolServers;
  readonly listLifetimes: ListLifetimes;
}

const noServers: ToolServerFailure = {
  type: "failed",
  code: "rejected",
  message: "This process cannot call servers",
};

const answerNone = async () => noServers;

/** Of a process that calls no servers. */
export const noToolServers: ToolServers = {
  authorization: {
    prepare: answerNone,
    start: answerNone,
    exchange: answerNone,
    refresh: answerNone,
    revoke: answerNone,
  },
  requestToken: answerNone,
  listTools: answerNone,
  callTool: answerNone,
};

/** The error of a request whose server cannot be called. */
export function unreachable({ message }: ToolServerFailure): ParleyError {
  return new ParleyError("tool_unreachable", message);
}
