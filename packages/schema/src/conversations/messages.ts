import * as z from "zod";
import { Milliseconds, optional, Reference, ShortText, textOfBytes } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { AgentConfiguration } from "../agents/agents.ts";
import { ReasoningEffort } from "../workspaces/models.ts";
import { ResponseFormat } from "../workspaces/response-formats.ts";
import { User } from "../access/members.ts";
import { ContentFragment, CreateContentFragment } from "./content-fragments.ts";
import { Citation } from "./citations.ts";
import { answerSettings } from "./function-tools.ts";
import { Context, MessageContext } from "./message-contexts.ts";

export const Mention = z.object({
  configurationId: Reference.describe("Id of the mentioned agent").meta({ example: "helper" }),
});

export const ModelSelection = z.object({
  providerId: ShortText.min(1).describe("Provider of the model").meta({ example: "simulated" }),
  modelId: ShortText.min(1).describe("Model of the provider").meta({ example: "simulated" }),
  reasoningEffort: optional(ReasoningEffort).describe(
    "The agent's own by default; ignored if the model does not support it",
  ),
});
export type ModelSelection = z.output<typeof ModelSelection>;

/** A message as a client sends it. */
export const CreateMessage = z.object({
  content: textOfBytes(1024 * 1024)
    .describe("Text of the message")
    .meta({ example: "Hello!" }),
  mentions: z.array(Mention).max(50).describe("Agents that should answer; may be empty"),
  context: optional(Context)
    .describe("Who wrote the message")
    .meta({ example: { username: "ada", timezone: "Europe/London" } }),
  modelSelection: optional(ModelSelection).describe("Model to use instead of the agents' own"),
  responseFormat: optional(ResponseFormat).describe(
    "What the answers must be; by default what each agent's are",
  ),
  ...answerSettings,
});
export type CreateMessage = z.output<typeof CreateMessage>;

const shared = {
  id: z.int().describe("Number of the message").meta({ example: 1 }),
  sId: z.string().describe("Id of the message").meta({ example: "Mf6yC1vB8k" }),
  visibility: z.enum(["visible", "deleted"]).describe("Whether the message is shown"),
  version: z.int().describe("Number of the version, from 0").meta({ example: 0 }),
  created: Milliseconds.describe("When the message was created"),
};

/** A user's message in a conversation. */
export const UserMessage = z.object({
  type: z.literal("user_message").describe("Kind of message"),
  ...shared,
  user: User.describe("The author: a member, or the key's service user"),
  mentions: z.array(Mention).describe("Agents that were mentioned"),
  content: z.string().describe("Text of the message").meta({ example: "Hello!" }),
  context: MessageContext.describe("Who wrote the message"),
});
export type UserMessage = z.infer<typeof UserMessage>;

export const GeneratedFile = z.object({
  fileId: z.string().nullable().describe("Id of the file; null if it is identified by its path"),
  filePath: z
    .string()
    .describe("Path of the file, unique in its conversation")
    .meta({ example: "conversation/chart.png" }),
  title: z.string().describe("Title of the file"),
  contentType: z.string().describe("MIME type"),
  snippet: z.string().nullable().describe("Beginning of the text"),
  hidden: z.boolean().describe("Whether the file is hidden from lists"),
  isInProjectContext: z.boolean().describe("Whether the file belongs to the project"),
});

export type GeneratedFile = z.infer<typeof GeneratedFile>;

/** One tool call of an agent. */
export const Action = z.object({
  type: z.literal("tool_action").describe("Kind of action"),
  id: z.int().describe("Number of the action"),
  sId: z.string().describe("Id of the action"),
  createdAt: Milliseconds.describe("When the call was created"),
  updatedAt: Milliseconds.describe("When the call last changed"),
  mcpServerId: z.string().nullable().describe("MCP server of the tool"),
  internalMCPServerName: z.string().nullable().describe("Name of a built-in MCP server"),
  toolName: z.string().describe("Name of the tool").meta({ example: "orders" }),
  agentMessageId: z.int().describe("Number of the agent message"),
  functionCallName: z.string().describe("Name that the model called"),
  functionCallId: z.string().describe("Id of the call from the model"),
  status: z
    .string()
    .describe(
      "running, blocked_validation_required, blocked_user_answer_required, blocked_client_output_required, succeeded, " +
        "errored or denied",
    ),
  params: z.record(z.string(), z.unknown()).describe("Parameters of the call"),
  step: z.int().describe("Step of the turn, from 0"),
  executionDurationMs: z.int().nullable().describe("Duration of the call in milliseconds"),
  citationsAllocated: z.int().describe("Number of citations"),
  output: z.array(z.unknown()).nullable().describe("MCP content that the tool returned"),
  generatedFiles: z.array(GeneratedFile).describe("Files that the call generated"),
  displayLabels: z.record(z.string(), z.unknown()).nullable().describe("Labels to show"),
});
export type Action = z.infer<typeof Action>;

export const AgentMessageStatus = z.enum(["created", "succeeded", "failed", "cancelled"]);

