import * as z from "zod";
import { AgentParams } from "../agents/agents.ts";
import type { DoorEndpoint } from "../endpoint.ts";
import { AnyJson, countValues } from "../parsing/json.ts";
import { valueBounds } from "../parsing/json-schemas.ts";
import { fitsBytes, optional, Reference } from "../parsing/text.ts";

/** Messages of a request: the server has the history, and reads the last ones alone. */
const MAX_MESSAGES = 10_000;
const MAX_TOOLS = 64;

/** Of the state and of the properties of a run: together they are metadata of its answer. */
const MAX_STATE_BYTES = 15 * 1024;
const MAX_STATE_VALUES = 200;

const ofApplication = AnyJson.refine(
  (value) => fitsBytes(JSON.stringify(value ?? null), MAX_STATE_BYTES),
  { error: `must be at most ${MAX_STATE_BYTES} bytes of JSON` },
)
  .refine(
    (value) => countValues(JSON.stringify(value ?? null), MAX_STATE_VALUES) <= MAX_STATE_VALUES,
    { error: `must hold at most ${MAX_STATE_VALUES} values` },
  )
  .register(valueBounds, { maxValues: MAX_STATE_VALUES })
  .optional();

/** A request for a run of AG-UI 1.0. Members that it does not know are refused by name. */
export const RunAgentInput = z.strictObject({
  threadId: Reference.describe(
    "Id of the thread: that of a conversation, or one of the application's own",
  ).meta({ example: "thread-1" }),
  runId: Reference.describe(
    "Id of the run; the same run again is not executed again, but sent again",
  ).meta({ example: "run-1" }),
  protocolVersion: optional(z.string().max(32))
    .describe("Version of the protocol")
    .meta({ example: "1.0" }),
  parentRunId: optional(z.string().max(255)).describe("Run that led to this one; not used"),
  messages: z
    .array(z.looseObject({ role: z.string().describe("Who says it") }))
    .max(MAX_MESSAGES)
    .describe("The thread: its last message is taken, or the tool messages at its end")
    .meta({ example: [{ id: "1", role: "user", content: "Hello!" }] }),
  tools: optional(
    z
      .array(
        z.looseObject({
          name: z.string().describe("Name of the tool"),
          description: optional(z.string()).describe("What it does"),
          parameters: z.unknown().describe("JSON Schema of its parameters"),
        }),
      )
      .max(MAX_TOOLS),
  )
    .describe("Tools of the application, which it runs itself")
    .meta({ example: [] }),
  context: optional(
    z
      .array(
        z.looseObject({
          description: z.string().describe("What it is"),
          value: z.string().describe("The value"),
        }),
      )
      .max(100),
  )
    .describe("What the agent is told for this answer")
    .meta({ example: [] }),
  state: ofApplication
    .describe(
      "State of the application: the run begins with it, and the answer keeps it as metadata",
    )
    .meta({ example: {} }),
  forwardedProps: ofApplication
    .describe("Properties of the application: the answer keeps them as metadata")
    .meta({ example: {} }),
  resume: optional(
    z
      .array(
        z.looseObject({
          interruptId: Reference.describe("Id of the interrupt"),
          status: z.enum(["resolved", "cancelled"]).describe("What became of it"),
          payload: z.unknown().describe("The answer, by the interrupt's schema"),
        }),
      )
      .max(100),
  )
    .describe("Answers to the interrupts of the run before")
    .meta({ example: [] }),
});
export type RunAgentInput = z.output<typeof RunAgentInput>;

/** An event of AG-UI. */
const AgUiEvent = z.looseObject({
  type: z.string().describe("Kind of event").meta({ example: "TEXT_MESSAGE_CONTENT" }),
});

/** Operations of AG-UI. */
export const agUiDoors = {
  "agUi.run": {
    kind: "door",
    tags: ["ag-ui"],
    status: 200,
    role: "user",
    specified: false,
    method: "POST",
    // A run has a key of its own: its id.
    onlyReads: true,
    rateLimit: "create",
    scope: "conversations:write",
    summary: "Run an agent (AG-UI)",
    path: "/api/v1/w/{wId}/assistant/agent_configurations/{sId}/ag-ui",
    params: AgentParams,
    body: RunAgentInput,
    event: AgUiEvent,
    errors: [
      "agent_not_found",
      "conversation_not_found",
      "message_not_found",
      "model_disabled",
      "budget_exceeded",
      "idempotency_key_in_use",
      "idempotency_key_mismatch",
    ],
  },
} as const satisfies Record<string, DoorEndpoint>;
