import * as z from "zod";
import { AgentTarget, FunctionTarget } from "../launches/launches.ts";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { StoredTriggerSource, TriggerSource } from "./trigger-sources.ts";

/** Triggers of a workspace at most. */
export const MAX_TRIGGERS = 200;
/** The largest body of an event. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024;
/** Events of a trigger that wait at most: further ones are refused until some have ended. */
export const MAX_WAITING_EVENTS = 10_000;
/** Events of a trigger of which the content is kept: of older ones their keys alone are. */
export const MAX_KEPT_EVENTS = 1000;
/** How long what was received is kept: for as long, an event with a key happens once. */
export const EVENT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_EXPRESSION_CHARACTERS = 10_000;
const MAX_SOURCE_CHARACTERS = 100_000;
const MAX_EVENTS_PER_MINUTE = 6000;
/** Seconds for which an earlier secret may be used beside the new one. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;
const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;

const expression = text(MAX_EXPRESSION_CHARACTERS, 1);

/** Which events count, and what is made of one. */
export const TriggerMapping = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("jsonata").describe("JSONata expressions over the event"),
      filter: optional(expression).describe("Whether the event counts; every one by default").meta({
        example: "body.action = 'opened'",
      }),
      message: optional(expression)
        .describe("What is made of it; the body by default")
        .meta({ example: "'A new issue: ' & body.issue.title" }),
    }),
    z.object({
      type: z.literal("javascript").describe("A module, run in the sandbox"),
      source: text(MAX_SOURCE_CHARACTERS, 1)
        .describe(
          "A module with a default export: a function of the event, which gives what is made of it, or null to ignore it",
        )
        .meta({ example: "export default ({ body }) => `A new issue: ${body.issue.title}`" }),
    }),
  ])
  .meta({ example: { type: "jsonata", message: "'A new issue: ' & body.issue.title" } });
export type TriggerMapping = z.output<typeof TriggerMapping>;

/** The same as it is shown: what was left out has no member. */
const ShownMapping = z
  .discriminatedUnion("type", [
    TriggerMapping.options[0].extend({
      filter: z.string().optional().describe("Whether the event counts"),
      message: z.string().optional().describe("What is made of it"),
    }),
    TriggerMapping.options[1],
  ])
  .meta({ example: { type: "jsonata", message: "'A new issue: ' & body.issue.title" } });

/** What an event starts: one of its members is there. */
export interface TriggerTarget {
  readonly agent?: AgentTarget | undefined;
  readonly function?: FunctionTarget | undefined;
}
const target = {
  agent: optional(AgentTarget).describe(
    "The agent that answers, if it starts one: what is made of an event is its message",
  ),
  function: optional(FunctionTarget)
    .describe(
      "The function that is invoked, if it starts one: what is made of an event is its input",
    )
    .meta({ example: null }),
};

/** An agent as it was given: what was left out has no member. */
const ShownAgent = AgentTarget.extend({
  agentVersion: z.int().nullable().describe("Version of the agent; null follows its changes"),
  conversationId: z
    .string()
    .nullable()
    .describe("Conversation that goes on; null begins a new one each time"),
  title: z.string().optional().describe("Title of new conversations"),
  spaceId: z.string().optional().describe("Space of new conversations"),
  email: z.string().optional().describe("E-mail address of the member whose conversation it is"),
});

const ShownFunction = FunctionTarget.extend({
  functionVersion: z.int().nullable().describe("Version of the function; null follows its changes"),
});

const secret = text(255, 8).regex(/^[\u0021-\u007e]+$/, {
  error: "must be printable ASCII without spaces",
});

const keyId = Reference.describe("Key of the workspace that it acts for").meta({
  example: "key_Rn4Vb8Tq2M",
});

const settings = {
  name: text(255, 1).describe("Name of the trigger").meta({ example: "New issues" }),
  description: text(1024).default("").describe("What it is for; nothing by default").meta({
    example: "",
  }),
  source: TriggerSource.describe("How the sender of an event proves who it is"),
  ...target,
  mapping: TriggerMapping.nullable()
    .default(null)
    .describe("Which events count, and what is made of one; every event, and its body, by default"),
  keyExpression: expression
    .nullable()
    .default(null)
    .describe(
      "JSONata expression over the event that gives its key, if the source sends none; nothing by default",
    )
    .meta({ example: null }),
  eventsPerMinute: z
    .int()
    .min(1)
    .max(MAX_EVENTS_PER_MINUTE)
    .default(300)
    .describe("Events of a minute at most; 300 by default"),
  maxBytes: z
    .int()
    .min(1)
    .max(MAX_EVENT_BYTES)
    .default(MAX_EVENT_BYTES)
    .describe("Bytes of an event's body at most; 2 MiB by default"),
};

export const TriggerDisabledFor = z
  .enum(["request", "key_revoked"])
  .describe(
    "Why it is off: somebody switched it off (`request`), or the key that it acts for was revoked (`key_revoked`)",
  );
export type TriggerDisabledFor = z.infer<typeof TriggerDisabledFor>;

