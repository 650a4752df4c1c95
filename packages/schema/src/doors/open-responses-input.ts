import * as z from "zod";
import { optional } from "../parsing/text.ts";
import { chosen, HOSTED_TOOL, MetadataPairs, noOther, only, textOr, textOrNone } from "./chosen.ts";

// What Open Responses and the OpenAI SDKs send. Members that there are not are refused by name, and so is what the
// server does not do: nothing is ignored.

const id = optional(z.string().max(128));
const status = optional(z.string().max(32));
const callId = z.string().min(1).max(64);
/** Characters of a compaction item: a summary has a tenth of it. */
const MAX_COMPACTION = 512 * 1024;

const InputText = z.strictObject({ type: z.literal("input_text"), text: z.string() });
const InputImage = z.strictObject({
  type: z.literal("input_image"),
  image_url: optional(z.string()),
  file_id: optional(z.string().max(255)),
  detail: only(["auto"], "must be auto: the model decides"),
});
const InputFile = z.strictObject({
  type: z.literal("input_file"),
  file_id: optional(z.string().max(255)),
  filename: optional(z.string().max(255)),
  file_data: optional(z.string()),
});
const InputPart = z.discriminatedUnion("type", [InputText, InputImage, InputFile], {
  error: "must be input_text, input_image or input_file",
});
export type InputPart = z.output<typeof InputPart>;
const OutputText = z.object({ type: z.literal("output_text"), text: z.string() });
const Refusal = z.object({ type: z.literal("refusal"), refusal: z.string() });

const contentOf = <Part>(part: z.ZodType<Part>) => textOr(part);

const UserItem = z.strictObject({
  type: z.literal("message").optional(),
  id,
  status,
  role: z.literal("user"),
  content: contentOf(InputPart),
});
const SystemItem = z.strictObject({
  type: z.literal("message").optional(),
  id,
  status,
  role: z.enum(["system", "developer"]),
  content: contentOf(InputText),
});
const AssistantItem = z.strictObject({
  type: z.literal("message").optional(),
  id,
  status,
  phase: optional(z.enum(["commentary", "final_answer"])),
  role: z.literal("assistant"),
  content: contentOf(z.discriminatedUnion("type", [OutputText, Refusal])),
});
const CallItem = z.strictObject({
  type: z.literal("function_call"),
  id,
  status,
  call_id: callId,
  name: z.string().min(1).max(64),
  arguments: z.string(),
});
const OutputItem = z.strictObject({
  type: z.literal("function_call_output"),
  id,
  status,
  call_id: callId,
  output: contentOf(InputPart),
});
const ReferenceItem = z.strictObject({
  type: z.literal("item_reference"),
  id: z.string().max(128),
});
/** Reasoning of an earlier response: services are given their own back, so it is not needed. */
const ReasoningItem = z.object({ type: z.literal("reasoning"), id });
/** A call of a tool of the workspace in an earlier response. */
const ToolItem = z.object({
  type: z.literal("mcp_call"),
  id,
  name: z.string().max(255),
  arguments: z.string(),
  output: optional(z.string()),
  error: optional(z.string()),
});
const ApprovalRequestItem = z.object({ type: z.literal("mcp_approval_request"), id });
const ApprovalItem = z.strictObject({
  type: z.literal("mcp_approval_response"),
  id,
  approval_request_id: z.string().max(128),
  approve: z.boolean(),
  reason: optional(z.string().max(4096)),
});

/** What compacting gave: the text of its caller, whoever has written it. */
const CompactionItem = z.strictObject({
  type: z.literal("compaction"),
  id,
  encrypted_content: z.string().min(1).max(MAX_COMPACTION),
  created_by: optional(z.string().max(255)),
});

const message = z.discriminatedUnion("role", [UserItem, SystemItem, AssistantItem], {
  error: "must have the role user, assistant, system or developer",
});
const others = z.discriminatedUnion(
  "type",
  [
    CallItem,
    OutputItem,
    ReferenceItem,
    ReasoningItem,
    ToolItem,
    ApprovalRequestItem,
    ApprovalItem,
    CompactionItem,
  ],
  { error: "must be an item type that this server knows" },
);

/** An item of the input. */
export type InputItem = z.output<typeof message> | z.output<typeof others>;

export const InputItem = chosen<InputItem>((value) => {
  const { type = "message" } = (value ?? {}) as { type?: unknown };
  return type === "message" ? message : others;
});

