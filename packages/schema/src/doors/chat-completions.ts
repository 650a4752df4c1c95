import * as z from "zod";
import type { DoorEndpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { optional } from "../parsing/text.ts";
import {
  chosenOrNone,
  HOSTED_TOOL,
  MAX_ITEMS,
  MetadataPairs,
  noOther,
  only,
  textOr,
  textOrNone,
} from "./chosen.ts";

const name = optional(z.string().max(64)).describe("Accepted: the model is not told names");
const partOf = <Kind extends string>(kind: Kind) => z.literal(kind).describe("Kind of part");
const Text = z.strictObject({ type: partOf("text"), text: z.string().describe("The text") });
const Image = z.strictObject({
  type: partOf("image_url"),
  image_url: z
    .strictObject({
      url: z.string().describe("A data: URL"),
      detail: optional(z.enum(["low", "high", "auto"])).describe("Accepted: the model decides"),
    })
    .describe("The image"),
});
const File = z.strictObject({
  type: partOf("file"),
  file: z
    .strictObject({
      file_id: optional(z.string().max(255)).describe("Id of an uploaded file"),
      filename: optional(z.string().max(255)).describe("Name of the file"),
      file_data: optional(z.string()).describe("Its bytes, as a data: URL"),
    })
    .describe("The file"),
});
const Refusal = z.strictObject({
  type: partOf("refusal"),
  refusal: z.string().describe("Why the model did not answer"),
});
const UserPart = z.discriminatedUnion("type", [Text, Image, File], {
  error: "must be text, image_url or file",
});
export type ChatPart = z.output<typeof UserPart> | z.output<typeof Refusal>;

const kindOfTool = z.literal("function", { error: HOSTED_TOOL }).describe("Kind of tool");
const functionName = z.string().min(1).max(64).describe("Name of the function");

const ToolCall = z.strictObject({
  id: z.string().min(1).max(64).describe("Id of the call"),
  type: kindOfTool,
  function: z
    .strictObject({ name: functionName, arguments: z.string().describe("Parameters, as JSON") })
    .describe("What was called"),
});

const roleOf = <Role extends string>(role: Role) => z.literal(role).describe("Who said it");
const said = "What was said: a text, or parts";

const ChatMessage = z.discriminatedUnion(
  "role",
  [
    z.strictObject({
      role: z.enum(["system", "developer"]).describe("Who said it"),
      content: textOr(Text).describe(said),
      name,
    }),
    z.strictObject({ role: roleOf("user"), content: textOr(UserPart).describe(said), name }),
    z.strictObject({
      role: roleOf("assistant"),
      content: textOrNone(z.discriminatedUnion("type", [Text, Refusal])).describe(said),
      refusal: optional(z.string()).describe("Why the model did not answer"),
      tool_calls: optional(z.array(ToolCall).max(MAX_ITEMS)).describe("Calls of functions"),
      annotations: optional(z.array(z.unknown()).max(MAX_ITEMS)).describe(
        "Accepted: the model is not given them",
      ),
      audio: only([], "must be left out: there is no audio"),
      name,
    }),
    z.strictObject({
      role: roleOf("tool"),
      tool_call_id: z.string().min(1).max(64).describe("Id of the call"),
      content: textOr(Text).describe("What the function returned"),
      name,
    }),
  ],
  { error: "must have the role system, developer, user, assistant or tool" },
);
export type ChatMessage = z.output<typeof ChatMessage>;

const Tool = z.strictObject({
  type: kindOfTool,
  function: z
    .strictObject({
      name: functionName,
      description: optional(z.string()).describe("What it does, for the model"),
      parameters: optional(z.record(z.string(), z.unknown())).describe(
        "JSON Schema of its parameters",
      ),
      strict: optional(z.boolean()).describe("Whether the model's service enforces the schema"),
    })
    .describe("The function"),
});

const Choice = chosenOrNone<
  "auto" | "none" | "required" | { type: "function"; function: { name: string } }
>((value) =>
  typeof value === "string"
    ? z.enum(["auto", "none", "required"])
    : z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({ name: z.string() }),
      }),
);

const tokens = optional(z.int().min(1).max(1_000_000));

