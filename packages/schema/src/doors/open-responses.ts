import * as z from "zod";
import type { DoorEndpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { flagFromQuery, fromQuery, optional, Reference } from "../parsing/text.ts";
import { CompactResponse, CreateResponse } from "./open-responses-input.ts";

const root = "/api/w/{wId}/v1/responses";

const shared = {
  kind: "door",
  errorsOf: "openai",
  tags: ["open responses"],
  status: 200,
  role: "user",
  specified: false,
  rateLimit: "read",
} as const;

const Item = z.looseObject({
  id: z.string().describe("Id of the item"),
  type: z.string().describe("Kind of item").meta({ example: "message" }),
});

/** A response, as Open Responses describes it. */
export const ResponseResource = z.looseObject({
  id: z.string().describe("Id of the response").meta({ example: "resp_Kd82jXq0PzVn4tR9sWy1" }),
  object: z.literal("response").describe("Always response"),
  created_at: z.int().describe("When it was created, in seconds"),
  status: z
    .enum(["in_progress", "completed", "incomplete", "failed", "cancelled"])
    .describe("How far it is")
    .meta({ example: "completed" }),
  model: z.string().describe("The agent").meta({ example: "agent/helper" }),
  output: z.array(Item).describe("What it has said and called"),
});

/** What compacting gives, as Open Responses describes it. */
export const CompactResource = z.looseObject({
  id: z.string().describe("Id of the compaction, which cannot be read again"),
  object: z.literal("response.compaction").describe("Always response.compaction"),
  created_at: z.int().describe("When it was created, in seconds"),
  output: z.array(Item).describe("The newest messages of the user, and one compaction item"),
});

const ResponseParams = WorkspaceParams.extend({
  responseId: Reference.describe("Id of the response").meta({
    example: "resp_Kd82jXq0PzVn4tR9sWy1",
  }),
});

const ofResponse = {
  ...shared,
  path: `${root}/{responseId}`,
  alsoAt: "/v1/responses/{responseId}",
  params: ResponseParams,
  errors: ["conversation_not_found", "message_not_found"],
} as const;

/** An event of a response. */
export const ResponseStreamEvent = z.looseObject({
  type: z.string().describe("Kind of event").meta({ example: "response.output_text.delta" }),
  sequence_number: z.int().describe("Number of the event, from 0").meta({ example: 4 }),
});

/** Operations of Open Responses. */
export const openResponsesDoors = {
  "openResponses.create": {
    ...shared,
    method: "POST",
    rateLimit: "create",
    scope: "conversations:write",
    summary: "Create a response (Open Responses)",
    path: root,
    alsoAt: "/v1/responses",
    params: WorkspaceParams,
    body: CreateResponse,
    output: ResponseResource,
    event: ResponseStreamEvent,
    errors: [
      "model_disabled",
      "file_not_found",
      "conversation_not_found",
      "message_not_found",
      "version_conflict",
      "budget_exceeded",
    ],
  },
  "openResponses.compact": {
    ...shared,
    method: "POST",
    rateLimit: "create",
    scope: "conversations:write",
    summary: "Compact what was said (Open Responses)",
    path: `${root}/compact`,
    alsoAt: "/v1/responses/compact",
    params: WorkspaceParams,
    body: CompactResponse,
    output: CompactResource,
    errors: [
      "model_disabled",
      "file_not_found",
      "conversation_not_found",
      "message_not_found",
      "version_conflict",
      "budget_exceeded",
    ],
  },
  "openResponses.get": {
    ...ofResponse,
    method: "GET",
    scope: "conversations:read",
    summary: "Read a response, or follow it (Open Responses)",
    query: z.object({
      stream: optional(flagFromQuery).describe("Whether to answer with its events"),
      starting_after: optional(fromQuery(z.int().min(0).max(10_000_000))).describe(
        "Number of the last event that the client has",
      ),
    }),
    output: ResponseResource,
    event: ResponseStreamEvent,
  },
  "openResponses.delete": {
    ...ofResponse,
    method: "DELETE",
    scope: "conversations:write",
    summary: "Delete the conversation of a response (Open Responses)",
    output: z.object({
      id: z.string().describe("Id of the response"),
      object: z.literal("response").describe("Always response"),
      deleted: z.literal(true).describe("Always true"),
    }),
  },
  "openResponses.cancel": {
    ...ofResponse,
    path: `${root}/{responseId}/cancel`,
    alsoAt: "/v1/responses/{responseId}/cancel",
    method: "POST",
    onlyReads: true,
    scope: "conversations:write",
    summary: "Cancel a response (Open Responses)",
    output: ResponseResource,
  },
  "openResponses.listInputItems": {
    ...ofResponse,
    path: `${root}/{responseId}/input_items`,
    alsoAt: "/v1/responses/{responseId}/input_items",
    method: "GET",
    scope: "conversations:read",
    summary: "List what a response was asked with (Open Responses)",
    output: z.object({
      object: z.literal("list").describe("Always list"),
      data: z.array(Item).describe("The items, the newest first"),
      first_id: z.string().nullable().describe("Id of the first"),
      last_id: z.string().nullable().describe("Id of the last"),
      has_more: z.boolean().describe("Always false"),
    }),
  },
  "openResponses.listModels": {
    ...shared,
    method: "GET",
    scope: "agents:read",
    summary: "List the agents as models (Open Responses)",
    path: "/api/w/{wId}/v1/models",
    alsoAt: "/v1/models",
    params: WorkspaceParams,
    errors: [],
    output: z.object({
      object: z.literal("list").describe("Always list"),
      data: z
        .array(
          z.object({
            id: z.string().describe("Name of the model").meta({ example: "agent/helper" }),
            object: z.literal("model").describe("Always model"),
            created: z.int().describe("When the agent was last changed, in seconds"),
            owned_by: z.string().describe("The workspace").meta({ example: "Demo" }),
          }),
        )
        .describe("The active agents"),
    }),
  },
} as const satisfies Record<string, DoorEndpoint>;
