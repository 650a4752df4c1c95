import * as z from "zod";
import { Milliseconds, optional, Reference, textOfBytes } from "../parsing/text.ts";
import { Stake } from "../tools/tool-connections.ts";

/** Which answers have led to a task. */
export const TaskPath = z.array(
  z.object({
    conversationId: z.string().describe("Its conversation").meta({ example: "Kd82jXq0Pz" }),
    messageId: z.string().describe("The answer that asked").meta({ example: "Vn4tR9sWy1" }),
    agentId: z.string().describe("Id of the agent that asked").meta({ example: "helper" }),
    agentName: z.string().describe("Name of the agent").meta({ example: "helper" }),
    actionId: z
      .string()
      .nullable()
      .describe("Its call that asked; null if it handed over")
      .meta({ example: "act_8hJ3kQ5vXz" }),
    step: z.int().nullable().describe("Step of the call").meta({ example: 0 }),
  }),
);
export type TaskPath = z.infer<typeof TaskPath>;

/** A tool call that needs an approval. */
const approvalShape = {
  created: Milliseconds.describe("When the call was created"),
  configurationId: z.string().describe("Id of the agent").meta({ example: "helper" }),
  messageId: z.string().describe("Id of the agent message").meta({ example: "Vn4tR9sWy1" }),
  conversationId: z.string().describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
  actionId: z
    .string()
    .describe("Id of the tool call, to decide about it")
    .meta({ example: "act_Wm3Hc8Yp1J" }),
  inputs: z
    .record(z.string(), z.unknown())
    .describe("Parameters of the call")
    .meta({ example: { orderId: "1042" } }),
  stake: Stake,
  metadata: z
    .object({
      agentName: z.string().describe("Name of the agent").meta({ example: "helper" }),
      icon: z
        .string()
        .optional()
        .describe("Name of an icon")
        .meta({ example: "ActionCommandIcon" }),
      mcpServerName: z
        .string()
        .describe("Where the tool is")
        .meta({ example: "sandbox_functions" }),
      toolName: z.string().describe("Name of the tool").meta({ example: "refund" }),
    })
    .describe("What to show"),
  userId: z.string().optional().describe("Id of the user whose message is answered"),
  isLastBlockingEventForStep: z
    .boolean()
    .optional()
    .describe("Whether it is the last call announced by the step")
    .meta({ example: true }),
  path: TaskPath.optional()
    .describe("Of a call in a task, the answers that have led to it, from the first one on")
    .meta({ example: [] }),
};

/** Announces a tool call that waits for approval. */
export const ToolApproval = z.object({
  type: z.literal("tool_approve_execution").describe("Kind of event"),
  ...approvalShape,
});
export type ToolApproval = z.infer<typeof ToolApproval>;

/** A question of an agent to its user. */
export const UserQuestion = z.object({
  question: z.string().describe("The question").meta({ example: "Which size?" }),
  options: z
    .array(
      z.object({
        label: z.string().describe("The option").meta({ example: "Large" }),
        description: z.string().nullable().describe("What it means"),
      }),
    )
    .describe("Answers to choose from; empty if any text is accepted"),
  multiSelect: z.boolean().describe("Whether several options may be chosen"),
});
export type UserQuestion = z.infer<typeof UserQuestion>;

/** Announces that an agent asks its user, and waits for the answer. */
export const ToolQuestion = z.object({
  type: z.literal("tool_ask_user_question").describe("Kind of event"),
  ...approvalShape,
  question: UserQuestion.describe("What the agent asks"),
});
export type ToolQuestion = z.infer<typeof ToolQuestion>;

/** Announces a tool call that waits until its user lets the tool's server be called. */
export const ToolAuthorizationRequired = z.object({
  type: z.literal("tool_personal_auth_required").describe("Kind of event"),
  ...approvalShape,
  metadata: approvalShape.metadata
    .extend({
      mcpServerId: z.string().describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
      mcpServerDisplayName: z.string().describe("Name of the tool").meta({ example: "orders" }),
    })
    .describe("What to show"),
  authError: z
    .object({
      mcpServerId: z.string().describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
      message: z
        .string()
        .describe("What to tell the user")
        .meta({ example: "orders can only be called for you once you authorize it" }),
      provider: z.literal("mcp").describe("Who asks: the MCP server's own authorization server"),
      scope: z.string().optional().describe("Requested scope").meta({ example: "orders:read" }),
      toolName: z.string().describe("Name of the tool").meta({ example: "find" }),
    })
    .describe("What is missing"),
});
export type ToolAuthorizationRequired = z.infer<typeof ToolAuthorizationRequired>;