/** Why an answer ended. */
export const FinishReason = z.enum(["stop", "length", "content_filter", "empty"]);
export type FinishReason = z.infer<typeof FinishReason>;

/** Why an agent message failed, as shown by streams and sibling routes. */
export const AgentError = z.object({
  code: z.string().describe("Stable code"),
  message: z.string().describe("What failed"),
  metadata: z.record(z.string(), z.unknown()).nullable().describe("Details"),
});
export type AgentError = z.infer<typeof AgentError>;

/** A part of a prompt that a model was not given as it was sent. */
export const PromptNote = z.object({
  code: z.string().describe("Stable code").meta({ example: "file_type_not_taken" }),
  fileId: z
    .string()
    .nullable()
    .describe("Id of the file; null for several")
    .meta({ example: "fil_Zk7Qm2Lx9C" }),
  title: z.string().describe("Title of the file").meta({ example: "cat.png" }),
  message: z.string().describe("What was not given, and why").meta({
    example:
      '"cat.png" was not given to simulated-1: the model does not take files of type image/png',
  }),
});
export type PromptNote = z.infer<typeof PromptNote>;

const agentMessageShape = {
  type: z.literal("agent_message").describe("Kind of message"),
  ...shared,
  id: shared.id.meta({ example: 2 }),
  sId: shared.sId.meta({ example: "Vn4tR9sWy1" }),
  agentMessageId: z.int().describe("Number of the agent message, equal to id").meta({ example: 2 }),
  parentMessageId: z
    .string()
    .describe("Id of the user message that is answered")
    .meta({ example: "Mf6yC1vB8k" }),
  parentAgentMessageId: z.string().nullable().describe("Id of the agent message that asked"),
  configuration: AgentConfiguration.describe("The agent, as it was when mentioned"),
  status: AgentMessageStatus.describe("Status of the answer"),
  actions: z.array(Action).describe("Tool calls of the turn"),
  content: z
    .string()
    .describe("Text of the answer; empty until there is some")
    .meta({ example: "" }),
  chainOfThought: z.string().nullable().describe("Reasoning of the model"),
  rawContents: z
    .array(
      z.object({
        step: z.int().describe("Step of the turn, from 0"),
        content: z.string().describe("Text of the step"),
      }),
    )
    .describe("Text of each step"),
  finishReason: FinishReason.nullable()
    .optional()
    .describe(
      "Why the answer ended: stop, by itself; length, cut off at the token limit; content_filter, withheld by " +
        "the model provider; empty, without text. Null before it ends, or if the reason is unknown",
    ),
  notes: z
    .array(PromptNote)
    .optional()
    .describe("What the model was not given as it was sent, such as a file that it does not take"),
  citations: z
    .array(Citation)
    .optional()
    .describe("The parts of documents that the answer was given, to which its text refers as [1]"),
  structuredOutput: z
    .unknown()
    .optional()
    .describe("The value of an answer in a response format, whose JSON is the content"),
};

/** An agent's message as streams and sibling routes show it. */
export const AgentMessage = z.object({
  ...agentMessageShape,
  error: AgentError.nullable().describe("Why the answer failed"),
});
export type AgentMessage = z.infer<typeof AgentMessage>;

/** An agent's message as the specified operations show it: `error` is a string. */
export const SpecifiedAgentMessage = z.object({
  ...agentMessageShape,
  error: z.string().nullable().describe("Why the answer failed"),
});

/** One message of a conversation. */
export const ConversationMessage = z.union([UserMessage, AgentMessage, ContentFragment]);
export type ConversationMessage = z.infer<typeof ConversationMessage>;

export const SpecifiedConversationMessage = z.union([
  UserMessage,
  SpecifiedAgentMessage,
  ContentFragment,
]);
export type SpecifiedConversationMessage = z.infer<typeof SpecifiedConversationMessage>;

/** Body of a message posted to a conversation. */
export const PostMessage = CreateMessage.extend({
  blocking: optional(z.boolean()).describe("Whether to wait for the agents' answers"),
  skipToolsValidation: optional(z.boolean()).describe("Whether tools run without validation"),
  contentFragment: optional(CreateContentFragment).describe(
    "Context that comes before the message",
  ),
  contentFragments: optional(z.array(CreateContentFragment).max(100)).describe(
    "Further context that comes before the message",
  ),
  afterMessageId: optional(Reference).describe(
    "The message that must be the conversation's newest; not checked by default",
  ),
});
export type PostMessage = z.output<typeof PostMessage>;

/** Body of an edit of a user's message. */
export const EditMessage = CreateMessage.pick({ content: true, mentions: true }).extend({
  skipToolsValidation: PostMessage.shape.skipToolsValidation,
});
export type EditMessage = z.output<typeof EditMessage>;

export const PostedMessage = z.object({
  message: UserMessage.describe("The user message"),
  agentMessages: z.array(AgentMessage).describe("The answers, in the order of the mentions"),
  warnings,
});
export type PostedMessage = z.infer<typeof PostedMessage>;
