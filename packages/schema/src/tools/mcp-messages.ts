/** What MCP servers in clients send, as far as Parley reads it. Objects may have more members. */
import * as z from "zod";

const Id = z.union([z.string(), z.number()]).transform(String);

const Failure = z.looseObject({ code: z.number(), message: z.string() });

/** A JSON-RPC message of a server: a response, or else a request or notification. */
const McpMessage = z.union([
  z.looseObject({ jsonrpc: z.literal("2.0"), id: Id, result: z.looseObject({}) }),
  z.looseObject({ jsonrpc: z.literal("2.0"), id: Id, error: Failure }),
  z.looseObject({
    jsonrpc: z.literal("2.0"),
    method: z.string(),
    params: z.looseObject({}).optional(),
  }),
]);
export type McpMessage = z.infer<typeof McpMessage>;

const McpInitializeResult = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({ tools: z.looseObject({}).optional() }),
  serverInfo: z.looseObject({
    name: z.string(),
    version: z.string(),
    title: z.string().optional(),
  }),
  instructions: z.string().optional(),
});

const McpToolList = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string().min(1).max(128),
      description: z.string().optional(),
      inputSchema: z.record(z.string(), z.unknown()),
      execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
    }),
  ),
  nextCursor: z.string().max(1024).optional(),
});

const McpResource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});

const McpCallResult = z.looseObject({
  content: z
    .array(
      z.discriminatedUnion("type", [
        z.looseObject({ type: z.literal("text"), text: z.string() }),
        z.looseObject({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
        z.looseObject({ type: z.literal("resource"), resource: McpResource }),
        z.looseObject({ type: z.literal("resource_link"), uri: z.string(), name: z.string() }),
      ]),
    )
    .default([]),
  structuredContent: z.looseObject({}).optional(),
  isError: z.boolean().optional(),
});

const McpProgress = z.looseObject({
  progressToken: Id,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

/** Reads a JSON-RPC message of a server. */
export const readMcpMessage = (value: unknown) => McpMessage.safeParse(value);

/** Reads the result of `initialize`. */
export const readMcpInitialized = (value: unknown) => McpInitializeResult.safeParse(value);

/** Reads the result of `tools/list`. */
export const readMcpToolList = (value: unknown) => McpToolList.safeParse(value);

/** Reads the result of `tools/call`. */
export const readMcpCallResult = (value: unknown) => McpCallResult.safeParse(value);

/** Reads the parameters of a notification of progress. */
export const readMcpProgress = (value: unknown) => McpProgress.safeParse(value);
