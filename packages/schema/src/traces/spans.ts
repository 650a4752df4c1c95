import * as z from "zod";
import { Cost } from "../conversations/consumption.ts";
import { Milliseconds } from "../parsing/text.ts";
import { TokenCounts } from "../usage/token-counts.ts";
import { ModelPair } from "../workspaces/models.ts";

/** What a span is of. */
export const SPAN_KINDS = [
  "answer",
  "invocation",
  "queue",
  "attempt",
  "step",
  "call",
  "wait",
  "backoff",
  "compaction",
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** Spans that a trace has at most. */
export const MAX_SPANS = 2000;
/** Characters of the parameters or of the result of a call that a trace shows at most. */
export const MAX_SPAN_TEXT = 16_384;
/** Of an answer with more calls than this, each shows only `MAX_SHORT_TEXT`. */
export const MAX_LONG_TEXTS = 64;
export const MAX_SHORT_TEXT = 1024;

/** A JSON text, or the beginning of one. */
export const SpanText = z.object({
  text: z.string().describe("JSON, or the beginning of it").meta({ example: '{"city":"Paris"}' }),
  isCut: z.boolean().describe("Whether this is only the beginning"),
});
export type SpanText = z.infer<typeof SpanText>;

const id = z.string().regex(/^[0-9a-f]{16}$/);

/** A part of the time that a run took. */
export const Span = z.object({
  id: id
    .describe("16 hexadecimal digits, the same in every reading and after any crash")
    .meta({ example: "5b8aa5a2d2c872e8" }),
  parentId: id
    .nullable()
    .describe("The span that it is part of; null for a root")
    .meta({ example: null }),
  kind: z
    .enum(SPAN_KINDS)
    .describe(
      "`answer` or `invocation` from creation to end; `queue`: waiting for a worker; `attempt`: a worker had it; " +
        "`step`: a model call, from its beginning to its last token; `call`: a tool call, from the end of the step that asked " +
        "for it; `wait` for a person or an application; `backoff` until the next attempt, or below a step, until its model is called again; `compaction`: a summary that " +
        "the end of the answer started",
    )
    .meta({ example: "answer" }),
  name: z.string().describe("Name for people").meta({ example: "Helper" }),
  startedAt: Milliseconds.describe("When it began"),
  endedAt: Milliseconds.nullable().describe("When it ended; null while it goes on"),
  status: z
    .enum(["running", "succeeded", "errored", "cancelled"])
    .describe("How it ended; `cancelled` also for a call that was rejected")
    .meta({ example: "succeeded" }),
  attempt: z.int().optional().describe("Number of the attempt, from 1, of an attempt or a step"),
  step: z.int().optional().describe("Number of the step, from 0, of a step or a call"),
  model: ModelPair.optional().describe("The model that answered a step or wrote a summary"),
  passedOver: z
    .array(z.object({ ...ModelPair.shape, reason: z.string().describe("Why it did not answer") }))
    .optional()
    .describe("Models that gave way to it in the step"),
  firstTokenMs: z.int().optional().describe("Time from the beginning of a step to its first token"),
  tokens: TokenCounts.optional().describe("Tokens, if the provider counted them"),
  cost: Cost.optional().describe("What it cost, for builders and admins"),
  actionId: z.string().optional().describe("Id of a call"),
  toolName: z.string().optional().describe("Tool of a call"),
  params: SpanText.optional().describe("Parameters of a call, or the input of an invocation"),
  output: SpanText.optional().describe("Result of a call or of an invocation"),
  invocationId: z.string().optional().describe("Id of an invocation"),
  waitsFor: z
    .enum(["approval", "answer", "authorization", "outputs"])
    .optional()
    .describe(
      "What a wait is for: a person's approval, answer or authorization, or an application's outputs",
    ),
  error: z
    .object({
      code: z.string().describe("Stable code"),
      message: z.string().describe("What failed"),
      provider: z
        .string()
        .optional()
        .describe("The model provider's own words, for builders and admins"),
    })
    .optional()
    .describe("Why it failed"),
});
export type Span = z.infer<typeof Span>;

/** Everything that a run spent its time on. */
export const Trace = z.object({
  traceId: z
    .string()
    .describe(
      "32 hexadecimal digits: of the request's `traceparent`, else derived from the run's id",
    )
    .meta({ example: "4bf92f3577b34da6a3ce929d0e0e4736" }),
  parentSpanId: id
    .nullable()
    .describe("The span of that `traceparent`; null without one")
    .meta({ example: null }),
  runId: z
    .string()
    .describe("Id of the answer's message, or of the invocation")
    .meta({ example: "Vn4tR9sWy1" }),
  spans: z
    .array(Span)
    .describe(`At most ${MAX_SPANS} spans, in the order of their beginnings, parents first`),
  isCut: z.boolean().describe("Whether it had more spans, or attempts that were not kept"),
});
export type Trace = z.infer<typeof Trace>;
