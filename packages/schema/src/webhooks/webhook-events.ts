import * as z from "zod";
import { ReachedBudget } from "../conversations/message-events.ts";
import { exampleOf } from "../examples.ts";
import { webhookSummaries } from "./webhook-summaries.ts";

const id = (what: string, example: string) =>
  z.string().describe(`Id of the ${what}`).meta({ example });
const conversationId = id("conversation", "Kd82jXq0Pz");
const agentId = id("agent", "Hp5Zt1Lm8V");
const ofMessage = { conversationId, messageId: id("agent's message", "Vn4tR9sWy1"), agentId };
const ofCall = { ...ofMessage, actionId: id("tool call", "act_Qz7Rk2Wd4B") };
const ofInvocation = {
  invocationId: id("invocation", "sfi_Bx3Vn6Ya9T"),
  functionId: id("function", "sfn_Jd8Gm4Pc1S"),
};
const ofConversation = { conversationId };
const ofWebhook = {
  webhookId: id("webhook", "whk_Ue5Cs9Fi3K"),
  reason: z.string().describe("Why it was switched off").meta({ example: "failing" }),
};

const ofIncident = {
  incidentId: id("incident", "inc_Vw4Bn7Rd1S"),
  alertId: z
    .string()
    .describe("Id of the alert, or name of a built-in one")
    .meta({ example: "error-rate" }),
  name: z.string().describe("Name of the alert").meta({ example: "Many answers fail" }),
  measure: z.string().describe("What it looks at").meta({ example: "error_rate" }),
  threshold: z.number().describe("Threshold of the alert").meta({ example: 10 }),
  value: z.number().describe("The measure").meta({ example: 24 }),
};

/** A row of the table: what an event says beside its time, and the event of a log that it is, if it is one. */
interface EventRow {
  readonly summary: string;
  readonly data: z.ZodRawShape;
  /** The type that the log of an answer or an invocation has for it, and the code of the error if only that counts. */
  readonly logged?: string;
  readonly code?: string;
}

const rows = {
  "conversation.created": { data: ofConversation },
  "conversation.deleted": { data: ofConversation },
  "message.succeeded": {
    data: ofMessage,
    logged: "agent_message_success",
  },
  "message.failed": {
    data: ofMessage,
    logged: "agent_error",
  },
  "message.cancelled": {
    data: ofMessage,
    logged: "agent_generation_cancelled",
  },
  "approval.requested": {
    data: ofCall,
    logged: "tool_approve_execution",
  },
  "approval.decided": {
    data: {
      ...ofCall,
      decision: z.enum(["approved", "rejected", "always_approved"]).describe("The decision"),
    },
  },
  "question.asked": {
    data: ofCall,
    logged: "tool_ask_user_question",
  },
  "authorization.requested": {
    data: ofCall,
    logged: "tool_personal_auth_required",
  },
  "outputs.requested": {
    data: ofCall,
    logged: "tool_output_required",
  },
  "invocation.succeeded": {
    data: ofInvocation,
    logged: "sandbox_function_invocation_result",
  },
  "invocation.failed": {
    data: ofInvocation,
    logged: "sandbox_function_invocation_error",
  },
  "budget.reached": {
    data: { ...ofMessage, budgets: z.array(ReachedBudget).describe("The budgets") },
    logged: "agent_message_budget",
  },
  "budget.exceeded": {
    data: ofMessage,
    logged: "agent_error",
    code: "budget_exceeded",
  },
  "alert.opened": { data: ofIncident },
  "alert.closed": {
    data: {
      ...ofIncident,
      reason: z
        .enum(["recovered", "changed"])
        .describe("Why it ended")
        .meta({ example: "recovered" }),
    },
  },
  "webhook.disabled": { data: ofWebhook },
} as const satisfies Record<WebhookEventName, Omit<EventRow, "summary">>;

export type WebhookEventName = keyof typeof webhookSummaries;

// The table has these members.
export const webhookEventNames = Object.keys(rows) as [WebhookEventName, ...WebhookEventName[]];

/** Every event that webhooks can be told of, by its name. */
export const webhookEvents = Object.fromEntries<EventRow>(
  webhookEventNames.map((name) => [name, { summary: webhookSummaries[name], ...rows[name] }]),
) as Readonly<Record<WebhookEventName, EventRow>>;

/** The name of a webhooks' event. */
export const WebhookEventName = z.enum(webhookEventNames);

/** Events of logs that are webhooks' events: the type in the log, the code of its error if only that counts, and the name. */
export const loggedWebhookEvents: readonly {
  readonly type: string;
  readonly code: string | undefined;
  readonly name: WebhookEventName;
}[] = webhookEventNames.flatMap((name) => {
  const { logged: type, code } = webhookEvents[name];
  return type === undefined ? [] : [{ type, code, name }];
});

/** The version of the payloads: their members are only added to. */
export const WEBHOOK_VERSION = 1;

/** The schema of the JSON that is delivered for an event. */
export function webhookPayload(name: WebhookEventName) {
  return z.object({
    type: z.literal(name).describe("What happened"),
    timestamp: z.iso
      .datetime()
      .describe("When it happened")
      .meta({ example: "2026-11-28T09:30:00.000Z" }),
    version: z.literal(WEBHOOK_VERSION).describe("Version of the payload"),
    data: z
      .object({
        workspaceId: id("workspace", "Ab3dE5fG7h"),
        ...webhookEvents[name].data,
        isSample: z.literal(true).optional().describe("Whether it only tests the webhook"),
        event: z
          .record(z.string(), z.unknown())
          .optional()
          .describe(
            "The event of the stream, if the webhook has content switched on and it is of at most 256 KiB",
          ),
      })
      .describe("What it is about"),
  });
}

/** What is delivered for an event, by its `type`; without a name, for any of them. */
export type WebhookPayload<Name extends WebhookEventName = WebhookEventName> = {
  readonly [N in Name]: {
    readonly type: N;
    /** When it happened, in ISO 8601. */
    readonly timestamp: string;
    readonly version: typeof WEBHOOK_VERSION;
    readonly data: Readonly<z.infer<z.ZodObject<(typeof rows)[N]["data"]>>> & {
      readonly workspaceId: string;
      /** Only of samples. */
      readonly isSample?: true;
      /** The event of the stream, if the webhook sends content. */
      readonly event?: Readonly<Record<string, unknown>>;
    };
  };
}[Name];

/** Ids as an event of this name has them, of things that do not exist. */
export function webhookSample(name: WebhookEventName): Record<string, unknown> {
  return exampleOf(z.object(webhookEvents[name].data));
}