const { stake: _stake, metadata: _metadata, ...ofCall } = approvalShape;

/** Announces a call of an application's own tool, which waits for the output. */
export const ToolOutputRequired = z.object({
  type: z.literal("tool_output_required").describe("Kind of event"),
  ...ofCall,
  functionCallId: z
    .string()
    .describe("Id of the call from the model")
    .meta({ example: "call_8Zq2LxVn" }),
  functionName: z.string().describe("Name of the tool").meta({ example: "find_order" }),
});
export type ToolOutputRequired = z.infer<typeof ToolOutputRequired>;

/** Characters of a request that a call shows at most. */
export const MAX_REQUEST_CHARACTERS = 1000;

/** Earlier decisions that a call shows at most. */
export const MAX_EARLIER_DECISIONS = 3;

/** What helps to decide about a call; the events do not have it. */
const ofBlocked = {
  request: z
    .object({
      messageId: z.string().describe("Id of the user message").meta({ example: "Mf6yC1vB8k" }),
      content: z
        .string()
        .describe(`Its text, of which the first ${MAX_REQUEST_CHARACTERS} characters`)
        .meta({ example: "Refund order 1042" }),
      isCut: z.boolean().describe("Whether there is more of the text").meta({ example: false }),
      username: z.string().describe("Who wrote it, as its context says").meta({ example: "ada" }),
      userName: z
        .string()
        .describe("Name of the member, or of the key's service user")
        .meta({ example: "Shop" }),
    })
    .optional()
    .describe("The message that led to the call"),
  earlierDecisions: z
    .array(
      z.object({
        decision: z
          .enum(["approved", "rejected", "always_approved"])
          .describe("What was decided")
          .meta({ example: "approved" }),
        by: z.string().describe("Who decided").meta({ example: "Shop" }),
        at: Milliseconds.describe("When it was decided"),
      }),
    )
    .optional()
    .describe(
      `Decisions about calls of the same tool in the conversation's newest messages, newest first, at most ${MAX_EARLIER_DECISIONS}`,
    ),
  toolDescription: z
    .string()
    .optional()
    .describe("What the tool or function does, as it is now")
    .meta({ example: "Refunds an order" }),
};

/** A tool call that waits for its user: for an approval, an answer, or to be let in. */
export const BlockedAction = z.discriminatedUnion("type", [
  ToolApproval.extend({
    ...ofBlocked,
    status: z.literal("blocked_validation_required").describe("What the call waits for"),
  }),
  ToolQuestion.extend({
    ...ofBlocked,
    status: z.literal("blocked_user_answer_required").describe("What the call waits for"),
  }),
  ToolAuthorizationRequired.extend({
    ...ofBlocked,
    status: z.literal("blocked_authentication_required").describe("What the call waits for"),
  }),
]);
export type BlockedAction = z.infer<typeof BlockedAction>;

/** Body of an answer to a question of an agent. */
export const AnswerQuestion = z.object({
  actionId: Reference.describe("Id of the tool call").meta({ example: "act_Wd6Jp1Xc4S" }),
  answer: z
    .object({
      selectedOptions: z
        .array(z.int().min(0).max(99))
        .max(100)
        .describe("Indexes of the chosen options, from 0")
        .meta({ example: [0] }),
      customResponse: optional(textOfBytes(65_536)).describe("An answer in the user's own words"),
    })
    .describe("The answer"),
});
export type AnswerQuestion = z.output<typeof AnswerQuestion>;

/** Body of a decision about a tool call that waits for approval. */
export const ValidateAction = z.object({
  actionId: Reference.describe("Id of the tool call").meta({ example: "act_Wd6Jp1Xc4S" }),
  approved: z
    .enum(["approved", "rejected", "always_approved"])
    .describe(
      "always_approved: later calls of the function or tool for the same user do not wait either, unless its stake is high",
    ),
  params: optional(z.record(z.string(), z.unknown()))
    .describe("Parameters to call it with instead of the model's; only with an approval")
    .meta({ example: { orderId: "1043" } }),
});
export type ValidateAction = z.output<typeof ValidateAction>;