const Format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text").describe("Any text") }),
  z.strictObject({
    type: z.literal("json_schema").describe("JSON of a schema"),
    name: optional(z.string().max(64)).describe("Name of the format, given back"),
    description: optional(z.string().max(4096)).describe("What it is for, given back"),
    schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the answer"),
    strict: optional(z.boolean()).describe("Given back: the server checks each answer anyway"),
  }),
]);

const FunctionTool = z.strictObject({
  type: z.literal("function", { error: HOSTED_TOOL }).describe("Kind of tool"),
  name: z.string().min(1).max(64).describe("Name that the model calls"),
  description: optional(z.string()).describe("What it does, for the model"),
  parameters: optional(z.record(z.string(), z.unknown())).describe("JSON Schema of its parameters"),
  strict: optional(z.boolean()).describe("Whether the model's service enforces the schema"),
});

const ChosenFunction = z.strictObject({
  type: z.literal("function").describe("Kind of tool"),
  name: z.string().describe("Name of the function"),
});

const model = z.string().min(1).max(255).meta({ example: "agent/helper" });

/** The body of a new response. */
export const CreateResponse = z.strictObject({
  model: model.describe("The agent that answers: its id or name, which `agent/` may come before"),
  input: textOr(InputItem, 1).describe("A user's message, or items").meta({ example: "Hello!" }),
  instructions: optional(z.string()).describe("Instructions for this response alone"),
  previous_response_id: optional(z.string().max(64)).describe("The response that it continues"),
  conversation: optional(
    z.union([
      z.string().max(64),
      z.strictObject({ id: z.string().max(64).describe("Id of the conversation") }),
    ]),
  ).describe("The conversation that it continues"),
  tools: optional(z.array(FunctionTool).max(64)).describe("Functions of the caller"),
  tool_choice: optional(z.union([z.enum(["auto", "none", "required"]), ChosenFunction])).describe(
    "Which of them is called: auto by default",
  ),
  parallel_tool_calls: optional(z.boolean()).describe("Whether several may be called at once"),
  max_output_tokens: optional(z.int().min(16).max(1_000_000)).describe(
    "Most tokens of each step, reasoning included",
  ),
  temperature: optional(z.number().min(0).max(2)).describe("Temperature; the agent's by default"),
  text: optional(
    z.strictObject({
      format: optional(Format).describe("Format of the answer"),
      verbosity: only(["medium"], "must be medium: models have no other"),
    }),
  ).describe("What the answer must be"),
  reasoning: optional(
    z.strictObject({
      effort: optional(z.enum(["none", "minimal", "low", "medium", "high"])).describe(
        "How much the model reasons",
      ),
      summary: optional(z.enum(["auto", "concise", "detailed"])).describe("Given back"),
    }),
  ).describe("Effort of the reasoning; the agent's by default"),
  metadata: MetadataPairs.describe("At most 16 pairs, given back"),
  stream: optional(z.boolean()).describe("Whether to answer with Server-Sent Events"),
  stream_options: optional(
    z.strictObject({
      include_obfuscation: only([false], "must be false: events are not padded"),
    }),
  ).describe("How events are sent"),
  background: optional(z.boolean()).describe("Whether to answer at once, and to work on"),
  store: optional(z.boolean()).describe(
    "Whether it stays, true by default: what is not stored is erased within a minute after its end",
  ),
  include: optional(
    z.array(z.string()).max(0, { error: "must be empty: nothing more can be included" }),
  ).describe("Empty"),
  truncation: only(["auto"], "must be auto: what does not fit is summarized or left out"),
  safety_identifier: optional(z.string().max(64)).describe("Given back"),
  prompt_cache_key: optional(z.string().max(64)).describe("Given back: prompts are cached anyway"),
  user: optional(z.string().max(255)).describe("Given back"),
  ...noOther,
  max_tool_calls: only([], "is not supported: agents have a number of steps"),
});
export type CreateResponse = z.output<typeof CreateResponse>;

/** The body of a compaction: what was said, as items, by a response, or both. */
export const CompactResponse = z.strictObject({
  model: model.describe("The agent whose model summarises, as in a response"),
  input: textOrNone(InputItem)
    .describe("What was said: a user's message, or items")
    .meta({ example: "Hello!" }),
  instructions: optional(z.string()).describe("Instructions that held: they are summarised too"),
  previous_response_id: optional(z.string().max(64)).describe(
    "The response up to which its conversation is summarised, before the input",
  ),
  prompt_cache_key: optional(z.string().max(64)).describe("Given back: prompts are cached anyway"),
  service_tier: noOther.service_tier,
});
export type CompactResponse = z.output<typeof CompactResponse>;
