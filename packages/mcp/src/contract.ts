import type { McpFailure } from "./failure-contract.ts";
import type { PersonalAuthorization } from "./oauth/contract.ts";

/** A remote MCP server, spoken to over streamable HTTP. */
export interface McpServer {
  readonly url: string;
  /** Sent with each request, and to the server's own origin only. A bearer secret is one of them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What one listing or one call may use. */
export interface McpLimits {
  readonly timeoutMs: number;
  /** Of all answers together. */
  readonly maxBytes: number;
}

/** A call of a tool. */
export interface McpCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The tool's schema as it was listed: some servers want what it marks `x-mcp-header` in headers too. */
  readonly inputSchema?: Record<string, unknown>;
  /** The W3C `traceparent` of the call, which servers find in its `_meta`. */
  readonly traceparent?: string | undefined;
}

/** How far a call is, as its server says. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The connections of a process to MCP servers. Failures are values. */
export interface McpConnections {
  /** Lists the tools. */
  listTools(
    server: McpServer,
    options: McpLimits & { readonly signal: AbortSignal },
  ): Promise<ListedTools | McpFailure>;
  /** Calls a tool once: a call that may have left is never sent again. */
  callTool(
    server: McpServer,
    call: McpCall,
    options: McpLimits & {
      readonly signal: AbortSignal;
      readonly onProgress?: (progress: McpProgress) => void;
    },
  ): Promise<ToolResult | McpFailure>;
  /** How a person allows calls. */
  readonly authorization: PersonalAuthorization;
  /** Asks the authorization server of an MCP server for a token of the client's own. */
  requestToken(
    server: Pick<McpServer, "url">,
    client: McpClientCredentials,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<IssuedToken | McpFailure>;
  /** Cancels what is under way, takes leave of servers for a moment, and closes all connections. */
  close(): Promise<void>;
}

/** Who Parley is at an authorization server, as an operator of that has said. */
export interface McpClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** By default, what the server names. */
  readonly scope?: string;
}

/** A token that an authorization server has issued. */
export interface IssuedToken {
  readonly type: "issued";
  readonly accessToken: string;
  /** Undefined if the server does not say. */
  readonly expiresInMs?: number;
}

export interface ListedTools {
  readonly type: "listed";
  readonly server: {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly instructions?: string;
  };
  readonly tools: readonly McpTool[];
  /** How many tools were left out: their names are not 1–128 storable characters, or were taken. */
  readonly leftOut?: number;
  /** How long the server says that the list holds. */
  readonly ttlMs?: number;
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema, as the server wrote it: nobody has checked it. */
  readonly inputSchema: Record<string, unknown>;
  readonly annotations?: McpToolAnnotations;
  /** Whether the tool runs as a task only, for which its caller asks again and again. */
  readonly requiresTask?: true;
}

/** What a server says of its tool: hints, not promises. */
export interface McpToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolResult {
  readonly type: "result";
  readonly content: readonly McpContent[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  /** Whether the server said in the meantime that its tools have changed. */
  readonly toolsChanged: boolean;
}

/** A part of a result, as MCP has it. It may have more members: `annotations`, `_meta`. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: McpResource }
  | McpResourceLink;

export interface McpResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface McpResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}