/** The body of a chat completion. */
export const CreateChatCompletion = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(255)
    .describe("The agent that answers: its id or name, which `agent/` may come before")
    .meta({ example: "agent/helper" }),
  messages: z
    .array(ChatMessage)
    .min(1)
    .max(MAX_ITEMS)
    .describe("The conversation; the last user's messages, or outputs of tools, are answered")
    .meta({ example: [{ role: "user", content: "Hello!" }] }),
  stream: optional(z.boolean()).describe("Whether to answer with Server-Sent Events"),
  stream_options: optional(
    z.strictObject({
      include_usage: optional(z.boolean()).describe("Whether tokens come after the last chunk"),
      include_obfuscation: only([false], "must be false: events are not padded"),
    }),
  ).describe("Whether the tokens are given after the last chunk"),
  tools: optional(z.array(Tool).max(64)).describe("Functions of the caller"),
  tool_choice: Choice.describe("Which of them is called: auto by default"),
  parallel_tool_calls: optional(z.boolean()).describe("Whether several may be called at once"),
  response_format: optional(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text").describe("Any text") }),
      z.strictObject({
        type: z.literal("json_schema").describe("JSON of a schema"),
        json_schema: z
          .strictObject({
            name: z.string().max(64).describe("Name of the format"),
            description: optional(z.string()).describe("What it is for"),
            schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the answer"),
            strict: optional(z.boolean()).describe("Accepted: the server checks each answer"),
          })
          .describe("The format"),
      }),
    ]),
  ).describe("What the answer must be"),
  max_completion_tokens: tokens.describe("Most tokens of each step, reasoning included"),
  max_tokens: tokens.describe("The same, under its older name"),
  temperature: optional(z.number().min(0).max(2)).describe("Temperature; the agent's by default"),
  reasoning_effort: optional(z.enum(["none", "minimal", "low", "medium", "high"])).describe(
    "Effort of the reasoning; the agent's by default",
  ),
  metadata: MetadataPairs.describe(
    "At most 16 pairs; `conversation_id` continues that conversation, or, as `new`, begins one that stays",
  ),
  user: optional(z.string().max(255)).describe(
    "Name of the caller's user, stored with the message",
  ),
  store: only(
    [false],
    "must be false: name metadata.conversation_id for a conversation that stays",
  ),
  n: only([1], "must be 1: there is one answer"),
  stop: only([], "is not supported"),
  seed: only([], "is not supported"),
  logprobs: only([false], "must be false: there are no probabilities of tokens"),
  logit_bias: only([], "is not supported"),
  modalities: optional(
    z.array(z.literal("text", { error: "must be text: there is no other" })).max(1),
  ).describe("Text alone"),
  safety_identifier: optional(z.string().max(64)).describe("Stored with the message"),
  prompt_cache_key: optional(z.string().max(64)).describe("Accepted: prompts are cached anyway"),
  ...noOther,
});
export type CreateChatCompletion = z.output<typeof CreateChatCompletion>;

const Usage = z.looseObject({
  prompt_tokens: z.int().describe("Tokens of the prompts"),
  completion_tokens: z.int().describe("Tokens of the answer"),
  total_tokens: z.int().describe("Both"),
});

/** Operations of chat completions. */
export const chatCompletionDoors = {
  "chatCompletions.create": {
    kind: "door",
    errorsOf: "openai",
    tags: ["chat completions"],
    role: "user",
    specified: false,
    status: 200,
    method: "POST",
    rateLimit: "create",
    scope: "conversations:write",
    summary: "Create a chat completion",
    path: "/api/w/{wId}/v1/chat/completions",
    alsoAt: "/v1/chat/completions",
    params: WorkspaceParams,
    body: CreateChatCompletion,
    output: z.looseObject({
      id: z.string().describe("Id of the completion"),
      object: z.literal("chat.completion").describe("Always chat.completion"),
      created: z.int().describe("When it was created, in seconds"),
      model: z.string().describe("The agent").meta({ example: "agent/helper" }),
      choices: z.array(z.looseObject({})).describe("The one answer"),
      usage: Usage.describe("Tokens"),
    }),
    event: z.looseObject({
      id: z.string().describe("Id of the completion"),
      object: z.literal("chat.completion.chunk").describe("Always chat.completion.chunk"),
      choices: z.array(z.looseObject({})).describe("What the answer grows by"),
    }),
    errors: [
      "model_disabled",
      "file_not_found",
      "conversation_not_found",
      "message_not_found",
      "version_conflict",
      "budget_exceeded",
    ],
  },
} as const satisfies Record<string, DoorEndpoint>;
