import {
  type CallToolResult,
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

/** Revisions of the protocol: the newest, and the newest of those before it, with a handshake. */
export const revisions = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

/** Connects the official client to a server, until the test has ended. */
export async function connect(
  { url }: { readonly url: string },
  key: string,
  revision: Revision = "2026-07-28",
  send: FetchLike = fetch,
): Promise<Client> {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const client = new Client({ name: "e2e", version: "1" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers },
    fetch: send,
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The text of a tool's result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((one) => (one.type === "text" ? one.text : "")).join("");
}

/** What the result of an agent's tool says of its answer. */
export interface AnswerState {
  readonly conversationId: string;
  readonly messageId: string;
  readonly status: string;
  readonly url: string;
  readonly answer: string;
}

/** The structured content of an agent's tool. */
export function answerOf({ structuredContent }: CallToolResult): AnswerState {
  // As the output schema of the tool says, which the client has checked.
  return structuredContent as AnswerState;
}

/** The names of all tools, page by page. */
export async function toolNames(client: Client): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}
