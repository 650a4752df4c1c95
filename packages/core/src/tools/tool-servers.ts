/** What calls remote MCP servers. The process that composes the core gives it: core knows no protocol. */
import { ParleyError } from "@parley/schema";

/** A remote server, and the headers of each request. */
export interface RemoteServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

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
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
  }[];
}

/** The result of a call, as MCP has it. */
export interface ToolResult {
  readonly type: "result";
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  /** Whether the server said meanwhile that its tools have changed. */
  readonly toolsChanged: boolean;
}

/** Why a server was not asked, or did not answer. */
export interface ToolServerFailure {
  readonly type: "failed";
  readonly code:
    | "unreachable"
    | "refused_address"
    | "unauthorized"
    | "timed_out"
    | "too_large"
    | "bad_answer"
    | "cancelled"
    | "rejected";
  /** One sentence, without secrets. */
  readonly message: string;
}

interface Report {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Who Parley is at the authorization server of a server. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
}

/** A token of the client's own. */
export interface IssuedToken {
  readonly type: "issued";
  readonly accessToken: string;
  /** Undefined where the authorization server does not say. */
  readonly expiresInMs?: number;
}

/** Calls servers of one kind; a failure is a value. */
export interface ToolCaller<Server> {
  /** Calls a tool once, and never sends the call twice. */
  callTool(
    server: Server,
    call: {
      readonly name: string;
      readonly arguments: Record<string, unknown>;
      /** The tool's schema as it was listed. */
      readonly inputSchema?: Record<string, unknown>;
    },
    options: CallLimits & { readonly onProgress?: (report: Report) => void },
  ): Promise<ToolResult | ToolServerFailure>;
}

/** Calls remote servers, and asks them for their tools. */
export interface ToolServers extends ToolCaller<RemoteServer> {
  /** Asks the authorization server of a server for a token. */
  requestToken(
    server: Pick<RemoteServer, "url">,
    client: ClientCredentials,
    limits: Omit<CallLimits, "maxBytes">,
  ): Promise<IssuedToken | ToolServerFailure>;
  listTools(server: RemoteServer, limits: CallLimits): Promise<ListedTools | ToolServerFailure>;
}

/** What reaches remote servers. */
export interface ToolServices {
  readonly toolServers: ToolServers;
}

const noServers: ToolServerFailure = {
  type: "failed",
  code: "rejected",
  message: "This process calls no servers",
};

/** Of a process that calls no servers. */
export const noToolServers: ToolServers = {
  requestToken: async () => noServers,
  listTools: async () => noServers,
  callTool: async () => noServers,
};

/** The error of a request whose server cannot be called. */
export function unreachable({ message }: ToolServerFailure): ParleyError {
  return new ParleyError("tool_unreachable", message);
}
