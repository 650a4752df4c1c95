import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { get } from "../endpoint-defaults.ts";
import { MessageParams } from "../params.ts";
import { fromQuery, Milliseconds } from "../parsing/text.ts";

/** What the tokens of a request are of, in the order of a prompt. */
export const REQUEST_PARTS = [
  "instructions",
  "tools",
  "messages",
  "answers",
  "results",
  "files",
  "other",
] as const;

const RequestPart = z.enum(REQUEST_PARTS);

const MissingReference = z.object({
  kind: z
    .enum(["message", "answer", "call", "instructions", "summary", "file", "piece"])
    .describe("What it was")
    .meta({ example: "file" }),
  id: z.string().describe("Its id").meta({ example: "fil_Qx7Pb2Mk5V" }),
  step: z.int().optional().describe("The step of an answer, of its text and its calls"),
});

/** The last request that was sent to the service of a model for a step of an answer. */
export const RecordedRequest = z.object({
  messageId: z.string().describe("Id of the answer").meta({ example: "Vn4tR9sWy1" }),
  step: z.int().describe("Number of the step, from 0").meta({ example: 0 }),
  attempt: z
    .int()
    .describe("The attempt at the turn that has sent it; more than 1 after an interruption")
    .meta({ example: 1 }),
  model: z
    .object({
      providerId: z.string().describe("Service that it was sent to"),
      modelId: z.string().describe("Model"),
    })
    .describe("The model that was asked, which may be one in place of the agent's own")
    .meta({ example: { providerId: "openai", modelId: "gpt-5" } }),
  sentAt: Milliseconds.describe("When it was sent"),
  sizeBytes: z.int().describe("Bytes that were sent").meta({ example: 61 }),
  sha256: z
    .string()
    .describe("SHA-256 of these bytes, in hexadecimal")
    .meta({ example: "f5a1b9d0c7e34f7a8f1c1e2b6a90d3c4e5f60718293a4b5c6d7e8f9012345678" }),
  body: z
    .string()
    .nullable()
    .describe(
      "The body, put together again from what is stored now: the JSON as it was sent, with `{{file:<id>}}` in place " +
        "of the base64 of a file, and `{{missing:<id>}}` in place of what is no longer there. Null if it was too large",
    )
    .meta({ example: '{"model":"gpt-5","input":[{"role":"user","content":"Hello!"}]}' }),
  matches: z
    .boolean()
    .nullable()
    .describe(
      "Whether these are the bytes that were sent; null if the body was too large to be recorded",
    )
    .meta({ example: true }),
  missing: z
    .array(MissingReference)
    .describe("What it held and is no longer there")
    .meta({ example: [] }),
  tokensByPart: z
    .array(
      z.object({
        part: RequestPart.describe(
          "`instructions`, `tools`, `messages` of users, `answers` with their calls, `results` of calls, `files`, or " +
            "`other`",
        ),
        tokens: z.int().describe("Tokens, estimated"),
      }),
    )
    .describe(
      "How its tokens are divided: those that the service counted, by the share of the bytes; files by their kind",
    )
    .meta({ example: [{ part: "messages", tokens: 9 }] }),
});
export type RecordedRequest = z.infer<typeof RecordedRequest>;

export const StepParams = MessageParams.extend({
  n: fromQuery(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  )
    .describe("Number of the step, from 0")
    .meta({ example: 0 }),
});

/** Operations on the recorded requests of answers. */
export const recordedRequestEndpoints = {
  "messages.getRequest": {
    ...get,
    tags: ["conversations"],
    // Tokens act with the role of users.
    scope: null,
    role: "builder",
    summary: "Read the request that was sent to the model for a step of an answer",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/messages/{mId}/steps/{n}/request",
    params: StepParams,
    output: z.object({ request: RecordedRequest.describe("The last request of the step") }),
    errors: ["conversation_not_found", "message_not_found", "request_not_recorded"],
    // Each read is audited.
    subject: ["cId", "mId", "n"],
  },
} as const satisfies Record<string, Endpoint>;