/** A trigger, without its secret. */
export const Trigger = z.object({
  sId: z.string().describe("Id of the trigger").meta({ example: "trg_Ue5Cs9Fi3K" }),
  name: z.string().describe("Its name").meta({ example: "New issues" }),
  description: z.string().describe("What it is for").meta({ example: "" }),
  source: StoredTriggerSource.describe("How the sender of an event proves who it is"),
  url: z.string().describe("Where events are sent; a secret in the URL is left out").meta({
    example: "https://parley.example.com/api/v1/w/Ab3dE5fG7h/triggers/signed/trg_Ue5Cs9Fi3K",
  }),
  agent: ShownAgent.nullable()
    .describe("The agent that an event starts")
    .meta({ example: { agentId: "helper", agentVersion: null, conversationId: null } }),
  function: ShownFunction.nullable()
    .describe("The function that an event starts")
    .meta({ example: null }),
  mapping: ShownMapping.nullable().describe("Which events count, and what is made of one"),
  keyExpression: z
    .string()
    .nullable()
    .describe("Expression that gives the key of an event")
    .meta({ example: null }),
  onceBy: z
    .string()
    .nullable()
    .describe(
      "What an event is known by, of which each starts something once in seven days; null: every request starts something",
    )
    .meta({ example: "the header X-GitHub-Delivery" }),
  eventsPerMinute: z.int().describe("Events of a minute at most").meta({ example: 300 }),
  maxBytes: z.int().describe("Bytes of an event's body at most").meta({ example: 2_097_152 }),
  keyId: z
    .string()
    .nullable()
    .describe("Key that it acts for; null once that is deleted")
    .meta({ example: "key_Rn4Vb8Tq2M" }),
  disabledFor: TriggerDisabledFor.nullable()
    .describe("Why it is off; null while it is on")
    .meta({ example: null }),
  disabledAt: Milliseconds.nullable().describe("When it was switched off").meta({ example: null }),
  lastEventAt: Milliseconds.nullable().describe("When its last event was received"),
  failingSince: Milliseconds.nullable()
    .describe("Since when every event has failed; null if the last one did not")
    .meta({ example: null }),
  previousSecretUntil: Milliseconds.nullable()
    .describe("Until when the secret before the last rotation is accepted too")
    .meta({ example: null }),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type Trigger = z.infer<typeof Trigger>;

export const AdministeredTrigger = z.object({ trigger: Trigger.describe("The trigger") });
export const TriggerWithSecret = AdministeredTrigger.extend({
  secret: z
    .string()
    .describe("Its secret, shown only now")
    .meta({ example: "Zm9yIGFuIGV4YW1wbGUgb2YgYSBzZWNyZXQ" }),
  url: z.string().describe("Where events are sent, with a secret that belongs to the URL").meta({
    example: "https://parley.example.com/api/v1/w/Ab3dE5fG7h/triggers/signed/trg_Ue5Cs9Fi3K",
  }),
});
export type TriggerWithSecret = z.infer<typeof TriggerWithSecret>;

const givenSecret = optional(secret)
  .describe(
    "Secret of a signed source, if its provider made it; a new one by default. A secret in a URL is always new",
  )
  .meta({ example: null });

export const CreateTrigger = WorkspaceParams.extend({
  ...settings,
  secret: givenSecret,
  keyId: optional(keyId).describe(
    "Key of the workspace that it acts for; the caller's own, or for an operator the oldest admin's, by default",
  ),
});
export type CreateTrigger = z.output<typeof CreateTrigger>;

const triggerId = Reference.describe("Id of the trigger").meta({ example: "trg_Ue5Cs9Fi3K" });
export const TriggerIdentity = WorkspaceParams.extend({ triggerId });
export type TriggerIdentity = z.output<typeof TriggerIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedTrigger = TriggerIdentity.extend({ version });
export type VersionedTrigger = z.output<typeof VersionedTrigger>;

export const UpdateTrigger = VersionedTrigger.extend({
  name: optional(settings.name).describe("Name of the trigger").meta({ example: "New issues" }),
  description: optional(text(1024)).describe("What it is for").meta({ example: "" }),
  agent: target.agent.describe("The agent that an event starts, in place of what it started"),
  function: target.function.describe(
    "The function that an event starts, in place of what it started",
  ),
  mapping: TriggerMapping.nullish().describe(
    "Which events count, and what is made of one; null for every event, and its body",
  ),
  keyExpression: expression
    .nullish()
    .describe("JSONata expression that gives the key of an event; null for none")
    .meta({ example: null }),
  eventsPerMinute: optional(z.int().min(1).max(MAX_EVENTS_PER_MINUTE)).describe(
    "Events of a minute at most",
  ),
  maxBytes: optional(z.int().min(1).max(MAX_EVENT_BYTES)).describe(
    "Bytes of an event's body at most",
  ),
  isEnabled: optional(z.boolean()).describe("Switches it on or off"),
  keyId: optional(keyId).describe(
    "Key that it acts for from now on: of a builder's changes it is the builder's own",
  ),
});
export type UpdateTrigger = z.output<typeof UpdateTrigger>;

export const RotateTriggerSecret = TriggerIdentity.extend({
  secret: givenSecret,
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(DEFAULT_OVERLAP_SECONDS)
    .describe("How long the secret before is accepted too; a day by default"),
});
export type RotateTriggerSecret = z.output<typeof RotateTriggerSecret>;
