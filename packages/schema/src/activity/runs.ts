import * as z from "zod";
import { TokenCounts } from "../usage/token-counts.ts";
import { WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

export const ListedRunKind = z.enum(["turn", "invocation", "tool_call", "compaction"]);

export const ListedRunStatus = z.enum([
  "waiting",
  "running",
  "blocked",
  "suspended",
  "succeeded",
  "errored",
  "cancelled",
]);

const named = { sId: z.string().describe("Id"), name: z.string().describe("Name") };

/** One run: an answer of an agent, an invocation of a function, a call of a tool, or a summary. */
export const ListedRun = z.object({
  id: z
    .string()
    .describe("Id of the answer's message, or of the invocation")
    .meta({ example: "sfi_Hr5Tb8Nw3J" }),
  kind: ListedRunKind.meta({
    description:
      "`turn` for an agent's answer, `invocation` for a sandbox function, `tool_call` for a call of an " +
      "MCP server by an agent, or `compaction` for a summary of a conversation's oldest messages",
    example: "invocation",
  }),
  status: ListedRunStatus.meta({
    description:
      "`waiting` for a worker or for an earlier turn, `running`, `blocked` until a user decides, " +
      "`suspended` until what it called ends or until its next attempt, or how it ended",
    example: "succeeded",
  }),
  function: z
    .object({ sId: z.string().describe("Id"), slug: z.string().describe("Slug") })
    .nullable()
    .describe("The function of an invocation")
    .meta({ example: { sId: "sfn_Lq2Ke5Vy8T", slug: "add" } }),
  tool: z
    .object(named)
    .nullable()
    .describe("The tool of a call; null for a server in a user's client")
    .meta({ example: null }),
  agent: z
    .object(named)
    .nullable()
    .describe("The agent of a turn, or the agent that called; null if a key invoked")
    .meta({ example: null }),
  conversationId: z
    .string()
    .nullable()
    .describe("The conversation of the agent's message")
    .meta({ example: null }),
  messageId: z.string().nullable().describe("The agent's message").meta({ example: null }),
  createdAt: Milliseconds.describe("When it was created"),
  startedAt: Milliseconds.nullable().describe(
    "When its first attempt began; also null for runs from before it was recorded",
  ),
  endedAt: Milliseconds.nullable().describe("When it ended"),
  durationMs: z
    .int()
    .nullable()
    .describe("Time from its start to its end, of those that have both")
    .meta({ example: 12 }),
  usage: TokenCounts.nullable()
    .describe("Tokens of an ended turn or summary; null if nothing was counted")
    .meta({ example: null }),
  attempts: z.int().describe("Attempts so far").meta({ example: 1 }),
  error: z
    .object({
      code: z.string().describe("Stable code"),
      message: z.string().describe("What failed"),
    })
    .nullable()
    .describe("Why it failed")
    .meta({ example: null }),
});
export type ListedRun = z.infer<typeof ListedRun>;

/** Which runs to list. */
export const ListRuns = WorkspaceParams.extend({
  kind: optional(ListedRunKind).describe("Only runs of this kind"),
  status: optional(ListedRunStatus).describe(
    "Only runs with this status. With this or another filter, a page may have fewer runs than asked for although " +
      "there are more",
  ),
  functionId: optional(Reference).describe("Only invocations of the function with this id or slug"),
  agentId: optional(Reference).describe("Only turns of this agent, and what they called"),
  toolId: optional(Reference).describe("Only calls of this tool"),
  model: optional(text(512, 1))
    .describe("Only turns that this model answered, as `provider/model`")
    .meta({ example: "openai/gpt-5" }),
  keyId: optional(Reference).describe("Only what this key asked for"),
  userId: optional(Reference).describe("Only what this user asked for"),
  from: optional(TimeFromQuery).describe("Only runs that were created at or after this time"),
  to: optional(TimeFromQuery).describe("Only runs that were created before this time"),
  endedFrom: optional(TimeFromQuery).describe("Only runs that ended at or after this time"),
  endedTo: optional(TimeFromQuery).describe("Only runs that ended before this time"),
  ...pageQuery("Runs", { defaultLimit: 20, place: placeLike(/^\d{1,15}\.\d{1,15}$/) }),
});
export type ListRuns = z.output<typeof ListRuns>;

/** Which runs of the server to list. */
export const ListServerRuns = z.object({
  kind: optional(ListedRunKind).describe("Only runs of this kind"),
  status: optional(ListedRunStatus).describe(
    "Only runs with this status. With this or another filter, a page may have fewer runs than asked for although " +
      "there are more",
  ),
  ...pageQuery("Runs", { defaultLimit: 20, place: placeLike(/^\d{1,15}$/) }),
});
export type ListServerRuns = z.output<typeof ListServerRuns>;

/** Names a run of a workspace. */
export const RunIdentity = WorkspaceParams.extend({
  runId: Reference.describe("Id of the run: of an answer's message, or of the invocation").meta({
    example: "sfi_Hr5Tb8Nw3J",
  }),
});
export type RunIdentity = z.output<typeof RunIdentity>;

/** UTF-8 bytes of a message of a provider. */
export const MAX_PROVIDER_MESSAGE_BYTES = 2048;

/** What a model's provider said when it failed a turn, without credentials. */
export const ProviderError = z.object({
  message: z
    .string()
    .describe(`Its message, at most ${MAX_PROVIDER_MESSAGE_BYTES} bytes`)
    .meta({ example: "The model `gpt-6` does not exist" }),
  requestId: z
    .string()
    .nullable()
    .describe("The provider's id of the request, if it gave one")
    .meta({ example: "req_011CSHoEeqs5C35K2UUqR7Fy" }),
});
export type ProviderError = z.infer<typeof ProviderError>;

/** One run with what it was given. */
export const RunDetails = ListedRun.extend({
  input: z
    .unknown()
    .describe(
      "The input of an invocation, or `{name, arguments}` of a call of a tool; null for a turn, whose input is " +
        "its conversation",
    )
    .meta({ example: { a: 1, b: 2 } }),
  providerError: ProviderError.nullable()
    .optional()
    .describe("The model provider's error if it failed the turn; omitted for users")
    .meta({ example: null }),
});
export type RunDetails = z.infer<typeof RunDetails>;

/** One page of the runs of a workspace. */
export const RunPage = z.object({
  runs: z
    .array(ListedRun)
    .describe("Runs, newest first; with `endedFrom` or `endedTo`, those that ended last first"),
  ...pageEnd,
});
export type RunPage = z.infer<typeof RunPage>;

/** One page of the runs of all workspaces. */
export const ServerRunPage = z.object({
  runs: z
    .array(
      ListedRun.extend({
        workspace: z
          .object(named)
          .describe("Its workspace")
          .meta({ example: { sId: "DemoWork01", name: "Demo" } }),
      }),
    )
    .describe("Runs, newest first"),
  ...pageEnd,
});
export type ServerRunPage = z.infer<typeof ServerRunPage>;
